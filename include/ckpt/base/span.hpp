#ifndef CKPT_BASE_SPAN_HPP
#define CKPT_BASE_SPAN_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ckpt {

/// A run of `size()` elements that somebody else owns. What C++20 calls std::span.
template <class T>
class span {
 public:
  using value_type = std::remove_cv_t<T>;

  constexpr span() noexcept = default;
  /// `size` elements from `data` on.
  constexpr span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  /// All elements of an array.
  template <std::size_t Size>
  constexpr span(T (&array)[Size]) noexcept : data_(array), size_(Size) {}

  /// Any container that keeps its elements in a row: std::array, std::vector, another span.
  template <class Container, class = decltype(static_cast<T*>(std::declval<Container&>().data())),
            class = std::enable_if_t<!std::is_array_v<std::remove_reference_t<Container>>>>
  constexpr span(Container&& container) noexcept
      : data_(container.data()), size_(container.size()) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr T* begin() const noexcept { return data_; }
  [[nodiscard]] constexpr T* end() const noexcept { return data_ + size_; }

  /// Element `index`, which must be below `size()`.
  [[nodiscard]] constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }

  /// The `count` elements from `first` on; both must lie inside.
  [[nodiscard]] constexpr span part(std::size_t first, std::size_t count) const noexcept {
    return span(data_ + first, count);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Bytes to read.
using bytes_view = span<const std::byte>;
/// Bytes to fill.
using bytes_span = span<std::byte>;

/// The bytes of `values`, in the order of the host.
template <class T>
[[nodiscard]] inline bytes_view as_bytes(span<T> values) noexcept {
  return bytes_view(reinterpret_cast<const std::byte*>(values.data()), values.size_bytes());
}

}  // namespace ckpt

#endif  // CKPT_BASE_SPAN_HPP
