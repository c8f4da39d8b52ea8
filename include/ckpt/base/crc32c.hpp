#ifndef CKPT_BASE_CRC32C_HPP
#define CKPT_BASE_CRC32C_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/base/span.hpp"

/// CRC-32C (Castagnoli; the checksum of iSCSI, RFC 3720): reflected polynomial 0x82F63B78, initial
/// value and final exclusive or 0xFFFFFFFF. Of "123456789" it is 0xE3069283.
///
/// This header is the portable form, usable by the compiler; `ckpt/base/crc32c_fast.hpp` is the
/// same by the instructions of the processor.
namespace ckpt {

namespace detail {

inline constexpr std::uint32_t crc32c_polynomial = 0x82F63B78U;

/// Row 0 takes a byte; row k takes a byte that k more bytes follow.
using crc32c_rows = std::array<std::array<std::uint32_t, 256>, 8>;

[[nodiscard]] constexpr crc32c_rows make_crc32c_rows() noexcept {
  crc32c_rows rows{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit)
      value = (value & 1U) != 0 ? (value >> 1) ^ crc32c_polynomial : value >> 1;
    rows[0][byte] = value;
  }
  for (std::size_t row = 1; row < 8; ++row)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t shorter = rows[row - 1][byte];
      rows[row][byte] = (shorter >> 8) ^ rows[0][shorter & 0xFFU];
    }
  return rows;
}

inline constexpr crc32c_rows crc32c_table = make_crc32c_rows();

/// Eight bytes at a time.
[[nodiscard]] constexpr std::uint32_t crc32c_eight(std::uint32_t state,
                                                   const std::byte* bytes) noexcept {
  const std::uint32_t low = state ^ load_little<std::uint32_t>(bytes);
  const auto high = load_little<std::uint32_t>(bytes + 4);
  const crc32c_rows& t = crc32c_table;
  return t[7][low & 0xFFU] ^ t[6][(low >> 8) & 0xFFU] ^ t[5][(low >> 16) & 0xFFU] ^
         t[4][low >> 24] ^ t[3][high & 0xFFU] ^ t[2][(high >> 8) & 0xFFU] ^
         t[1][(high >> 16) & 0xFFU] ^ t[0][high >> 24];
}

/// Carries a state over bytes, without the exclusive or at both ends.
[[nodiscard]] constexpr std::uint32_t crc32c_portable(std::uint32_t state,
                                                      bytes_view bytes) noexcept {
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) state = crc32c_eight(state, bytes.data() + at);
  for (; at < bytes.size(); ++at) {
    const auto index = (state ^ static_cast<std::uint32_t>(bytes[at])) & 0xFFU;
    state = (state >> 8) ^ crc32c_table[0][index];
  }
  return state;
}

/// The product of two polynomials modulo that of the checksum, both reflected.
[[nodiscard]] constexpr std::uint32_t crc32c_multiply(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 0x80000000U; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b & 1U) != 0 ? (b >> 1) ^ crc32c_polynomial : b >> 1;
  }
  return product;
}

/// What `bytes` zero bytes do to a state: x^(8 * bytes) modulo the polynomial.
[[nodiscard]] constexpr std::uint32_t crc32c_shift(std::uint64_t bytes) noexcept {
  std::uint32_t power = 0x00800000U;  // x^8
  std::uint32_t shift = 0x80000000U;  // 1
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1U) != 0) shift = crc32c_multiply(shift, power);
    power = crc32c_multiply(power, power);
  }
  return shift;
}

}  // namespace detail

/// The checksum of bytes, or of what `before` covers followed by them.
/// @param before  checksum of the bytes in front
[[nodiscard]] constexpr std::uint32_t crc32c(bytes_view bytes, std::uint32_t before = 0) noexcept {
  return ~detail::crc32c_portable(~before, bytes);
}

/// The checksum of two runs of bytes one after the other, from their own checksums.
/// @param second_bytes  length of the second run
[[nodiscard]] constexpr std::uint32_t crc32c_combine(std::uint32_t first, std::uint32_t second,
                                                     std::uint64_t second_bytes) noexcept {
  return detail::crc32c_multiply(first, detail::crc32c_shift(second_bytes)) ^ second;
}

}  // namespace ckpt

#endif  // CKPT_BASE_CRC32C_HPP
