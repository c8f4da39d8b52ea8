#ifndef CKPT_CONFIG_HPP
#define CKPT_CONFIG_HPP

/// Every macro of the library. All are found out from the compiler; only CKPT_CRC32C_PORTABLE is
/// meant to be set by hand, and none changes the layout of a class.

/// 1 where exceptions are on. It only adds or removes `or_throw()`.
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define CKPT_EXCEPTIONS 1
#else
#define CKPT_EXCEPTIONS 0
#endif

/// 1 on big-endian hosts. Files are little-endian everywhere.
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CKPT_BIG_ENDIAN_HOST 1
#endif
#endif
#ifndef CKPT_BIG_ENDIAN_HOST
#define CKPT_BIG_ENDIAN_HOST 0
#endif

/// Define it as 1, in the whole program, to keep `crc32c_fast` from the instructions of the
/// processor. The result is the same.
#ifndef CKPT_CRC32C_PORTABLE
#define CKPT_CRC32C_PORTABLE 0
#endif

/// 1 where `crc32c_fast` may use SSE4.2 of x86, told by the compiler or asked for at run time.
/// Clang in the guise of MSVC is only told: its run-time library need not be there to be asked.
#if CKPT_CRC32C_PORTABLE != 0
#define CKPT_CRC32C_X86 0
#elif defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64) && !defined(_M_ARM64EC)
#define CKPT_CRC32C_X86 1
#elif defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define CKPT_CRC32C_X86 1
#elif defined(__SSE4_2__) && defined(__x86_64__)
#define CKPT_CRC32C_X86 1
#else
#define CKPT_CRC32C_X86 0
#endif

/// 1 where the compiler may use the CRC32 extension of Arm.
#if CKPT_CRC32C_PORTABLE == 0 && defined(__GNUC__) && defined(__ARM_FEATURE_CRC32)
#define CKPT_CRC32C_ARM 1
#else
#define CKPT_CRC32C_ARM 0
#endif

/// In front of functions with the instruction: lets a compiler use it that may not everywhere.
#if CKPT_CRC32C_X86 != 0 && defined(__GNUC__) && !defined(__SSE4_2__)
#define CKPT_CRC32C_TARGET [[gnu::target("sse4.2"), gnu::nothrow]]
#elif defined(__GNUC__)
#define CKPT_CRC32C_TARGET [[gnu::nothrow]]
#else
#define CKPT_CRC32C_TARGET
#endif

#endif  // CKPT_CONFIG_HPP
