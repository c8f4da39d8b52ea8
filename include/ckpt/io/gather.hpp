#ifndef CKPT_IO_GATHER_HPP
#define CKPT_IO_GATHER_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/io_contract.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/native_types.hpp"
#include "ckpt/io/native.hpp"
#include "ckpt/io/transfer.hpp"

namespace ckpt {

/// Writes many views of memory, each straight from its place, in few system calls: a sink. It
/// borrows what is appended until `flush()`, and the handle for its life.
template <class Native = native>
class basic_gather_writer {
 public:
  /// Pieces that wait before a write is forced.
  static constexpr std::size_t capacity = Native::max_pieces < 1024 ? Native::max_pieces : 1024;

  basic_gather_writer() noexcept = default;
  /// Writes to an open file from byte `first` on.
  explicit basic_gather_writer(detail::native_handle to, std::uint64_t first = 0) noexcept
      : to_(to), offset_(first) {}

  /// The next bytes. Once a write has failed, every further call reports that failure.
  /// @errors no_space, input_output
  status append(bytes_view bytes) noexcept {
    if (!outcome_.ok() || bytes.empty()) return outcome_;
    if (continues_last(bytes)) {
      last_size_ += bytes.size();
      pieces_[count_ - 1] = Native::make_piece(last_data_, last_size_);
    } else {
      if (count_ == capacity && !flush()) return outcome_;
      last_data_ = bytes.data();
      last_size_ = bytes.size();
      pieces_[count_++] = Native::make_piece(last_data_, last_size_);
    }
    waiting_bytes_ += bytes.size();
    // Waiting for more would not make the calls any larger.
    return waiting_bytes_ >= Native::max_call_bytes ? flush() : outcome_;
  }

  /// Writes all that waits; nothing appended so far is needed any more.
  /// @errors no_space, input_output
  status flush() noexcept {
    std::size_t first = 0;
    while (outcome_.ok() && first < count_) outcome_ = write_once(first);
    count_ = 0;
    waiting_bytes_ = 0;
    return outcome_;
  }

  /// Where in the file the next byte goes.
  [[nodiscard]] std::uint64_t position() const noexcept { return offset_ + waiting_bytes_; }
  /// What was moved since this object was made.
  [[nodiscard]] const transfer_counts& counts() const noexcept { return counts_; }

 private:
  using piece = typename Native::piece;
  static_assert(capacity > 0, "ckpt: a native seam must take at least one piece per call");

  [[nodiscard]] bool continues_last(bytes_view bytes) const noexcept {
    return count_ > 0 && last_data_ + last_size_ == bytes.data();
  }

  /// The number of pieces from `first` on that one call may take, and how much of the last one.
  [[nodiscard]] std::size_t fit(std::size_t first, std::size_t& last_size) const noexcept {
    std::uint64_t room = Native::max_call_bytes;
    std::size_t at = first;
    do {
      last_size = static_cast<std::size_t>(detail::smaller(Native::piece_size(pieces_[at]), room));
      room -= last_size;
      ++at;
    } while (at < count_ && room > 0);
    return at - first;
  }

  [[nodiscard]] status write_once(std::size_t& first) noexcept {
    std::size_t last_size = 0;
    const std::size_t count = fit(first, last_size);
    piece& last = pieces_[first + count - 1];
    const piece whole = last;
    last = Native::make_piece(Native::piece_data(whole), last_size);
    const auto done = detail::uninterrupted<Native>(
        [&] { return Native::write_at(to_, offset_, pieces_ + first, count); });
    last = whole;
    if (!done.ok()) return detail::call_failure<Native>(done).at(offset_);
    if (done.value <= 0) return fail(errc::input_output).at(offset_);
    ++counts_.calls;
    counts_.bytes += static_cast<std::uint64_t>(done.value);
    offset_ += static_cast<std::uint64_t>(done.value);
    drop(first, static_cast<std::uint64_t>(done.value));
    return {};
  }

  /// Moves `first` behind what is written, which may end inside of a piece.
  void drop(std::size_t& first, std::uint64_t written) noexcept {
    for (; first < count_; ++first) {
      const std::size_t size = Native::piece_size(pieces_[first]);
      if (size > written) break;
      written -= size;
    }
    if (written == 0) return;
    const auto gone = static_cast<std::size_t>(written);
    pieces_[first] = Native::make_piece(Native::piece_data(pieces_[first]) + gone,
                                        Native::piece_size(pieces_[first]) - gone);
  }

  detail::native_handle to_ = detail::no_handle;
  std::uint64_t offset_ = 0;  // of the first byte that waits
  std::uint64_t waiting_bytes_ = 0;
  std::size_t count_ = 0;
  const std::byte* last_data_ = nullptr;
  std::size_t last_size_ = 0;
  status outcome_;
  transfer_counts counts_;
  piece pieces_[capacity] = {};
};

/// A gather writer of this system.
using gather_writer = basic_gather_writer<>;
static_assert(is_sink_v<gather_writer>, "ckpt: a gather writer must be a sink");

}  // namespace ckpt

#endif  // CKPT_IO_GATHER_HPP
