#ifndef CKPT_BASE_DETAIL_CRC32C_X86_HPP
#define CKPT_BASE_DETAIL_CRC32C_X86_HPP

#include <cstdint>

#include "ckpt/config.hpp"

// The builtins of the compilers, and for MSVC the intrinsics declared by hand: the headers that
// declare them are heavier than all of the core.
#if CKPT_CRC32C_X86 != 0

#if defined(_MSC_VER) && !defined(__clang__)
extern "C" {
unsigned int _mm_crc32_u8(unsigned int, unsigned char);
unsigned __int64 _mm_crc32_u64(unsigned __int64, unsigned __int64);
void __cpuid(int[4], int);
}
#pragma intrinsic(_mm_crc32_u8, _mm_crc32_u64, __cpuid)
#endif

namespace ckpt::detail {

#if defined(__x86_64__) || defined(_M_X64)
/// What one instruction takes. It also carries the state: one in 64 bits needs no extension.
using crc32c_word = std::uint64_t;
#else
/// What one instruction takes.
using crc32c_word = std::uint32_t;
#endif

#if defined(_MSC_VER) && !defined(__clang__)
[[nodiscard]] inline bool ask_for_crc32c() noexcept {
  int registers[4] = {};
  __cpuid(registers, 1);
  return (registers[2] & (1 << 20)) != 0;  // ECX, SSE4.2
}
/// Asked once, since a virtual machine takes a microsecond to answer. Before it is asked, in the
/// constructors of statics, it is false: the portable form gives the same.
inline const bool crc32c_was_found = ask_for_crc32c();
#endif

/// Whether the processor has the instruction.
[[nodiscard]] inline bool has_crc32c_instruction() noexcept {
#if defined(__SSE4_2__)
  return true;
#elif defined(_MSC_VER) && !defined(__clang__)
  return crc32c_was_found;
#else
  // A variable of the compiler's run-time library, set before any constructor of ours.
  return __builtin_cpu_supports("sse4.2") != 0;
#endif
}

// GCC believes that its builtin may throw, so `noexcept` would need a handler for that; the
// attribute `nothrow`, a part of CKPT_CRC32C_TARGET, needs none.

/// Carries a state over the bytes of a little-endian word.
CKPT_CRC32C_TARGET [[nodiscard]] inline crc32c_word crc32c_take_word(crc32c_word state,
                                                                     crc32c_word word) {
#if defined(_MSC_VER) && !defined(__clang__)
  return _mm_crc32_u64(state, word);
#elif defined(__x86_64__)
  return __builtin_ia32_crc32di(state, word);
#else
  return __builtin_ia32_crc32si(state, word);
#endif
}

/// Carries a state over one byte.
CKPT_CRC32C_TARGET [[nodiscard]] inline std::uint32_t crc32c_take_byte(std::uint32_t state,
                                                                       std::uint8_t byte) {
#if defined(_MSC_VER) && !defined(__clang__)
  return _mm_crc32_u8(state, byte);
#else
  return __builtin_ia32_crc32qi(state, byte);
#endif
}

}  // namespace ckpt::detail

#endif  // CKPT_CRC32C_X86

#endif  // CKPT_BASE_DETAIL_CRC32C_X86_HPP
