#ifndef CKPT_TESTS_UNIT_IO_SCALED_NATIVE_HPP
#define CKPT_TESTS_UNIT_IO_SCALED_NATIVE_HPP

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ckpt/io/native.hpp"

namespace ckpt_test {

/// The calls that a test can count, cut short, interrupt or fail.
enum class call : std::uint8_t {
  open_read,
  create,
  open_lock,
  duplicate,
  close,
  describe,
  describe_path,
  describe_link,
  read,
  write,
  reserve,
  sync,
  sync_directory,
  rename,
  remove,
  set_mode,
  lock,
  map,
  unmap,
  move,
  remove_file,
  make_directory,
  remove_directory,
  list_directory,
  open_lock_file,
  full_path,
  kinds
};
inline constexpr std::size_t call_kinds = static_cast<std::size_t>(call::kinds);

/// What the seam does and has seen. One for the process: tests do not run at the same time.
struct seam {
  call fail_kind = call::kinds;
  std::size_t fail_at = 0;  ///< 1: the first call of that kind
  bool fail_on = false;     ///< also all calls behind it
  int fail_error = EIO;
  bool write_nothing = false;
  std::size_t longest_move = 0;     ///< cuts each read and write short; 0: does not
  std::size_t interrupt_every = 0;  ///< 0: never
  std::array<std::size_t, call_kinds> counts{};
  std::vector<call> journal;
  std::size_t calls = 0;
  std::int64_t open_handles = 0;
  std::int64_t mapped = 0;
  std::uint64_t largest_ask = 0;
  std::size_t most_pieces = 0;

  [[nodiscard]] std::size_t count(call kind) const {
    return counts[static_cast<std::size_t>(kind)];
  }

  /// The error to give instead of making the call; 0: make it.
  int enter(call kind) {
    const bool interruptible = kind != call::close && kind != call::unmap;
    if (interrupt_every != 0 && interruptible && ++calls % interrupt_every == 0) return EINTR;
    const std::size_t number = ++counts[static_cast<std::size_t>(kind)];
    journal.push_back(kind);
    if (kind != fail_kind || fail_at == 0) return 0;
    return number == fail_at || (fail_on && number > fail_at) ? fail_error : 0;
  }
};

inline seam now;

/// Starts a test with a seam that does nothing unusual.
inline void reset() {
  now = seam{};
}

inline constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// The real system, scaled down: a call may ask for at most 1 MiB, so that what happens at 1 GiB
/// can be tested; more than 2 MiB is refused as macOS refuses more than 2 GiB.
template <std::size_t MaxPieces = ckpt::native::max_pieces>
struct scaled_native : ckpt::native {
  using base = ckpt::native;
  using result = ckpt::detail::native_result;
  using handle = ckpt::detail::native_handle;
  using facts = ckpt::detail::file_facts;
  using piece = base::piece;

  static constexpr std::size_t max_pieces = MaxPieces;
  static constexpr std::uint64_t max_call_bytes = mebibyte;

