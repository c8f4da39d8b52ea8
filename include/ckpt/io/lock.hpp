#ifndef CKPT_IO_LOCK_HPP
#define CKPT_IO_LOCK_HPP

#include <utility>

#include "ckpt/base/errc.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/leads_to.hpp"
#include "ckpt/io/detail/native_types.hpp"
#include "ckpt/io/native.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

/// An exclusive lock that stands for a name: between processes, and between two objects of one
/// process. It dies with its holder, even by a kill -9. Nothing is written into its file, as the
/// number of a process would mean nothing on another machine.
///
/// Closing the file releases the lock, so a child that was made by fork without exec shares it
/// until it exits. It does not order the threads that use one object. A name without a directory
/// is meant in the directory that the process is in when it is used.
template <class Native = native>
class basic_file_lock {
 public:
  /// Holds nothing.
  basic_file_lock() noexcept = default;

  /// Takes the lock `name`, without ever waiting. The file is made if it is absent, with the mode
  /// that the umask leaves.
  /// @errors busy (somebody holds it), empty_path, invalid_path, not_found (no such directory),
  /// permission_denied, not_a_regular_file (also: a symbolic link, but on Windows), no_space,
  /// no_memory, input_output (also: the file system has no locks)
  [[nodiscard]] static result<basic_file_lock> acquire(const path& name) noexcept {
    return detail::without_exceptions([&]() -> result<basic_file_lock> {
      if (const status usable = name.check(); !usable.ok()) return usable;
      basic_file_lock made;
      made.name_ = name;
      for (int attempt = 0; attempt < max_attempts; ++attempt) {
        const result<bool> taken = made.try_once();
        if (!taken.ok()) return taken.error();
        if (*taken) return result<basic_file_lock>(std::move(made));
      }
      return fail(errc::busy);
    });
  }

  /// False before `acquire`, after a release and after a move.
  [[nodiscard]] bool is_held() const noexcept { return handle_.is_open(); }

  /// Gives the lock up, as the destructor does. The file stays for the next holder.
  void release() noexcept { static_cast<void>(handle_.close()); }

  /// Removes the file and gives the lock up, that in any case.
  /// @errors not_found (nothing is held, or the name leads to another file, which stays),
  /// permission_denied, busy, input_output
  status remove_and_release() noexcept {
    if (!is_held()) return fail(errc::not_found);
    const status removed = remove();
    release();
    return removed;
  }

 private:
  static constexpr int max_attempts = 64;

  /// Locks what the name leads to. False if it was removed by its holder before it was locked:
  /// another may then hold a new file of this name.
  [[nodiscard]] result<bool> try_once() noexcept {
    const auto opened =
        detail::uninterrupted<Native>([&] { return Native::open_lock_file(name_.c_str()); });
    if (!opened.ok()) return why_refused(detail::path_failure<Native>(opened));
    detail::owned_handle<Native> file(opened);
    detail::file_facts held;
    const auto described =
        detail::uninterrupted<Native>([&] { return Native::describe(file.get(), held); });
    if (!described.ok()) return detail::call_failure<Native>(described);
    if (held.kind != detail::file_kind::regular) return fail(errc::not_a_regular_file);
    const auto locked = detail::uninterrupted<Native>([&] { return Native::try_lock(file.get()); });
    if (!locked.ok()) return detail::call_failure<Native>(locked);
    const result<bool> named = leads_to(held);
    if (named.ok() && *named) handle_ = std::move(file);
    return named;
  }

  /// Systems have many words for a name that leads to something else than a file.
  [[nodiscard]] status why_refused(status refused) const noexcept {
    detail::file_facts found;
    const auto described =
        detail::uninterrupted<Native>([&] { return Native::describe_link(name_.c_str(), found); });
    if (described.ok() && found.kind != detail::file_kind::regular)
      refused.kind = errc::not_a_regular_file;
    return refused;
  }

  [[nodiscard]] result<bool> leads_to(const detail::file_facts& held) const noexcept {
    bool does = false;
    const auto looked = detail::leads_to<Native>(name_, held, does);
    if (!looked.ok()) return detail::path_failure<Native>(looked);
    return does;
  }

  [[nodiscard]] status remove() const noexcept {
    detail::file_facts held;
    const auto described =
        detail::uninterrupted<Native>([&] { return Native::describe(handle_.get(), held); });
    if (!described.ok()) return detail::call_failure<Native>(described);
    const result<bool> named = leads_to(held);
    if (!named.ok()) return named.error();
    if (!*named) return fail(errc::not_found);
    const auto removed =
        detail::uninterrupted<Native>([&] { return Native::remove(handle_.get(), name_.c_str()); });
    return removed.ok() ? status{} : detail::path_failure<Native>(removed);
  }

  path name_;
  detail::owned_handle<Native> handle_;
};

/// A lock of this system.
using file_lock = basic_file_lock<>;

}  // namespace ckpt

#endif  // CKPT_IO_LOCK_HPP
