#ifndef CKPT_IO_ABSOLUTE_HPP
#define CKPT_IO_ABSOLUTE_HPP

#include <cstddef>
#include <utility>

#include "ckpt/base/errc.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/collapsed.hpp"
#include "ckpt/io/detail/native_types.hpp"
#include "ckpt/io/native.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

namespace detail {

template <class Native>
[[nodiscard]] result<path> full_path(const path& name) {
  constexpr std::size_t usual = 256;
  constexpr std::size_t longest = std::size_t{1} << 20;  // no system has such paths
  if (const status usable = name.check(); !usable.ok()) return usable;
  path::native_string text(usual, path_char{});
  std::size_t size = 0;
  for (;;) {
    const native_result done = uninterrupted<Native>(
        [&] { return Native::full_path(name.c_str(), text.data(), text.size()); });
    if (!done.ok()) return path_failure<Native>(done);
    size = static_cast<std::size_t>(done.value);
    if (size <= text.size()) break;
    if (size > longest) return fail(errc::invalid_path);
    text.resize(size);
  }
  return path::from_native(collapsed(path::native_view(text).substr(0, size)));
}

}  // namespace detail

/// The same name, whatever directory the process goes to later: "runs/a", "runs/a/", "./runs/a"
/// and "runs//a" give the same. Links are not resolved, and so ".." stays, but on Windows, which
/// resolves it by the text alone. Nothing needs to have that name.
/// @errors empty_path, invalid_path, not_found (the directory that the process is in is gone),
/// permission_denied, no_memory, input_output
template <class Native = native>
[[nodiscard]] result<path> absolute_path(const path& name) noexcept {
  return detail::without_exceptions([&] { return detail::full_path<Native>(name); });
}

}  // namespace ckpt

#endif  // CKPT_IO_ABSOLUTE_HPP