  static result open_read(const char* path) noexcept {
    return opening(call::open_read, [&] { return base::open_read(path); });
  }
  static result create_exclusive(const char* path, std::uint32_t mode) noexcept {
    return opening(call::create, [&] { return base::create_exclusive(path, mode); });
  }
  static result open_existing_for_lock(const char* path) noexcept {
    return opening(call::open_lock, [&] { return base::open_existing_for_lock(path); });
  }
  static result open_lock_file(const char* path) noexcept {
    return opening(call::open_lock_file, [&] { return base::open_lock_file(path); });
  }
  static result duplicate(handle h) noexcept {
    return opening(call::duplicate, [&] { return base::duplicate(h); });
  }
  static result close(handle h) noexcept {
    const int error = now.enter(call::close);
    --now.open_handles;
    const result done = base::close(h);  // a failing close closes, too
    return error != 0 ? result{0, error} : done;
  }
  static result describe(handle h, facts& f) noexcept {
    return plain(call::describe, [&] { return base::describe(h, f); });
  }
  static result describe_path(const char* path, facts& f) noexcept {
    return plain(call::describe_path, [&] { return base::describe_path(path, f); });
  }
  static result describe_link(const char* path, facts& f) noexcept {
    return plain(call::describe_link, [&] { return base::describe_link(path, f); });
  }
  static result read_at(handle h, std::uint64_t at, const piece* p, std::size_t n) noexcept {
    return moving(call::read, p, n,
                  [&](const piece* q, std::size_t m) { return base::read_at(h, at, q, m); });
  }
  static result write_at(handle h, std::uint64_t at, const piece* p, std::size_t n) noexcept {
    return moving(call::write, p, n, [&](const piece* q, std::size_t m) {
      return now.write_nothing ? result{} : base::write_at(h, at, q, m);
    });
  }
  static result reserve(handle h, std::uint64_t wanted) noexcept {
    return plain(call::reserve, [&] { return base::reserve(h, wanted); });
  }
  static result sync(handle h) noexcept {
    return plain(call::sync, [&] { return base::sync(h); });
  }
  static result sync_directory(const char* path) noexcept {
    return plain(call::sync_directory, [&] { return base::sync_directory(path); });
  }
  static result rename(handle h, const char* from, const char* to) noexcept {
    return plain(call::rename, [&] { return base::rename(h, from, to); });
  }
  static result remove(handle h, const char* path) noexcept {
    return plain(call::remove, [&] { return base::remove(h, path); });
  }
  static result move(const char* from, const char* to) noexcept {
    return plain(call::move, [&] { return base::move(from, to); });
  }
  static result remove_file(const char* path) noexcept {
    return plain(call::remove_file, [&] { return base::remove_file(path); });
  }
  static result make_directory(const char* path) noexcept {
    return plain(call::make_directory, [&] { return base::make_directory(path); });
  }
  static result remove_directory(const char* path) noexcept {
    return plain(call::remove_directory, [&] { return base::remove_directory(path); });
  }
  template <class Visit>
  static result list_directory(const char* path, Visit visit) noexcept {
    return plain(call::list_directory, [&] { return base::list_directory(path, visit); });
  }
  static result full_path(const char* path, char* to, std::size_t room) noexcept {
    return plain(call::full_path, [&] { return base::full_path(path, to, room); });
  }
  static result set_mode(handle h, std::uint32_t mode) noexcept {
    return plain(call::set_mode, [&] { return base::set_mode(h, mode); });
  }
  static result try_lock(handle h) noexcept {
    return plain(call::lock, [&] { return base::try_lock(h); });
  }
  static result map(handle h, std::size_t size, const std::byte*& at) noexcept {
    const result done = plain(call::map, [&] { return base::map(h, size, at); });
    if (done.ok()) ++now.mapped;
    return done;
  }
  static result unmap(const std::byte* at, std::size_t size) noexcept {
    --now.mapped;
    return plain(call::unmap, [&] { return base::unmap(at, size); });
  }

 private:
  template <class Call>
  static result plain(call kind, Call make) noexcept {
    const int error = now.enter(kind);
    return error != 0 ? result{0, error} : make();
  }
  template <class Call>
  static result opening(call kind, Call make) noexcept {
    const result done = plain(kind, make);
    if (done.ok()) ++now.open_handles;
    return done;
  }
  /// Makes the call with as many bytes as the test allows.
  template <class Call>
  static result moving(call kind, const piece* pieces, std::size_t count, Call make) noexcept {
    const int error = now.enter(kind);
    if (error != 0) return {0, error};
    std::uint64_t asked = 0;
    for (std::size_t i = 0; i < count; ++i) asked += base::piece_size(pieces[i]);
    if (asked > now.largest_ask) now.largest_ask = asked;
    if (count > now.most_pieces) now.most_pieces = count;
    if (asked > 2 * mebibyte || count > MaxPieces || count == 0) return {0, EINVAL};
    if (now.longest_move == 0) return make(pieces, count);
    std::vector<piece> cut;
    std::size_t room = now.longest_move;
    for (std::size_t i = 0; i < count && room > 0; ++i) {
      const std::size_t size =
          base::piece_size(pieces[i]) < room ? base::piece_size(pieces[i]) : room;
      cut.push_back(base::make_piece(base::piece_data(pieces[i]), size));
      room -= size;
    }
    return make(cut.data(), cut.size());
  }
};

}  // namespace ckpt_test

#endif  // CKPT_TESTS_UNIT_IO_SCALED_NATIVE_HPP
