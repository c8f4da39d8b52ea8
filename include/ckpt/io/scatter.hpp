#ifndef CKPT_IO_SCATTER_HPP
#define CKPT_IO_SCATTER_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/sort.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/native_types.hpp"
#include "ckpt/io/file.hpp"
#include "ckpt/io/native.hpp"
#include "ckpt/io/transfer.hpp"

namespace ckpt {

/// Reads many pieces of a file, each straight to its place in memory, in few system calls. The
/// file must stay open. About 44 KiB large; takes no other memory.
template <class Native = native>
class basic_scatter_reader {
 public:
  /// Pieces that wait before a read is forced.
  static constexpr std::size_t capacity = 512;
  /// A gap up to this size is read over; a larger one starts a new call.
  static constexpr std::size_t largest_hole = 16384;

  /// Reads from this file, which must be open.
  explicit basic_scatter_reader(const basic_file<Native>& from) noexcept : from_(from.handle()) {}
  basic_scatter_reader(const basic_scatter_reader&) = delete;
  basic_scatter_reader& operator=(const basic_scatter_reader&) = delete;

  /// Asks for the bytes from `offset` on. `to` is filled when `flush()` returns, at the latest.
  /// @errors truncated, input_output
  status queue(std::uint64_t offset, bytes_span to) noexcept {
    if (to.empty()) return {};
    if (offset > detail::max_file_bytes || to.size() > detail::max_file_bytes - offset)
      return fail(errc::truncated, offset + to.size()).at(offset);
    if (continues_last(offset, to)) {
      requests_[count_ - 1].size += to.size();
      return {};
    }
    if (count_ == capacity) {
      if (const status done = flush(); !done) return done;
    }
    sorted_ = sorted_ && (count_ == 0 || requests_[count_ - 1].offset <= offset);
    requests_[count_++] = {offset, to.data(), to.size()};
    return {};
  }

  /// Reads all that waits. After a failure nothing waits any more, and what was asked for is in
  /// an unknown state.
  /// @errors truncated, input_output
  status flush() noexcept {
    if (!sorted_) {
      sort_in_place(requests_, count_,
                    [](const request& a, const request& b) { return a.offset < b.offset; });
    }
    status outcome;
    for (position at; outcome.ok() && at.next < count_;) outcome = read_once(at);
    count_ = 0;
    sorted_ = true;
    return outcome;
  }

  /// What was moved since this object was made.
  [[nodiscard]] const transfer_counts& counts() const noexcept { return counts_; }

 private:
  using piece = typename Native::piece;

  struct request {
    std::uint64_t offset = 0;
    std::byte* data = nullptr;
    std::size_t size = 0;

    [[nodiscard]] std::uint64_t end() const noexcept { return offset + size; }
  };

  /// The request to go on with, and how many of its bytes are there.
  struct position {
    std::size_t next = 0;
    std::size_t done = 0;
  };

  /// The pieces of one call.
  struct plan {
    std::uint64_t offset = 0;  // of the first byte asked for
    std::uint64_t end = 0;     // of the last one
    std::uint64_t room = Native::max_call_bytes;
    std::size_t pieces = 0;
    std::size_t last = 0;  // the first request that is not in it
  };

  static constexpr std::size_t max_pieces = Native::max_pieces < 1024 ? Native::max_pieces : 1024;
  static_assert(max_pieces > 0, "ckpt: a native seam must take at least one piece per call");

  [[nodiscard]] bool continues_last(std::uint64_t offset, bytes_span to) const noexcept {
    if (count_ == 0) return false;
    const request& last = requests_[count_ - 1];
    return last.end() == offset && last.data + last.size == to.data();
  }

  void add(plan& call, std::byte* data, std::size_t size) noexcept {
    pieces_[call.pieces++] = Native::make_piece(data, size);
    call.end += size;
    call.room -= size;
  }

  /// Reads over the bytes up to `offset`; false if the next piece needs a call of its own.
  [[nodiscard]] bool bridge(plan& call, std::uint64_t offset) noexcept {
    if (offset == call.end) return true;
    if (offset < call.end || offset - call.end > largest_hole) return false;
    const auto hole = static_cast<std::size_t>(offset - call.end);
    if constexpr (max_pieces > 1) {
      if (hole >= call.room || call.pieces > max_pieces - 2) return false;
      add(call, scratch_, hole);
      return true;
    } else {
      return false;
    }
  }

  [[nodiscard]] plan plan_call(const position& at) noexcept {
    plan call;
    call.offset = call.end = requests_[at.next].offset + at.done;
    std::size_t skip = at.done;
    for (call.last = at.next; call.last < count_; ++call.last, skip = 0) {
      const request& wanted = requests_[call.last];
      if (call.pieces == max_pieces || call.room == 0) break;
      if (!bridge(call, wanted.offset + skip)) break;
      const std::size_t rest = wanted.size - skip;
      add(call, wanted.data + skip, static_cast<std::size_t>(detail::smaller(rest, call.room)));
    }
    return call;
  }

  [[nodiscard]] status read_once(position& at) noexcept {
    const plan call = plan_call(at);
    const auto done = detail::uninterrupted<Native>(
        [&] { return Native::read_at(from_, call.offset, pieces_, call.pieces); });
    if (!done.ok()) return detail::call_failure<Native>(done).at(call.offset);
    if (done.value <= 0)
      return fail(errc::truncated, requests_[at.next].end(), call.offset).at(call.offset);
    ++counts_.calls;
    counts_.bytes += static_cast<std::uint64_t>(done.value);
    advance(at, call.last, call.offset + static_cast<std::uint64_t>(done.value));
    return {};
  }

  /// Moves on after a call that read up to `end`, which may be inside of a piece or a hole.
  void advance(position& at, std::size_t last, std::uint64_t end) const noexcept {
    for (; at.next < last; ++at.next, at.done = 0) {
      const request& wanted = requests_[at.next];
      if (wanted.end() <= end) continue;
      if (wanted.offset < end) at.done = static_cast<std::size_t>(end - wanted.offset);
      return;
    }
  }

  detail::native_handle from_;
  std::size_t count_ = 0;
  bool sorted_ = true;
  transfer_counts counts_;
  request requests_[capacity];
  piece pieces_[max_pieces];         // of the call being made
  std::byte scratch_[largest_hole];  // what lies in holes; never read
};

/// A scatter reader of this system.
using scatter_reader = basic_scatter_reader<>;
static_assert(sizeof(scatter_reader) < 49152, "ckpt: a scatter reader must fit small stacks");

}  // namespace ckpt

#endif  // CKPT_IO_SCATTER_HPP
