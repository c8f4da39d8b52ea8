#ifndef CKPT_IO_DETAIL_COLLAPSED_HPP
#define CKPT_IO_DETAIL_COLLAPSED_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "ckpt/io/detail/path_text.hpp"

namespace ckpt {

namespace detail {

/// How many separators begin an absolute path: two before the name of a server of Windows.
template <class Char>
[[nodiscard]] constexpr std::size_t root_size(std::basic_string_view<Char> text) noexcept {
  std::size_t size = 0;
  while (size < text.size() && is_separator(text[size])) ++size;
  const std::size_t most = is_wide_v<Char> ? 2 : 1;
  return size < most ? size : most;
}

/// The same path without repeated separators, separators at the end, and components "."; ".." stay,
/// because what they lead to depends on links. Nothing is left of "." alone, but it.
template <class Char>
[[nodiscard]] std::basic_string<Char> collapsed(std::basic_string_view<Char> text) {
  constexpr Char separator = is_wide_v<Char> ? Char('\\') : Char('/');
  std::basic_string<Char> out(root_size(text), separator);
  bool is_first = true;
  for (std::size_t at = out.size(); at < text.size(); ++at) {
    std::size_t end = at;
    while (end < text.size() && !is_separator(text[end])) ++end;
    const std::basic_string_view<Char> component = text.substr(at, end - at);
    at = end;
    if (component.empty() || (component.size() == 1 && component[0] == Char('.'))) continue;
    if (!is_first) out.push_back(separator);
    out.append(component);
    is_first = false;
  }
  if (out.empty() && !text.empty()) out.push_back(Char('.'));
  const bool is_drive = is_wide_v<Char> && !out.empty() && out.back() == Char(':');
  // "C:" is the directory that the drive is in, "C:\" its root.
  if (is_drive && text.back() != Char(':')) out.push_back(separator);
  return out;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_DETAIL_COLLAPSED_HPP
