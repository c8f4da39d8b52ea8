#ifndef CKPT_CHECKPOINT_PARTIAL_TABLE_HPP
#define CKPT_CHECKPOINT_PARTIAL_TABLE_HPP

#include <algorithm>
#include <cstdint>
#include <string>

#include "ckpt/model/match_lines.hpp"

namespace ckpt {

namespace detail {

/// Appends words and numbers to a string.
class string_out {
 public:
  string_out& operator<<(name_view words) {
    text_.append(words.data(), words.size());
    return *this;
  }
  string_out& operator<<(std::uint64_t number) {
    text_ += std::to_string(number);
    return *this;
  }

  [[nodiscard]] const std::string& str() const noexcept { return text_; }

 private:
  std::string text_;
};

}  // namespace detail

/// The table of a plan, or of the report of a load by name: a line for each tensor, with outcome,
/// name and form, and a summary at the end.
[[nodiscard]] inline std::string to_table(const match_plan& plan) {
  constexpr std::size_t widest = 60;
  detail::string_out out;
  const std::size_t width = (std::min)(longest_name(plan), widest);
  for (const match_entry& entry : plan.entries()) {
    append_row(out, plan, entry, width);
    out << name_view("\n");
  }
  append_summary(out, plan);
  out << name_view("\n");
  return out.str();
}

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_PARTIAL_TABLE_HPP
