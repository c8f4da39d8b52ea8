#ifndef CKPT_BASE_TEXT_HPP
#define CKPT_BASE_TEXT_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// Text of bounded length that needs no heap. What does not fit is left out.
class text {
 public:
  /// Characters that fit.
  static constexpr std::size_t capacity = 383;

  constexpr text& operator<<(name_view words) noexcept {
    for (std::size_t i = 0; i < words.size() && size_ < capacity; ++i) data_[size_++] = words[i];
    return *this;
  }

  constexpr text& operator<<(std::uint64_t number) noexcept {
    char digits[20] = {};
    std::size_t first = 20;
    do {
      digits[--first] = static_cast<char>('0' + static_cast<int>(number % 10));
      number /= 10;
    } while (number != 0);
    return *this << name_view(digits + first, 20 - first);
  }

  [[nodiscard]] constexpr name_view view() const noexcept { return name_view(data_, size_); }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  /// Closed by a zero.
  [[nodiscard]] constexpr const char* c_str() const noexcept { return data_; }

 private:
  char data_[capacity + 1] = {};
  std::size_t size_ = 0;
};

}  // namespace ckpt

#endif  // CKPT_BASE_TEXT_HPP
