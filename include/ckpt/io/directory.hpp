#ifndef CKPT_IO_DIRECTORY_HPP
#define CKPT_IO_DIRECTORY_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/base/result.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/native_types.hpp"
#include "ckpt/io/native.hpp"
#include "ckpt/io/path.hpp"

/// What is done with names: look, list, make, remove, move. A name is only safe from a loss of
/// power once the directory that it is in was synced. Every function takes the calls of the system
/// as a template argument, for tests.
namespace ckpt {

/// What a name leads to.
enum class entry_kind : std::uint8_t {
  none,       ///< nothing has this name
  file,       ///< a regular file
  directory,  ///< a directory
  other       ///< a device, a pipe, a socket
};

namespace detail {

template <class Native, class Call>
[[nodiscard]] status named_call(const path& name, Call call) noexcept {
  if (const status usable = name.check(); !usable.ok()) return usable;
  const native_result done = uninterrupted<Native>(call);
  return done.ok() ? status{} : path_failure<Native>(done);
}

/// Whether an entry of a directory is the directory itself or the one above.
[[nodiscard]] inline bool is_dots(path::native_view entry) noexcept {
  const bool dots = entry.find_first_not_of(path_char('.')) == path::native_view::npos;
  return dots && entry.size() <= 2;
}

[[nodiscard]] constexpr entry_kind kind_of(file_kind kind) noexcept {
  switch (kind) {
    case file_kind::regular: return entry_kind::file;
    case file_kind::directory: return entry_kind::directory;
    default: return entry_kind::other;
  }
}

/// What `describe(facts)` says of a name; `none` is no failure.
template <class Native, class Describe>
[[nodiscard]] result<entry_kind> kind_at(const path& name, Describe describe) noexcept {
  file_facts facts;
  const status described = named_call<Native>(name, [&] { return describe(facts); });
  if (described.kind == errc::not_found) return entry_kind::none;
  if (!described.ok()) return described;
  return kind_of(facts.kind);
}

template <class Native>
[[nodiscard]] result<std::vector<std::string>> list_names(const path& directory) {
  std::vector<std::string> names;
  status kept;
  const auto keep = [&](const path_char* entry) noexcept {
    kept = without_exceptions([&]() -> status {
      if (!is_dots(entry)) names.push_back(encode_path(path::native_view(entry)));
      return {};
    });
    return kept.ok();
  };
  const status listed = named_call<Native>(directory, [&] {
    names.clear();
    return Native::list_directory(directory.c_str(), keep);
  });
  if (!kept.ok()) return kept;
  if (!listed.ok()) return listed;
  std::sort(names.begin(), names.end());
  return result<std::vector<std::string>>(std::move(names));
}

}  // namespace detail

/// What `name` leads to, links followed; `none` is no failure.
/// @errors empty_path, invalid_path (also: below something that is no directory),
/// permission_denied, no_memory, busy, input_output
template <class Native = native>
[[nodiscard]] result<entry_kind> entry_at(const path& name) noexcept {
  return detail::kind_at<Native>(name, [&](detail::file_facts& facts) noexcept {
    return Native::describe_path(name.c_str(), facts);
  });
}

/// The same of the name itself: a link is `other`, wherever it leads.
/// @errors those of entry_at()
template <class Native = native>
[[nodiscard]] result<entry_kind> entry_itself_at(const path& name) noexcept {
  return detail::kind_at<Native>(name, [&](detail::file_facts& facts) noexcept {
    return Native::describe_link(name.c_str(), facts);
  });
}

/// Whether `name` leads to a directory; false also where that cannot be found out.
template <class Native = native>
[[nodiscard]] bool is_directory(const path& name) noexcept {
  const result<entry_kind> found = entry_at<Native>(name);
  return found.ok() && *found == entry_kind::directory;
}

/// The names in a directory without "." and "..", in the order of their bytes: UTF-8 on Windows,
/// bytes as they are elsewhere.
/// @errors empty_path, invalid_path (also: not a directory), not_found, permission_denied,
/// no_memory, input_output
template <class Native = native>
[[nodiscard]] result<std::vector<std::string>> list_directory(const path& directory) noexcept {
  return detail::without_exceptions([&] { return detail::list_names<Native>(directory); });
}

/// Makes one directory, with the mode that the umask leaves.
/// @errors empty_path, invalid_path, already_exists (whatever it is), not_found (what it would be
/// in), permission_denied, no_space, no_memory, input_output
template <class Native = native>
status create_directory(const path& directory) noexcept {
  return detail::named_call<Native>(directory,
                                    [&] { return Native::make_directory(directory.c_str()); });
}

/// Waits until the names in a directory are on the disk, as far as the system can do that.
/// @errors empty_path, invalid_path, not_found, permission_denied, input_output
template <class Native = native>
status sync_directory(const path& directory) noexcept {
  const status synced = detail::named_call<Native>(
      directory, [&] { return Native::sync_directory(directory.c_str()); });
  return Native::is_unsupported(synced.os_code) ? status{} : synced;
}

/// Removes the name of a file, or a link itself.
/// @errors empty_path, invalid_path, not_found, not_a_regular_file or permission_denied (a
/// directory: systems differ), permission_denied, busy, input_output
template <class Native = native>
status remove_file(const path& name) noexcept {
  return detail::named_call<Native>(name, [&] { return Native::remove_file(name.c_str()); });
}

/// Removes an empty directory.
/// @errors empty_path, invalid_path (also: not a directory), not_found, already_exists (something
/// is in it), permission_denied, busy, input_output
template <class Native = native>
status remove_directory(const path& directory) noexcept {
  status removed = detail::named_call<Native>(
      directory, [&] { return Native::remove_directory(directory.c_str()); });
  if (Native::is_not_empty(removed.os_code)) removed.kind = errc::already_exists;
  return removed;
}

/// Gives a file or directory another name on the same file system, in one step. A file that has
/// that name already is gone in the same instant; so is an empty directory on POSIX systems.
/// @errors empty_path, invalid_path (also: a directory in place of a file), not_found,
/// already_exists (a directory with something in it), not_a_regular_file (a file in place of a
/// directory), permission_denied, no_space, busy, input_output (also: another file system)
template <class Native = native>
status move_entry(const path& from, const path& to) noexcept {
  if (const status usable = to.check(); !usable.ok()) return usable;
  status moved =
      detail::named_call<Native>(from, [&] { return Native::move(from.c_str(), to.c_str()); });
  if (Native::is_not_empty(moved.os_code)) moved.kind = errc::already_exists;
  return moved;
}

}  // namespace ckpt

#endif  // CKPT_IO_DIRECTORY_HPP
