#ifndef CKPT_MODEL_SHAPE_HPP
#define CKPT_MODEL_SHAPE_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace ckpt {

/// Dimensions that a shape can have.
inline constexpr std::size_t max_rank = 8;

/// A count or size that does not fit 64 bits.
inline constexpr std::uint64_t overflowed = ~std::uint64_t{0};

/// `a * b`, or `overflowed`.
[[nodiscard]] constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
  return a != 0 && b > overflowed / a ? overflowed : a * b;
}

/// Extents of a tensor, outermost first. Rank 0 is a scalar of one element; an extent of 0 makes
/// a tensor without elements.
class shape {
 public:
  constexpr shape() noexcept = default;

  /// `{784, 10}`; more than 8 extents make an invalid shape.
  constexpr shape(std::initializer_list<std::uint64_t> extents) noexcept {
    if (extents.size() > max_rank) rank_ = invalid_rank;
    for (const std::uint64_t extent : extents)
      if (rank_ < max_rank) extents_[rank_++] = extent;
  }

  /// `rank` extents from memory. A negative extent or a rank above 8 gives an invalid shape, which
  /// every use of the model reports.
  template <class Integer>
  constexpr shape(const Integer* extents, std::size_t rank) noexcept {
    static_assert(std::is_integral_v<Integer>, "ckpt: the extents of a shape are integers");
    for (std::size_t i = 0; i < rank && is_valid(); ++i) {
      append(static_cast<std::uint64_t>(extents[i]));
      if (is_negative(extents[i])) rank_ = invalid_rank;
    }
  }

  /// Whether it has at most 8 dimensions and no negative extent.
  [[nodiscard]] constexpr bool is_valid() const noexcept { return rank_ <= max_rank; }
  /// Dimensions; only of a valid shape.
  [[nodiscard]] constexpr std::size_t rank() const noexcept { return rank_; }
  /// Extent `axis`, which must be below `rank()`.
  [[nodiscard]] constexpr std::uint64_t operator[](std::size_t axis) const noexcept {
    return extents_[axis];
  }

  /// Number of elements; `overflowed` when it exceeds 64 bits or the shape is invalid.
  [[nodiscard]] constexpr std::uint64_t element_count() const noexcept {
    if (rank_ > max_rank) return overflowed;
    std::uint64_t count = 1;
    for (std::size_t i = 0; i < rank_; ++i) {
      const std::uint64_t extent = extents_[i];
      if (extent == 0) return 0;
      count = count > overflowed / extent ? overflowed : count * extent;
    }
    return count;
  }

  /// The same shape without one of its axes: what a row or column statistic has.
  [[nodiscard]] constexpr shape without(std::size_t axis) const noexcept {
    shape reduced;
    for (std::size_t i = 0; i < rank_; ++i)
      if (i != axis) reduced.append(extents_[i]);
    return reduced;
  }

  [[nodiscard]] friend constexpr bool operator==(const shape& a, const shape& b) noexcept {
    if (a.rank_ != b.rank_) return false;
    for (std::size_t i = 0; i < a.rank_ && i < max_rank; ++i)
      if (a.extents_[i] != b.extents_[i]) return false;
    return true;
  }
  [[nodiscard]] friend constexpr bool operator!=(const shape& a, const shape& b) noexcept {
    return !(a == b);
  }

 private:
  static constexpr std::uint8_t invalid_rank = 255;

  template <class Integer>
  static constexpr bool is_negative(Integer extent) noexcept {
    if constexpr (std::is_signed_v<Integer>) return extent < 0;
    return false;
  }

  constexpr void append(std::uint64_t extent) noexcept {
    if (rank_ < max_rank) {
      extents_[rank_++] = extent;
    } else {
      rank_ = invalid_rank;
    }
  }

  std::uint64_t extents_[max_rank] = {};
  std::uint8_t rank_ = 0;
};

}  // namespace ckpt

#endif  // CKPT_MODEL_SHAPE_HPP
