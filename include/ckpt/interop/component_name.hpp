#ifndef CKPT_INTEROP_COMPONENT_NAME_HPP
#define CKPT_INTEROP_COMPONENT_NAME_HPP

#include <cstddef>

#include "ckpt/base/name.hpp"
#include "ckpt/base/utf8.hpp"

/// Names of tensors that become names of files. What is refused is the same on every system, so
/// that a tree that was written on one can be copied to any other.
namespace ckpt {

namespace detail {

/// Longer names are beyond what common file systems hold.
inline constexpr std::size_t longest_component = 255;

[[nodiscard]] constexpr char upper_letter(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Whether the first `length` characters are those of `word`, in letters of any size.
[[nodiscard]] constexpr bool is_word(name_view name, std::size_t length, name_view word) noexcept {
  if (length != word.size()) return false;
  for (std::size_t i = 0; i < length; ++i)
    if (upper_letter(name[i]) != word[i]) return false;
  return true;
}

/// Whether Windows takes the name for that of a device, whatever extension it has.
[[nodiscard]] constexpr bool is_device_name(name_view name) noexcept {
  std::size_t length = 0;
  while (length < name.size() && name[length] != '.') ++length;
  while (length > 0 && name[length - 1] == ' ') --length;
  for (const name_view word : {name_view("CON"), name_view("PRN"), name_view("AUX"),
                               name_view("NUL"), name_view("CONIN$"), name_view("CONOUT$")})
    if (is_word(name, length, word)) return true;
  if (length != 4 || name[3] < '0' || name[3] > '9') return false;
  return is_word(name, 3, "COM") || is_word(name, 3, "LPT");
}

/// Whether a name that a file system gave can be the name of a tensor: UTF-8, nothing that moves
/// a cursor or separates directories anywhere.
[[nodiscard]] constexpr bool is_harmless_name(name_view name) noexcept {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (c < 0x20U || c == 0x7FU || c == '/' || c == '\\') return false;
  }
  return !name.empty() && is_utf8(name);
}

/// Whether a name can be one component of a path on every system: it does not lead anywhere else,
/// is no device, and is given back as it was.
[[nodiscard]] constexpr bool is_component(name_view name) noexcept {
  if (!is_harmless_name(name) || name.size() > longest_component) return false;
  for (std::size_t i = 0; i < name.size(); ++i)
    for (const char forbidden : {'<', '>', ':', '"', '|', '?', '*'})
      if (name[i] == forbidden) return false;
  const char last = name[name.size() - 1];
  return last != '.' && last != ' ' && !is_device_name(name);
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_INTEROP_COMPONENT_NAME_HPP
