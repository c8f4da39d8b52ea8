#ifndef CKPT_CHECKPOINT_PROGRESS_HPP
#define CKPT_CHECKPOINT_PROGRESS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ckpt/base/span.hpp"
#include "ckpt/base/status.hpp"

namespace ckpt {

/// Who is told how far a save is: a function and what it is called with. It owns nothing, so that
/// both must outlive the save. Made by `progress_to()`, or by hand.
///
/// The first call is (context, 0, total), before the first byte; then `done` grows by at most 8 MiB
/// a call, and counts only what was given to the operating system; the last call is (context,
/// total, total), before the file is synced and gets its name. A save that fails stops calling.
/// Calls come on the thread that saves. The function may throw: the save is then given up, the old
/// file stays, and the exception leaves `save()`.
struct progress_callback {
  void (*call)(void* context, std::uint64_t done_bytes, std::uint64_t total_bytes) = nullptr;
  void* context = nullptr;
};

/// Binds a callable, which must outlive the save:
///
///     auto bar = [](std::uint64_t done, std::uint64_t total) { ... };
///     ckpt::save_options how;
///     how.progress = ckpt::progress_to(bar);
template <class Callable>
[[nodiscard]] progress_callback progress_to(Callable& listener) noexcept {
  static_assert(std::is_object_v<Callable>,
                "ckpt: progress_to() takes an object; put a plain function into a lambda");
  static_assert(std::is_invocable_v<Callable&, std::uint64_t, std::uint64_t>,
                "ckpt: a progress callable takes (std::uint64_t done, std::uint64_t total)");
  progress_callback bound;
  bound.call = [](void* object, std::uint64_t done_bytes, std::uint64_t total_bytes) {
    static_cast<void>((*static_cast<Callable*>(object))(done_bytes, total_bytes));
  };
  bound.context = const_cast<std::remove_const_t<Callable>*>(&listener);
  return bound;
}

namespace detail {

/// Bytes that may go out between two reports.
inline constexpr std::size_t progress_piece_bytes = std::size_t{8} << 20;

/// A sink in front of another one: flushes that one every now and then and tells how many bytes
/// are written. Where nobody listens it passes everything on as it is.
template <class Sink>
class progress_sink {
 public:
  /// Reports 0 of `total_bytes`.
  progress_sink(Sink& to, const progress_callback& heard_by, std::uint64_t total_bytes)
      : sink_(to), listener_(heard_by), total_bytes_(total_bytes) {
    report();
  }

  /// @errors those of the sink behind it
  status append(bytes_view bytes) {
    if (listener_.call == nullptr) return sink_.append(bytes);
    while (!bytes.empty()) {
      const std::size_t room = progress_piece_bytes - waiting_bytes_;
      const std::size_t now = bytes.size() < room ? bytes.size() : room;
      if (const status sent = sink_.append(bytes.part(0, now)); !sent.ok()) return sent;
      waiting_bytes_ += now;
      bytes = bytes.part(now, bytes.size() - now);
      const status written = waiting_bytes_ == progress_piece_bytes ? flush() : status{};
      if (!written.ok()) return written;
    }
    return {};
  }

  /// @errors those of the sink behind it
  status flush() {
    if (const status written = sink_.flush(); !written.ok()) return written;
    if (waiting_bytes_ == 0) return {};
    done_bytes_ += waiting_bytes_;
    waiting_bytes_ = 0;
    report();
    return {};
  }

 private:
  void report() const {
    if (listener_.call != nullptr) listener_.call(listener_.context, done_bytes_, total_bytes_);
  }

  Sink& sink_;
  progress_callback listener_;
  std::uint64_t total_bytes_;
  std::uint64_t done_bytes_ = 0;
  std::size_t waiting_bytes_ = 0;
};

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_PROGRESS_HPP
