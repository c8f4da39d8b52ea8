#ifndef CKPT_IO_CREATE_DIRECTORIES_HPP
#define CKPT_IO_CREATE_DIRECTORIES_HPP

#include <utility>
#include <vector>

#include "ckpt/base/errc.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/collapsed.hpp"
#include "ckpt/io/directory.hpp"
#include "ckpt/io/native.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

namespace detail {

/// Makes one directory unless it is there. Of one that is, some systems say first that nothing may
/// be made where it is.
template <class Native>
[[nodiscard]] status ensure_directory(const path& directory, bool durable) {
  const status made = ckpt::create_directory<Native>(directory);
  if (made.kind == errc::not_found) return made;
  if (!made.ok()) return ckpt::is_directory<Native>(directory) ? status{} : made;
  return durable ? ckpt::sync_directory<Native>(directory.parent()) : status{};
}

/// Goes up to the first directory that is there or can be made, and down again.
template <class Native>
[[nodiscard]] status ensure_directories(path directory, bool durable) {
  std::vector<path> missing;  // the one to be made first is the last
  status made = ensure_directory<Native>(directory, durable);
  while (made.kind == errc::not_found) {
    path above = directory.parent();
    if (above.native() == directory.native()) return made;
    missing.push_back(std::move(directory));
    directory = std::move(above);
    made = ensure_directory<Native>(directory, durable);
  }
  for (; made.ok() && !missing.empty(); missing.pop_back())
    made = ensure_directory<Native>(missing.back(), durable);
  return made;
}

}  // namespace detail

/// Makes a directory and those above it that are missing, with the mode that the umask leaves. One
/// that is there is fine, and so is a link to one. After a failure, what was made stays.
/// @param durable  wait until the disk has the name of each new directory
/// @errors empty_path, invalid_path (also: a file in the place of one above), already_exists
/// (something else in its place), not_found (a drive that is not there), permission_denied,
/// no_space, no_memory, input_output
template <class Native = native>
status create_directories(const path& directory, bool durable) noexcept {
  return detail::without_exceptions([&]() -> status {
    if (const status usable = directory.check(); !usable.ok()) return usable;
    return detail::ensure_directories<Native>(
        path::from_native(detail::collapsed(path::native_view(directory.native()))), durable);
  });
}

}  // namespace ckpt

#endif  // CKPT_IO_CREATE_DIRECTORIES_HPP
