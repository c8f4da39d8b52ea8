#ifndef CKPT_BASE_NAME_HPP
#define CKPT_BASE_NAME_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

#include "ckpt/base/span.hpp"

namespace ckpt {

/// Text that somebody else owns, not closed by a zero: the name of a tensor, slot or format.
/// Length and place are known, so the compiler never has to count the characters of a literal.
class name_view {
 public:
  constexpr name_view() noexcept = default;
  /// `size` characters from `data` on.
  constexpr name_view(const char* data, std::size_t size) noexcept : data_(data), size_(size) {}

  /// A literal, without its closing zero.
  template <std::size_t Size>
  constexpr name_view(const char (&literal)[Size]) noexcept : data_(literal), size_(Size - 1) {}

  /// A buffer is not a literal: how much of it is the name is not known here.
  template <std::size_t Size>
  name_view(char (&buffer)[Size]) = delete;

  /// Any text that keeps its characters in a row: std::string, std::string_view.
  template <class Text, class = std::enable_if_t<std::is_convertible_v<
                            decltype(std::declval<const Text&>().data()), const char*>>>
  constexpr name_view(const Text& text) noexcept : data_(text.data()), size_(text.size()) {}

  /// `std::string(name)`, `std::string_view(name)`.
  template <class Text,
            class = std::enable_if_t<std::is_constructible_v<Text, const char*, std::size_t>>>
  [[nodiscard]] constexpr explicit operator Text() const {
    return Text(data_, size_);
  }

  [[nodiscard]] constexpr const char* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr char operator[](std::size_t index) const noexcept { return data_[index]; }

 private:
  const char* data_ = "";
  std::size_t size_ = 0;
};

/// The bytes of a text.
[[nodiscard]] inline bytes_view as_bytes(name_view text) noexcept {
  return as_bytes(span<const char>(text.data(), text.size()));
}

[[nodiscard]] constexpr bool operator==(name_view a, name_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

[[nodiscard]] constexpr bool operator!=(name_view a, name_view b) noexcept {
  return !(a == b);
}

namespace detail {

/// Negative, zero or positive, as the first `size` characters of `a` come before, are, or come
/// after those of `b`, byte by byte. Both have as many.
[[nodiscard]] constexpr int compare_characters(name_view a, name_view b,
                                               std::size_t size) noexcept {
  const char* const left = a.data();
  const char* const right = b.data();
  for (std::size_t i = 0; i < size; ++i)
    if (left[i] != right[i])
      return static_cast<unsigned char>(left[i]) < static_cast<unsigned char>(right[i]) ? -1 : 1;
  return 0;
}

[[nodiscard]] constexpr bool starts_with(name_view name, name_view prefix) noexcept {
  return name.size() >= prefix.size() && name_view(name.data(), prefix.size()) == prefix;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_BASE_NAME_HPP
