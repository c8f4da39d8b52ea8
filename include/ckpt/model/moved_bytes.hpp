#ifndef CKPT_MODEL_MOVED_BYTES_HPP
#define CKPT_MODEL_MOVED_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ckpt/base/span.hpp"

namespace ckpt::detail {

/// Bytes of a memory that have moved within it: those from `first` to `end` now stand `shift`
/// further back.
class moved_bytes {
 public:
  moved_bytes(const std::byte* first, const std::byte* end, std::size_t shift) noexcept
      : first_(address_of(first)), end_(address_of(end)), shift_(shift) {}

  /// Copies bytes from where they are by now.
  /// @param from  where they were before the move, in this memory or anywhere else
  void copy(bytes_view from, std::byte* to) const noexcept {
    const std::size_t still = count_unmoved(from);
    if (still > 0) std::memmove(to, from.data(), still);
    if (still < from.size())
      std::memmove(to + still, from.data() + still + shift_, from.size() - still);
  }

 private:
  // As numbers, because pointers into different objects have no order.
  [[nodiscard]] static std::uintptr_t address_of(const std::byte* place) noexcept {
    return reinterpret_cast<std::uintptr_t>(place);
  }

  [[nodiscard]] std::size_t count_unmoved(bytes_view from) const noexcept {
    const std::uintptr_t begin = address_of(from.data());
    if (begin >= end_ || begin + from.size() <= first_) return from.size();
    return begin >= first_ ? 0 : static_cast<std::size_t>(first_ - begin);
  }

  std::uintptr_t first_;
  std::uintptr_t end_;
  std::size_t shift_;
};

}  // namespace ckpt::detail

#endif  // CKPT_MODEL_MOVED_BYTES_HPP
