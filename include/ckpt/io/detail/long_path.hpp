#ifndef CKPT_IO_DETAIL_LONG_PATH_HPP
#define CKPT_IO_DETAIL_LONG_PATH_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt/io/detail/path_text.hpp"

namespace ckpt {

namespace detail {

template <class Char>
[[nodiscard]] constexpr bool starts_with_drive(std::basic_string_view<Char> text) noexcept {
  return text.size() >= 3 && text[1] == Char(':') && is_separator(text[2]);
}

template <class Char>
[[nodiscard]] constexpr bool starts_with_server(std::basic_string_view<Char> text) noexcept {
  return text.size() >= 3 && is_separator(text[0]) && is_separator(text[1]) &&
         text[2] != Char('?') && text[2] != Char('.');
}

/// Appends the components of `rest`, each behind a backslash, resolving "." and ".." as Windows
/// would, because behind the prefix it no longer does. The first `kept` are not left again.
template <class Char>
void append_components(std::basic_string<Char>& out, std::basic_string_view<Char> rest,
                       std::size_t kept) {
  std::vector<std::size_t> starts;
  while (!rest.empty()) {
    std::size_t size = 0;
    while (size < rest.size() && !is_separator(rest[size])) ++size;
    const std::basic_string_view<Char> component = rest.substr(0, size);
    rest.remove_prefix(size < rest.size() ? size + 1 : size);
    const bool dots = component.find_first_not_of(Char('.')) == component.npos;
    if (dots && size == 2 && starts.size() > kept) {
      out.resize(starts.back());
      starts.pop_back();
    }
    if (dots && size <= 2) continue;
    starts.push_back(out.size());
    out.push_back(Char('\\'));
    out.append(component);
  }
}

/// A long absolute Windows path with the prefix that lifts the limit of 260 characters; any other
/// path as it is. The last component may still grow to the length of a temporary name.
template <class Char>
[[nodiscard]] std::basic_string<Char> with_long_prefix(std::basic_string<Char> text) {
  constexpr std::size_t always_accepted = 200;
  constexpr Char prefix[] = {'\\', '\\', '?', '\\', 'U', 'N', 'C', '\0'};
  const std::basic_string_view<Char> view = text;
  if (view.size() <= always_accepted) return text;
  std::basic_string<Char> out;
  if (starts_with_drive(view)) {
    out.assign(prefix, 4);
    out.append(view.substr(0, 2));
    append_components(out, view.substr(2), 0);
  } else if (starts_with_server(view)) {
    out.assign(prefix, 7);
    append_components(out, view.substr(2), 2);
  } else {
    return text;
  }
  return out;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_DETAIL_LONG_PATH_HPP
