#ifndef CKPT_IO_DETAIL_TEMPORARY_NAME_HPP
#define CKPT_IO_DETAIL_TEMPORARY_NAME_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "ckpt/io/detail/path_text.hpp"

namespace ckpt {

namespace detail {

/// Longer names give way to their beginning and a hash, so that what is put around them never
/// exceeds the limit of any file system in use (143 bytes, eCryptfs).
inline constexpr std::size_t longest_kept_name = 100;

template <class Char>
[[nodiscard]] constexpr std::uint64_t name_hash(std::basic_string_view<Char> name) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const Char c : name)
    hash = (hash ^ static_cast<std::uint64_t>(c)) * std::uint64_t{0x100000001B3U};
  return hash;
}

/// Whether a cut before this unit would split a character.
template <class Char>
[[nodiscard]] constexpr bool is_continuation(Char c) noexcept {
  const auto unit = static_cast<std::uint32_t>(static_cast<std::make_unsigned_t<Char>>(c));
  return is_wide_v<Char> ? (unit & 0xFC00U) == 0xDC00U : (unit & 0xC0U) == 0x80U;
}

template <class Char>
void append_number(std::basic_string<Char>& out, std::uint64_t number, unsigned base) {
  Char digits[20] = {};
  std::size_t first = 20;
  do {
    const auto digit = static_cast<unsigned>(number % base);
    digits[--first] = static_cast<Char>(digit < 10 ? '0' + digit : 'a' + (digit - 10));
    number /= base;
  } while (number != 0);
  out.append(digits + first, 20 - first);
}

/// Temporary `number` of the file `name`: .<name>.<number>.ckpt-tmp
template <class Char>
[[nodiscard]] std::basic_string<Char> temporary_name(std::basic_string_view<Char> name,
                                                     std::uint32_t number) {
  std::basic_string<Char> out(1, Char('.'));
  if (name.size() <= longest_kept_name) {
    out.append(name);
  } else {
    std::size_t cut = longest_kept_name - 17;
    while (cut > 0 && is_continuation(name[cut])) --cut;
    out.append(name.substr(0, cut));
    out.push_back(Char('~'));
    append_number(out, name_hash(name), 16);
  }
  out.push_back(Char('.'));
  append_number(out, number, 10);
  for (const char c : {'.', 'c', 'k', 'p', 't', '-', 't', 'm', 'p'}) out.push_back(Char(c));
  return out;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_DETAIL_TEMPORARY_NAME_HPP
