#ifndef CKPT_TESTS_UNIT_STORE_WATCHED_NATIVE_HPP
#define CKPT_TESTS_UNIT_STORE_WATCHED_NATIVE_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "scaled_native.hpp"

namespace ckpt_test {

/// A call that changes the disk, or waits until it has something, or any other that fails.
struct change {
  call kind;
  std::string name;
  std::string target{};  ///< of a move: where to
};

/// What happens to the process that runs on watched_native, and what it has done. One for the
/// process, as `now` is, which plans failing calls.
struct watch {
  std::size_t dies_at = 0;        ///< the change at which it dies: that and all behind is not done
  std::size_t starves_at = 0;     ///< the call behind which memory is short
  std::size_t starves_for = 0;    ///< so many calls long; 0: to the end
  std::size_t starved_above = 1;  ///< blocks of more bytes are not given then
  bool is_starving = false;
  bool is_dying = false;  ///< in this change

  std::size_t calls = 0;
  std::size_t attempts = 0;       ///< changes, with those of a dead process
  std::vector<change> changes{};  ///< that were made
  std::map<ckpt::detail::native_handle, std::string> open_files{};
  std::vector<change> failures{};  ///< calls that failed as planned
};
inline watch watched;

/// Begins a test with a process that has nothing open and to which nothing happens.
inline void watch_new_process() {
  reset();
  watched = watch{};
}
/// From now on nothing happens to the process. It keeps the files that it has open.
inline void watch_anew() {
  const std::int64_t handles = now.open_handles;
  auto files = std::move(watched.open_files);
  reset();
  watched = watch{};
  now.open_handles = handles;
  watched.open_files = std::move(files);
}

/// Memory is short from now on, until `feed()`.
inline void starve() {
  watched.is_starving = true;
  test::limit_allocations(watched.starved_above);
}
inline void feed() {
  watched.is_starving = false;
  test::limit_allocations(0);
}

/// What the tests themselves allocate is always there.
class well_fed {
 public:
  well_fed() { test::limit_allocations(0); }
  well_fed(const well_fed&) = delete;
  well_fed& operator=(const well_fed&) = delete;
  ~well_fed() {
    if (watched.is_starving) test::limit_allocations(watched.starved_above);
  }
};

/// Where to make thousands of directories: in memory if that can be had, for some disks are slow.
inline std::filesystem::path quick_place() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code failed;
  const auto status = std::filesystem::status(memory, failed);
  const auto all = std::filesystem::perms::all;
  const bool is_for_all = (status.permissions() & all) == all;
  return is_directory(status) && is_for_all ? memory : std::filesystem::temp_directory_path();
}

/// The real system as a process sees it that may die or run out of memory at any call. A dead
/// process changes nothing any more, though its destructors run; only its handles are closed and
/// its locks released, as the system does. Nobody cuts the power, so nothing waits for the disk.
struct watched_native : scaled_native<> {
  using base = scaled_native<>;
  using result = base::result;
  using handle = base::handle;
  using facts = base::facts;
  using piece = base::piece;

