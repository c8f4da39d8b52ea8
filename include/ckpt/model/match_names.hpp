#ifndef CKPT_MODEL_MATCH_NAMES_HPP
#define CKPT_MODEL_MATCH_NAMES_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/name.hpp"

namespace ckpt {

namespace detail {

/// A name in two pieces: what a rule for prefixes makes of one, without memory for it.
struct joined_name {
  name_view head;
  name_view tail;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return head.size() + tail.size(); }
  [[nodiscard]] constexpr char operator[](std::size_t index) const noexcept {
    return index < head.size() ? head[index] : tail[index - head.size()];
  }
};

/// FNV-1a, going on from `value`.
[[nodiscard]] constexpr std::uint32_t hash_on(std::uint32_t value, name_view part) noexcept {
  const char* const data = part.data();
  for (std::size_t i = 0, size = part.size(); i < size; ++i)
    value = (value ^ static_cast<unsigned char>(data[i])) * 16777619U;
  return value;
}

[[nodiscard]] constexpr std::uint32_t hash_of(const joined_name& name) noexcept {
  return hash_on(hash_on(2166136261U, name.head), name.tail);
}

/// The same as compare(), of the first `size` characters.
[[nodiscard]] constexpr int compare_pieces(name_view a, name_view b, std::size_t size) noexcept {
  const char* const left = a.data();
  const char* const right = b.data();
  for (std::size_t i = 0; i < size; ++i)
    if (left[i] != right[i])
      return static_cast<unsigned char>(left[i]) < static_cast<unsigned char>(right[i]) ? -1 : 1;
  return 0;
}

[[nodiscard]] constexpr name_view behind(name_view name, std::size_t size) noexcept {
  return name_view(name.data() + size, name.size() - size);
}

/// Negative, zero or positive, as `a` comes before, is, or comes after `b`.
[[nodiscard]] constexpr int compare(joined_name a, joined_name b) noexcept {
  while (a.size() != 0 && b.size() != 0) {
    if (a.head.empty()) a = {a.tail, {}};
    if (b.head.empty()) b = {b.tail, {}};
    const std::size_t size = a.head.size() < b.head.size() ? a.head.size() : b.head.size();
    if (const int order = compare_pieces(a.head, b.head, size); order != 0) return order;
    a.head = behind(a.head, size);
    b.head = behind(b.head, size);
  }
  return static_cast<int>(a.size() != 0) - static_cast<int>(b.size() != 0);
}

[[nodiscard]] constexpr bool starts_with(name_view name, name_view prefix) noexcept {
  return name.size() >= prefix.size() && name_view(name.data(), prefix.size()) == prefix;
}

/// Whether a pattern fits a name from end to end. `*` stands for any characters, or none. At most
/// `name.size() * pattern.size()` steps.
[[nodiscard]] constexpr bool fits(name_view pattern, const joined_name& name) noexcept {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t resume = 0;  // where in the pattern to go on when a star takes one character more
  std::size_t taken = 0;   // where the characters of that star end
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      resume = ++p;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (resume != 0) {
      p = resume;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace detail

/// Whether `pattern` fits `name` as the filters of `match_rules` see it: `head.*`.
[[nodiscard]] constexpr bool fits_pattern(name_view pattern, name_view name) noexcept {
  return detail::fits(pattern, detail::joined_name{name, {}});
}

}  // namespace ckpt

#endif  // CKPT_MODEL_MATCH_NAMES_HPP
