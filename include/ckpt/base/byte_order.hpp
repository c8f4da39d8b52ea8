#ifndef CKPT_BASE_BYTE_ORDER_HPP
#define CKPT_BASE_BYTE_ORDER_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/span.hpp"
#include "ckpt/config.hpp"

namespace ckpt {

/// Order of the bytes of a number in memory.
enum class byte_order : std::uint8_t {
  little,
  big
};

/// The order of this host. Files are little-endian whatever it is.
inline constexpr byte_order host_byte_order =
    CKPT_BIG_ENDIAN_HOST != 0 ? byte_order::big : byte_order::little;

/// Reads an unsigned number stored little-endian at `from`, at any alignment.
template <class Unsigned>
[[nodiscard]] constexpr Unsigned load_little(const std::byte* from) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    value |= static_cast<std::uint64_t>(from[i]) << (8 * i);
  return static_cast<Unsigned>(value);
}

/// Stores an unsigned number little-endian at `to`, at any alignment.
template <class Unsigned>
constexpr void store_little(std::byte* to, Unsigned value) noexcept {
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    to[i] = static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xFFU);
}

/// The word whose bytes in the memory of this host are `value` stored little-endian. It is its own
/// inverse.
[[nodiscard]] constexpr std::uint32_t little_word(std::uint32_t value) noexcept {
  if constexpr (host_byte_order == byte_order::little) {
    return value;
  } else {
    return (value >> 24) | ((value >> 8) & 0xFF00U) | ((value << 8) & 0xFF0000U) | (value << 24);
  }
}

/// Makes words of the host into words of the file.
constexpr void make_little([[maybe_unused]] std::uint32_t* words,
                           [[maybe_unused]] std::size_t count) noexcept {
  if constexpr (host_byte_order == byte_order::big)
    for (std::size_t i = 0; i < count; ++i) words[i] = little_word(words[i]);
}

/// Turns round the bytes of each element of `width` bytes.
inline void reverse_elements(bytes_span elements, std::size_t width) noexcept {
  for (std::size_t first = 0; first + width <= elements.size(); first += width) {
    for (std::size_t i = 0; i < width / 2; ++i) {
      const std::byte kept = elements[first + i];
      elements[first + i] = elements[first + width - 1 - i];
      elements[first + width - 1 - i] = kept;
    }
  }
}

}  // namespace ckpt

#endif  // CKPT_BASE_BYTE_ORDER_HPP
