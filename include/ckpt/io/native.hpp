#ifndef CKPT_IO_NATIVE_HPP
#define CKPT_IO_NATIVE_HPP

#if defined(_WIN32)
#include "ckpt/io/detail/windows.hpp"
#else
#include "ckpt/io/detail/posix.hpp"
#endif

namespace ckpt {

/// The calls of the operating system: what every class here that touches files stands on, and what
/// a test may replace by a seam of its own (any struct with the same static members).
#if defined(_WIN32)
using native = detail::windows_native;
#else
using native = detail::posix_native;
#endif

static_assert(native::max_call_bytes <= 0x7FFFF000,
              "ckpt: Linux moves at most 0x7ffff000 bytes a call, macOS refuses more than INT_MAX");

}  // namespace ckpt

#endif  // CKPT_IO_NATIVE_HPP
