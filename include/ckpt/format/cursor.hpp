#ifndef CKPT_FORMAT_CURSOR_HPP
#define CKPT_FORMAT_CURSOR_HPP

#include <cstdint>

#include "ckpt/model/shape.hpp"

namespace ckpt {

/// The place where the next bytes of a file go. All offsets of the library are added up here; a
/// sum beyond 64 bits stays `overflowed`.
class cursor {
 public:
  /// Begins at byte `position` of the file.
  constexpr explicit cursor(std::uint64_t position) noexcept : position_(position) {}

  /// Takes the next `bytes` bytes and returns where they begin.
  constexpr std::uint64_t take(std::uint64_t bytes) noexcept {
    const std::uint64_t begin = position_;
    position_ = bytes > overflowed - position_ ? overflowed : position_ + bytes;
    return begin;
  }

  /// Goes on at the next multiple of `alignment`, a power of two.
  constexpr void align(std::uint64_t alignment) noexcept {
    const std::uint64_t rest = position_ & (alignment - 1);
    if (rest != 0) take(alignment - rest);
  }

  /// Where the next bytes go.
  [[nodiscard]] constexpr std::uint64_t position() const noexcept { return position_; }

 private:
  std::uint64_t position_;
};

}  // namespace ckpt

#endif  // CKPT_FORMAT_CURSOR_HPP
