#ifndef CKPT_BASE_CRC32C_FAST_HPP
#define CKPT_BASE_CRC32C_FAST_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/base/crc32c.hpp"
#include "ckpt/base/detail/crc32c_arm.hpp"
#include "ckpt/base/detail/crc32c_x86.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/config.hpp"

namespace ckpt {

#if CKPT_CRC32C_X86 != 0 || CKPT_CRC32C_ARM != 0

namespace detail {

/// What a run of zero bytes does to each half of each byte of a state. The whole state is the
/// exclusive or of eight of them: half a KiB a length of run, which stays in the cache.
using crc32c_halves = std::array<std::array<std::uint32_t, 16>, 8>;

[[nodiscard]] constexpr crc32c_halves make_crc32c_halves(std::uint64_t zero_bytes) noexcept {
  crc32c_halves halves{};
  std::uint32_t power = crc32c_shift(zero_bytes);  // of the topmost bit, which is x^0
  for (std::size_t bit = 32; bit-- > 0;) {
    halves[bit / 4][std::size_t{1} << (bit % 4)] = power;
    power = (power & 1U) != 0 ? (power >> 1) ^ crc32c_polynomial : power >> 1;
  }
  for (auto& half : halves)
    for (std::size_t value = 3; value < 16; ++value) {
      const std::size_t without_lowest = value & (value - 1);
      half[value] = half[without_lowest] ^ half[value ^ without_lowest];
    }
  return halves;
}

template <std::size_t ZeroBytes>
inline constexpr crc32c_halves crc32c_zeros = make_crc32c_halves(ZeroBytes);

/// Carries a state over `ZeroBytes` zero bytes.
template <std::size_t ZeroBytes>
[[nodiscard]] inline std::uint32_t crc32c_take_zeros(crc32c_word state) noexcept {
  const crc32c_halves& t = crc32c_zeros<ZeroBytes>;
  return (t[0][state & 0xFU] ^ t[1][(state >> 4) & 0xFU]) ^
         (t[2][(state >> 8) & 0xFU] ^ t[3][(state >> 12) & 0xFU]) ^
         (t[4][(state >> 16) & 0xFU] ^ t[5][(state >> 20) & 0xFU]) ^
         (t[6][(state >> 24) & 0xFU] ^ t[7][(state >> 28) & 0xFU]);
}

[[nodiscard]] inline crc32c_word load_crc32c_word(const std::byte* from) noexcept {
  if constexpr (host_byte_order == byte_order::big) return load_little<crc32c_word>(from);
  crc32c_word word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// Carries a state over as many times three lanes of `Lane` bytes as there are, and takes them off
/// `bytes`. The instruction has a latency of three cycles and one can start in each, so three
/// lanes that do not wait for each other are three times as fast as one.
template <std::size_t Lane>
CKPT_CRC32C_TARGET [[nodiscard]] inline std::uint32_t crc32c_take_lanes(std::uint32_t state,
                                                                        bytes_view& bytes) {
  static_assert(Lane % sizeof(crc32c_word) == 0);
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * Lane; left -= 3 * Lane) {
    crc32c_word first = state;
    crc32c_word second = 0;
    crc32c_word third = 0;
    for (const std::byte* const end = at + Lane; at != end; at += sizeof(crc32c_word)) {
      first = crc32c_take_word(first, load_crc32c_word(at));
      second = crc32c_take_word(second, load_crc32c_word(at + Lane));
      third = crc32c_take_word(third, load_crc32c_word(at + 2 * Lane));
    }
    at += 2 * Lane;
    second ^= crc32c_take_zeros<Lane>(first);
    state = crc32c_take_zeros<Lane>(second) ^ static_cast<std::uint32_t>(third);
  }
  bytes = bytes_view(at, left);
  return state;
}

/// Carries a state over bytes by the instruction, which the processor must have.
CKPT_CRC32C_TARGET [[nodiscard]] inline std::uint32_t crc32c_by_instruction(std::uint32_t state,
                                                                            bytes_view bytes) {
  state = crc32c_take_lanes<4096>(state, bytes);
  state = crc32c_take_lanes<512>(state, bytes);
  state = crc32c_take_lanes<64>(state, bytes);
  crc32c_word wide = state;
  std::size_t at = 0;
  for (; at + sizeof wide <= bytes.size(); at += sizeof wide)
    wide = crc32c_take_word(wide, load_crc32c_word(bytes.data() + at));
  state = static_cast<std::uint32_t>(wide);
  for (; at < bytes.size(); ++at)
    state = crc32c_take_byte(state, static_cast<std::uint8_t>(bytes[at]));
  return state;
}

}  // namespace detail

#endif

/// The same as `crc32c`, by the instructions of the processor where it has any: SSE4.2 of x86,
/// asked for at run time, and the CRC32 extension of Arm, if the compiler is told to use it.
/// @param before  checksum of the bytes in front
[[nodiscard]] inline std::uint32_t crc32c_fast(bytes_view bytes,
                                               std::uint32_t before = 0) noexcept {
#if CKPT_CRC32C_X86 != 0 || CKPT_CRC32C_ARM != 0
  if (detail::has_crc32c_instruction()) return ~detail::crc32c_by_instruction(~before, bytes);
#endif
  return crc32c(bytes, before);
}

}  // namespace ckpt

#endif  // CKPT_BASE_CRC32C_FAST_HPP
