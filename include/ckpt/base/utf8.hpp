#ifndef CKPT_BASE_UTF8_HPP
#define CKPT_BASE_UTF8_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/name.hpp"

namespace ckpt {

namespace detail {

/// Bytes of the character that begins at `at`, or 0 where none does (RFC 3629: no overlong forms,
/// no surrogates, nothing above U+10FFFF).
[[nodiscard]] constexpr std::size_t utf8_length(name_view text, std::size_t at) noexcept {
  const auto byte = [text](std::size_t k) noexcept {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U;
  };
  const unsigned first = byte(at);
  if (first < 0x80U) return 1;
  const std::size_t length = first < 0xC2U   ? 0
                             : first < 0xE0U ? 2
                             : first < 0xF0U ? 3
                             : first < 0xF5U ? 4
                                             : 0;
  const unsigned least = first == 0xE0U ? 0xA0U : first == 0xF0U ? 0x90U : 0x80U;
  const unsigned most = first == 0xEDU ? 0x9FU : first == 0xF4U ? 0x8FU : 0xBFU;
  if (length == 0 || byte(at + 1) < least || byte(at + 1) > most) return 0;
  for (std::size_t k = 2; k < length; ++k)
    if (byte(at + k) < 0x80U || byte(at + k) > 0xBFU) return 0;
  return length;
}

}  // namespace detail

/// Whether text is UTF-8 without zeros.
// Names are nearly always ASCII, and a compiler counts its steps: four characters a step.
[[nodiscard]] constexpr bool is_utf8(name_view text) noexcept {
  const char* const c = text.data();
  const std::size_t size = text.size();
  for (std::size_t at = 0; at < size;) {
    if (at + 4 <= size && c[at] > 0 && c[at + 1] > 0 && c[at + 2] > 0 && c[at + 3] > 0 &&
        ((c[at] | c[at + 1] | c[at + 2] | c[at + 3]) & 0x80) == 0) {
      at += 4;
      continue;
    }
    const std::size_t length = c[at] == 0 ? 0 : detail::utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace ckpt

#endif  // CKPT_BASE_UTF8_HPP
