#ifndef CKPT_INTEROP_WHOLE_FILE_HPP
#define CKPT_INTEROP_WHOLE_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/contents.hpp"
#include "ckpt/io/detail/path_text.hpp"
#include "ckpt/io/directory.hpp"
#include "ckpt/io/file.hpp"
#include "ckpt/io/mapping.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

namespace detail {

/// Maps a file of any size, 0 too, for as long as `owner` lives.
/// @errors those of `basic_mapping::open()` but for empty_file
[[nodiscard]] inline status map_whole(const path& name, contents& owner, bytes_view& bytes) {
  bytes = {};
  auto mapped = native_mapping::open(name);
  if (mapped.error().kind == errc::empty_file) return {};
  if (!mapped.ok()) return mapped.error();
  bytes = owner.keep(std::move(*mapped));
  return {};
}

/// Reads a small file.
/// @errors limit_exceeded (in bytes), those of `basic_file::open()` and `read_at()`
[[nodiscard]] inline status read_whole(const path& name, std::uint64_t limit,
                                       std::vector<std::byte>& to) {
  auto opened = native_file::open(name);
  if (!opened.ok()) return opened.error();
  if (opened->size() > limit) return fail(errc::limit_exceeded, limit, opened->size());
  to.resize(static_cast<std::size_t>(opened->size()));
  return opened->read_at(0, bytes_span(to));
}

/// The last component of a path, whatever separators follow it: how a variable is called that was
/// opened by the path of its own.
[[nodiscard]] inline std::string last_name(const path& of) {
  path::native_view all = of.native();
  while (all.size() > 1 && is_separator(all.back())) all.remove_suffix(1);
  const path::native_view last = all.substr(name_offset(all));
  return last.empty() || is_dots(last) ? std::string("variable") : encode_path(last);
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_INTEROP_WHOLE_FILE_HPP
