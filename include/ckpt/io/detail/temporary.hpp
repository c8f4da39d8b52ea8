#ifndef CKPT_IO_DETAIL_TEMPORARY_HPP
#define CKPT_IO_DETAIL_TEMPORARY_HPP

#include <cstdint>
#include <utility>

#include "ckpt/base/errc.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/leads_to.hpp"
#include "ckpt/io/detail/native_types.hpp"
#include "ckpt/io/detail/temporary_name.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

namespace detail {

/// A file beside another one, which nobody else writes, and which is gone in the end unless it
/// became the other one.
///
/// The names are numbered, so what killed processes leave behind is found again and bounded. Who
/// holds the lock of a file owns it, and alone may remove it; the system releases the lock of the
/// dead. Between making a file and locking it, another may take it for that of a dead process:
/// hence the look, once it is locked, whether the name still leads to it.
template <class Native>
class temporary {
 public:
  temporary() noexcept = default;
  temporary(temporary&& other) noexcept = default;
  temporary& operator=(temporary&& other) noexcept {
    if (this != &other) {
      discard();
      name_ = std::move(other.name_);
      handle_ = std::move(other.handle_);
      lock_ = std::move(other.lock_);
    }
    return *this;
  }
  temporary(const temporary&) = delete;
  temporary& operator=(const temporary&) = delete;
  ~temporary() { discard(); }

  static constexpr std::uint32_t max_count = 4096;

  /// Makes one beside `target`. May throw std::bad_alloc, as path does.
  /// @errors busy, and those of making a file
  status create(const path& target, std::uint32_t mode) {
    for (std::uint32_t number = 0; number < max_count; ++number) {
      name_ = target.sibling(temporary_name(target.name(), number));
      status failed;
      const claim outcome = claim_name(mode, failed);
      if (outcome == claim::failed) return failed;
      if (outcome == claim::mine) {
        sweep(target, number + 1);
        return {};
      }
    }
    return fail(errc::busy);
  }

  [[nodiscard]] native_handle handle() const noexcept { return handle_.get(); }

  /// Closes the file and reports what that reports, but stays its owner.
  [[nodiscard]] status close() noexcept {
    const auto copied = uninterrupted<Native>([&] { return Native::duplicate(handle()); });
    if (!copied.ok()) return call_failure<Native>(copied);
    lock_ = owned_handle<Native>(copied);
    const native_result closed = handle_.close();
    return closed.ok() ? status{} : call_failure<Native>(closed);
  }

  /// Gives the closed file the name of the target, and is no longer concerned.
  [[nodiscard]] status rename_to(const path& target) noexcept {
    const auto renamed = uninterrupted<Native>(
        [&] { return Native::rename(lock_.get(), name_.c_str(), target.c_str()); });
    if (!renamed.ok()) return path_failure<Native>(renamed);
    static_cast<void>(lock_.close());
    return {};
  }

  void discard() noexcept {
    const owned_handle<Native>& owner = lock_.is_open() ? lock_ : handle_;
    if (owner.is_open()) static_cast<void>(remove_name(owner, name_));
    static_cast<void>(handle_.close());
    static_cast<void>(lock_.close());
  }

 private:
  enum class claim : std::uint8_t {
    mine,
    again,
    taken,
    absent,
    failed
  };
  enum class place : std::uint8_t {
    here,
    elsewhere,
    foreign,
    unknown
  };

  static constexpr int max_attempts = 64;

  static native_result remove_name(const owned_handle<Native>& owner, const path& name) noexcept {
    return uninterrupted<Native>([&] { return Native::remove(owner.get(), name.c_str()); });
  }
  static native_result lock(const owned_handle<Native>& file) noexcept {
    return uninterrupted<Native>([&] { return Native::try_lock(file.get()); });
  }
  /// Whether the name still leads to this very file.
  [[nodiscard]] static place find(const path& name, const owned_handle<Native>& file,
                                  native_result& failed) noexcept {
    file_facts held;
    failed = uninterrupted<Native>([&] { return Native::describe(file.get(), held); });
    if (!failed.ok()) return place::unknown;
    if (held.kind != file_kind::regular) return place::foreign;
    bool is_here = false;
    failed = leads_to<Native>(name, held, is_here);
    if (!failed.ok()) return place::unknown;
    return is_here ? place::here : place::elsewhere;
  }

  [[nodiscard]] claim claim_name(std::uint32_t mode, status& failed) noexcept {
    claim outcome = claim::again;
    for (int attempt = 0; outcome == claim::again && attempt < max_attempts; ++attempt) {
      outcome = make(mode, failed);
      if (outcome != claim::taken) continue;
      const claim reclaimed = reclaim(name_);
      outcome = reclaimed == claim::taken ? claim::taken : claim::again;
    }
    return outcome;
  }

  [[nodiscard]] claim make(std::uint32_t mode, status& failed) noexcept {
    const auto opened =
        uninterrupted<Native>([&] { return Native::create_exclusive(name_.c_str(), mode); });
    if (!opened.ok()) {
      failed = path_failure<Native>(opened);
      return failed.kind == errc::already_exists ? claim::taken : claim::failed;
    }
    owned_handle<Native> made(opened);
    const native_result locked = lock(made);
    // Somebody took it for that of a dead process and is about to remove it. Where locks are not
    // supported nobody can do that.
    if (!locked.ok() && Native::is_lock_held(locked.error)) return claim::again;
    native_result unknown;
    const place found = find(name_, made, unknown);
    if (found == place::elsewhere) return claim::again;
    handle_ = std::move(made);
    if (found == place::here) return claim::mine;
    failed = call_failure<Native>(unknown);
    discard();
    return claim::failed;
  }

  /// Removes a file whose owner is dead: then `again`. A file of a living owner, or of an unknown
  /// one, is `taken`.
  [[nodiscard]] static claim reclaim(const path& name) noexcept {
    const auto opened =
        uninterrupted<Native>([&] { return Native::open_existing_for_lock(name.c_str()); });
    if (!opened.ok())
      return Native::path_error_kind(opened.error) == errc::not_found ? claim::absent
                                                                      : claim::taken;
    const owned_handle<Native> found(opened);
    if (!lock(found).ok()) return claim::taken;
    native_result unknown;
    const place at = find(name, found, unknown);
    if (at == place::elsewhere) return claim::again;
    if (at != place::here) return claim::taken;
    return remove_name(found, name).ok() ? claim::again : claim::taken;
  }

  /// Removes what dead processes left at the numbers behind the one in use.
  static void sweep(const path& target, std::uint32_t number) {
    claim outcome = claim::again;
    for (; number < max_count && outcome != claim::absent; ++number)
      outcome = reclaim(target.sibling(temporary_name(target.name(), number)));
  }

  path name_;
  owned_handle<Native> handle_;
  owned_handle<Native> lock_;  // the same file, while its handle is closed and it is not renamed
};

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_DETAIL_TEMPORARY_HPP
