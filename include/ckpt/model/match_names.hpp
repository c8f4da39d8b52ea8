#ifndef CKPT_MODEL_MATCH_NAMES_HPP
#define CKPT_MODEL_MATCH_NAMES_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/name.hpp"
#include "ckpt/model/check.hpp"

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

[[nodiscard]] constexpr std::uint32_t hash_of(const joined_name& name) noexcept {
  return hash(name.tail, hash(name.head));
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
    if (const int order = compare_characters(a.head, b.head, size); order != 0) return order;
    a.head = behind(a.head, size);
    b.head = behind(b.head, size);
  }
  return static_cast<int>(a.size() != 0) - static_cast<int>(b.size() != 0);
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
