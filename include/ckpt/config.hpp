#ifndef CKPT_CONFIG_HPP
#define CKPT_CONFIG_HPP

/// Every macro of the library. All are found out from the compiler; none is meant to be set by
/// hand and none changes the layout of a class.

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

#endif  // CKPT_CONFIG_HPP