  static result open_read(const char* path) noexcept {
    return opening(call::open_read, path, [&] { return base::open_read(path); });
  }
  static result create_exclusive(const char* path, std::uint32_t mode) noexcept {
    return opening(call::create, path, [&] {
      return change_by({call::create, path}, [&] { return base::create_exclusive(path, mode); });
    });
  }
  static result open_existing_for_lock(const char* path) noexcept {
    return opening(call::open_lock, path, [&] { return base::open_existing_for_lock(path); });
  }
  static result open_lock_file(const char* path) noexcept {
    return opening(call::open_lock_file, path, [&] { return base::open_lock_file(path); });
  }
  static result duplicate(handle h) noexcept {
    const std::string name = name_of(h);
    return opening(call::duplicate, name.c_str(), [&] { return base::duplicate(h); });
  }
  static result close(handle h) noexcept {
    const std::string name = name_of(h);
    watched.open_files.erase(h);
    return about(call::close, name, [&] { return base::close(h); });
  }
  static result describe(handle h, facts& f) noexcept {
    return about(call::describe, name_of(h), [&] { return base::describe(h, f); });
  }
  static result describe_path(const char* path, facts& f) noexcept {
    return about(call::describe_path, path, [&] { return base::describe_path(path, f); });
  }
  static result describe_link(const char* path, facts& f) noexcept {
    return about(call::describe_link, path, [&] { return base::describe_link(path, f); });
  }
  static result read_at(handle h, std::uint64_t at, const piece* p, std::size_t n) noexcept {
    return about(call::read, name_of(h), [&] { return base::read_at(h, at, p, n); });
  }
  /// The write in which a process dies is torn.
  static result write_at(handle h, std::uint64_t at, const piece* p, std::size_t n) noexcept {
    return changing(call::write, name_of(h), {}, [&] {
      const piece half = base::make_piece(base::piece_data(*p), base::piece_size(*p) / 2);
      return watched.is_dying ? base::write_at(h, at, &half, 1) : base::write_at(h, at, p, n);
    });
  }
  static result sync(handle h) noexcept {
    return changing(call::sync, name_of(h), {}, [] { return pretended(call::sync); });
  }
  static result sync_directory(const char* path) noexcept {
    return changing(call::sync_directory, path, {}, [] { return pretended(call::sync_directory); });
  }
  static result rename(handle h, const char* from, const char* to) noexcept {
    return changing(call::rename, from, to, [&] { return base::rename(h, from, to); });
  }
  static result remove(handle h, const char* path) noexcept {
    return changing(call::remove, path, {}, [&] { return base::remove(h, path); });
  }
  static result move(const char* from, const char* to) noexcept {
    return changing(call::move, from, to, [&] { return base::move(from, to); });
  }
  static result remove_file(const char* path) noexcept {
    return changing(call::remove_file, path, {}, [&] { return base::remove_file(path); });
  }
  static result make_directory(const char* path) noexcept {
    return changing(call::make_directory, path, {}, [&] { return base::make_directory(path); });
  }
  static result remove_directory(const char* path) noexcept {
    return changing(call::remove_directory, path, {}, [&] { return base::remove_directory(path); });
  }
  template <class Visit>
  static result list_directory(const char* path, Visit visit) noexcept {
    return about(call::list_directory, path, [&] {
      return base::list_directory(path, [&](const char* name) noexcept {
        if (watched.is_starving) test::limit_allocations(watched.starved_above);
        const bool wants_more = visit(name);
        test::limit_allocations(0);
        return wants_more;
      });
    });
  }
  static result full_path(const char* path, char* to, std::size_t room) noexcept {
    return about(call::full_path, path, [&] { return base::full_path(path, to, room); });
  }
  static result set_mode(handle h, std::uint32_t mode) noexcept {
    return changing(call::set_mode, name_of(h), {}, [&] { return base::set_mode(h, mode); });
  }
  static result try_lock(handle h) noexcept {
    return about(call::lock, name_of(h), [&] { return base::try_lock(h); });
  }

 private:
  static std::string name_of(handle h) {
    const well_fed here;
    const auto found = watched.open_files.find(h);
    return found == watched.open_files.end() ? std::string() : found->second;
  }

  static bool was_planned(call kind) {
    const std::size_t number = now.count(kind);
    if (kind != now.fail_kind || now.fail_at == 0) return false;
    return number == now.fail_at || (now.fail_on && number > now.fail_at);
  }

  /// Every call comes through here.
  template <class Call>
  static result about(call kind, std::string_view name, Call make,
                      std::string_view target = {}) noexcept {
    const well_fed here;
    const result done = make();
    if (!done.ok() && was_planned(kind))
      watched.failures.push_back({kind, std::string(name), std::string(target)});
    const std::size_t number = ++watched.calls;
    if (number == watched.starves_at) watched.is_starving = true;
    if (watched.starves_for != 0 && number == watched.starves_at + watched.starves_for)
      watched.is_starving = false;
    return done;
  }
  template <class Call>
  static result opening(call kind, const char* path, Call make) noexcept {
    return about(kind, path, [&] {
      const result opened = make();
      if (opened.ok()) watched.open_files[static_cast<handle>(opened.value)] = path;
      return opened;
    });
  }
  /// What only a living process does.
  template <class Call>
  static result change_by(change planned, Call make) {
    const std::size_t number = ++watched.attempts;
    watched.is_dying = number == watched.dies_at;
    if (watched.is_dying && planned.kind == call::write) static_cast<void>(make());
    if (watched.dies_at != 0 && number >= watched.dies_at) return {0, EIO};
    const result done = make();
    if (done.ok()) watched.changes.push_back(std::move(planned));
    return done;
  }
  template <class Call>
  static result changing(call kind, std::string_view name, std::string_view target,
                         Call make) noexcept {
    return about(
        kind, name,
        [&] {
          return change_by({kind, std::string(name), std::string(target)}, make);
        },
        target);
  }
  static result pretended(call kind) noexcept { return {0, now.enter(kind)}; }
};

}  // namespace ckpt_test

#endif  // CKPT_TESTS_UNIT_STORE_WATCHED_NATIVE_HPP
