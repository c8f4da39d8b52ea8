#ifndef CKPT_BASE_DETAIL_CRC32C_ARM_HPP
#define CKPT_BASE_DETAIL_CRC32C_ARM_HPP

#include <cstdint>

#include "ckpt/config.hpp"

// The builtins that <arm_acle.h> stands for; each compiler has its own names for them.
#if CKPT_CRC32C_ARM != 0

namespace ckpt::detail {

#if defined(__aarch64__)
/// What one instruction takes.
using crc32c_word = std::uint64_t;
#else
/// What one instruction takes.
using crc32c_word = std::uint32_t;
#endif

/// Whether the processor has the instruction: the compiler was told so.
[[nodiscard]] constexpr bool has_crc32c_instruction() noexcept {
  return true;
}

/// Carries a state over the bytes of a little-endian word.
[[nodiscard]] inline crc32c_word crc32c_take_word(crc32c_word state, crc32c_word word) noexcept {
  const auto narrow = static_cast<std::uint32_t>(state);
#if defined(__clang__) && defined(__aarch64__)
  return __builtin_arm_crc32cd(narrow, word);
#elif defined(__aarch64__)
  return __builtin_aarch64_crc32cx(narrow, word);
#else
  return __builtin_arm_crc32cw(narrow, word);
#endif
}

/// Carries a state over one byte.
[[nodiscard]] inline std::uint32_t crc32c_take_byte(std::uint32_t state,
                                                    std::uint8_t byte) noexcept {
#if defined(__clang__) || !defined(__aarch64__)
  return __builtin_arm_crc32cb(state, byte);
#else
  return __builtin_aarch64_crc32cb(state, byte);
#endif
}

}  // namespace ckpt::detail

#endif  // CKPT_CRC32C_ARM

#endif  // CKPT_BASE_DETAIL_CRC32C_ARM_HPP
