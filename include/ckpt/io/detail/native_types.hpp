#ifndef CKPT_IO_DETAIL_NATIVE_TYPES_HPP
#define CKPT_IO_DETAIL_NATIVE_TYPES_HPP

#include <cstdint>

namespace ckpt {

namespace detail {

/// What one call to the operating system gave: a value, or its error number.
struct native_result {
  std::int64_t value = 0;
  int error = 0;  ///< 0, or errno or GetLastError()

  [[nodiscard]] constexpr bool ok() const noexcept { return error == 0; }
};

/// A file descriptor, or a HANDLE as a number.
using native_handle = std::intptr_t;
inline constexpr native_handle no_handle = -1;

/// No file ends behind this byte, on any system.
inline constexpr std::uint64_t max_file_bytes = 0x7FFFFFFFFFFFFFFFU;

enum class file_kind : std::uint8_t {
  regular,
  directory,
  other
};

/// What the system tells about a file without reading it.
struct file_facts {
  file_kind kind = file_kind::other;
  std::uint32_t mode = 0;  ///< permission bits; 0 where there are none
  std::uint64_t size = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t link_count = 0;
};

[[nodiscard]] constexpr bool same_file(const file_facts& a, const file_facts& b) noexcept {
  return a.device == b.device && a.inode == b.inode;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_DETAIL_NATIVE_TYPES_HPP
