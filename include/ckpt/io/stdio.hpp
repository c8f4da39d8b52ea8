#ifndef CKPT_IO_STDIO_HPP
#define CKPT_IO_STDIO_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "ckpt/base/io_contract.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/errno_kind.hpp"

namespace ckpt {

namespace detail {

/// The failure of a stdio call before which errno was set to 0.
[[nodiscard]] inline status stdio_failure() noexcept {
  const int error = errno;
  return os_failure(error == 0 ? errc::input_output : errno_kind(error), error);
}

// Positions beyond 2 GiB need other functions than fseek and ftell, on most systems.
#if defined(_WIN32)
using stdio_offset = __int64;
inline int stdio_seek(std::FILE* file, stdio_offset to, int origin) noexcept {
  return ::_fseeki64(file, to, origin);
}
inline stdio_offset stdio_tell(std::FILE* file) noexcept {
  return ::_ftelli64(file);
}
#elif defined(__unix__) || defined(__APPLE__)
using stdio_offset = decltype(::ftello(nullptr));
inline int stdio_seek(std::FILE* file, stdio_offset to, int origin) noexcept {
  return ::fseeko(file, to, origin);
}
inline stdio_offset stdio_tell(std::FILE* file) noexcept {
  return ::ftello(file);
}
#else
using stdio_offset = long;
inline int stdio_seek(std::FILE* file, stdio_offset to, int origin) noexcept {
  return std::fseek(file, to, origin);
}
inline stdio_offset stdio_tell(std::FILE* file) noexcept {
  return std::ftell(file);
}
#endif

}  // namespace detail

/// A sink over a stream of the caller, which must be open for writing in binary mode. It begins
/// where the stream stands, need not be able to seek, and neither closes nor syncs.
class stdio_sink {
 public:
  /// Writes to `to`, opened by the caller in binary mode.
  explicit stdio_sink(std::FILE* to) noexcept : to_(to) {}

  /// The next bytes.
  /// @errors no_space, input_output
  status append(bytes_view bytes) noexcept {
    if (to_ == nullptr) return fail(errc::input_output);
    if (bytes.empty()) return {};
    errno = 0;
    if (std::fwrite(bytes.data(), 1, bytes.size(), to_) != bytes.size())
      return detail::stdio_failure();
    return {};
  }

  /// Hands everything to the system.
  /// @errors no_space, input_output
  status flush() noexcept {
    if (to_ == nullptr) return fail(errc::input_output);
    errno = 0;
    if (std::fflush(to_) != 0 || std::ferror(to_) != 0) return detail::stdio_failure();
    return {};
  }

 private:
  std::FILE* to_;
};

/// A source over a stream of the caller, which must be open for reading in binary mode and able to
/// seek. Offsets count from the beginning of the file; the position of the stream is moved.
class stdio_source {
 public:
  stdio_source() noexcept = default;

  /// Finds the size of the file.
  /// @errors input_output (also if `from` is null or cannot seek)
  [[nodiscard]] static result<stdio_source> open(std::FILE* from) noexcept {
    if (from == nullptr) return fail(errc::input_output);
    errno = 0;
    if (detail::stdio_seek(from, 0, SEEK_END) != 0) return detail::stdio_failure();
    const detail::stdio_offset end = detail::stdio_tell(from);
    if (end < 0) return detail::stdio_failure();
    stdio_source source;
    source.from_ = from;
    source.size_ = static_cast<std::uint64_t>(end);
    return source;
  }

  /// Bytes when it was opened.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Fills `to` with the bytes from `offset` on.
  /// @errors truncated, input_output
  status read_at(std::uint64_t offset, bytes_span to) noexcept {
    if (offset > size_ || to.size() > size_ - offset)
      return fail(errc::truncated, offset + to.size(), size_).at(offset);
    if (to.empty()) return {};
    errno = 0;
    if (detail::stdio_seek(from_, static_cast<detail::stdio_offset>(offset), SEEK_SET) != 0)
      return detail::stdio_failure().at(offset);
    const std::size_t got = std::fread(to.data(), 1, to.size(), from_);
    if (got == to.size()) return {};
    if (std::ferror(from_) != 0) return detail::stdio_failure().at(offset + got);
    return fail(errc::truncated, offset + to.size(), offset + got).at(offset + got);
  }

 private:
  std::FILE* from_ = nullptr;
  std::uint64_t size_ = 0;
};

static_assert(is_sink_v<stdio_sink> && is_source_v<stdio_source>,
              "ckpt: stdio_sink must be a sink and stdio_source a source");

}  // namespace ckpt

#endif  // CKPT_IO_STDIO_HPP
