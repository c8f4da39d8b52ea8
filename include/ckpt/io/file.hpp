#ifndef CKPT_IO_FILE_HPP
#define CKPT_IO_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "ckpt/base/io_contract.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/native_types.hpp"
#include "ckpt/io/native.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

/// A regular file that is open for reading: a source. Needs no right to write.
template <class Native = native>
class basic_file {
 public:
  basic_file() noexcept = default;

  /// Opens `name` without ever waiting for it.
  /// @errors empty_path, invalid_path, not_found, permission_denied, not_a_regular_file, busy,
  /// no_memory, input_output
  [[nodiscard]] static result<basic_file> open(const path& name) noexcept {
    if (const status usable = name.check(); !usable) return usable;
    const auto opened =
        detail::uninterrupted<Native>([&] { return Native::open_read(name.c_str()); });
    if (!opened.ok()) return detail::path_failure<Native>(opened);
    basic_file file;
    file.handle_ = detail::owned_handle<Native>(opened);
    detail::file_facts facts;
    const auto described =
        detail::uninterrupted<Native>([&] { return Native::describe(file.handle(), facts); });
    if (!described.ok()) return detail::call_failure<Native>(described);
    if (facts.kind != detail::file_kind::regular) return fail(errc::not_a_regular_file);
    file.size_ = facts.size;
    if (file.size_ == 0 && file.has_hidden_bytes()) return fail(errc::not_a_regular_file);
    return file;
  }

  /// False before `open` and after a move.
  [[nodiscard]] bool is_open() const noexcept { return handle_.is_open(); }
  /// The descriptor or HANDLE; stays with this object.
  [[nodiscard]] detail::native_handle handle() const noexcept { return handle_.get(); }

  /// Bytes when it was opened.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Fills `to` with the bytes from `offset` on.
  /// @errors truncated, input_output
  status read_at(std::uint64_t offset, bytes_span to) noexcept {
    const std::uint64_t end = offset + to.size();
    if (end < offset || end > detail::max_file_bytes)
      return fail(errc::truncated, end, size_).at(offset);
    while (!to.empty()) {
      const auto ask = detail::smaller(to.size(), Native::max_call_bytes);
      const auto piece = Native::make_piece(to.data(), static_cast<std::size_t>(ask));
      const auto done = detail::uninterrupted<Native>(
          [&] { return Native::read_at(handle(), offset, &piece, 1); });
      if (!done.ok()) return detail::call_failure<Native>(done).at(offset);
      if (done.value <= 0) return fail(errc::truncated, end, offset).at(offset);
      const auto moved = static_cast<std::size_t>(done.value);
      offset += moved;
      to = to.part(moved, to.size() - moved);
    }
    return {};
  }

 private:
  /// Files of /proc say that they are empty and give bytes all the same.
  [[nodiscard]] bool has_hidden_bytes() noexcept {
    std::byte first{};
    return read_at(0, bytes_span(&first, 1)).ok();
  }

  detail::owned_handle<Native> handle_;
  std::uint64_t size_ = 0;
};

/// A file of this system.
using native_file = basic_file<>;
static_assert(is_source_v<native_file>, "ckpt: a file must be a source");

}  // namespace ckpt

#endif  // CKPT_IO_FILE_HPP
