#ifndef CKPT_MODEL_MATCH_RULES_HPP
#define CKPT_MODEL_MATCH_RULES_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ckpt/base/name.hpp"
#include "ckpt/base/span.hpp"

namespace ckpt {

/// What is called `from` in the file is called `to` in the model: a whole name, or a prefix.
struct rename_rule {
  name_view from;
  name_view to;
};

/// Rows `[first, last)` of a tensor along its leading axis.
struct row_rule {
  name_view name;  ///< in the model
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// A list of rules. Up to four are kept here, so they can be written in place:
/// `rules.exclude = {"head.*"}`. More are an array or vector that must outlive the rules.
template <class T>
class rule_list {
 public:
  constexpr rule_list() noexcept = default;
  constexpr rule_list(const T& a) noexcept : own_{a}, count_(1) {}
  constexpr rule_list(const T& a, const T& b) noexcept : own_{a, b}, count_(2) {}
  constexpr rule_list(const T& a, const T& b, const T& c) noexcept : own_{a, b, c}, count_(3) {}
  constexpr rule_list(const T& a, const T& b, const T& c, const T& d) noexcept
      : own_{a, b, c, d}, count_(4) {}

  /// Views a list of any length: an array, std::array, std::vector or span with a name of its own.
  template <class List, class = std::enable_if_t<std::is_convertible_v<List&, span<const T>>>>
  constexpr rule_list(List& many) noexcept
      : many_(span<const T>(many)), count_(span<const T>(many).size()) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return count_ == 0; }
  /// Rule `index`, which must be below `size()`.
  [[nodiscard]] constexpr const T& operator[](std::size_t index) const noexcept {
    return many_.empty() ? own_[index] : many_[index];
  }

 private:
  T own_[4] = {};
  span<const T> many_{};
  std::size_t count_ = 0;
};

/// What happens to the slots of a tensor whose weight is loaded by name.
enum class slot_rule : std::uint8_t {
  follow,     ///< they come from the file, which must hold exactly the slots of the optimizer
  cold,       ///< they start at zero
  untouched,  ///< they stay as they are
};

/// When step, epoch and what else says where training stands is taken over from the file.
enum class training_rule : std::uint8_t {
  when_whole,  ///< where every tensor of the model came whole, and its slots followed or start cold
  always,
  never,
};

/// How two models are matched by name, and what may be left over. The default is strict: each
/// tensor of one has its like in the other.
///
/// A tensor of the file has the name that `renames` gives it, otherwise the one that the longest
/// fitting prefix of `prefixes` gives it, otherwise its own. Everything else is about names in the
/// model. In a pattern `*` stands for any characters, or none.
///
///     ckpt::load_by_name(file, state, ckpt::common_names.excluding({"head.*"}));
struct match_rules {
  rule_list<rename_rule> renames{};   ///< whole names
  rule_list<rename_rule> prefixes{};  ///< beginnings of names
  rule_list<name_view> include{};     ///< patterns; none: all. Each must fit a tensor of the model
  rule_list<name_view> exclude{};     ///< patterns
  rule_list<row_rule> rows{};         ///< tensors of which the file has more rows
  bool only_renamed = false;          ///< leave out what no rule of `renames` is about
  bool missing = false;               ///< tensors of the model may be missing in the file
  bool unexpected = false;            ///< the file may hold tensors that the model does not have
  bool mismatched = false;            ///< tensors of another dtype or shape are left as they are
  slot_rule slots = slot_rule::follow;
  training_rule training = training_rule::when_whole;

  /// The same rules with other `renames`. So for the other lists.
  [[nodiscard]] constexpr match_rules renaming(const rule_list<rename_rule>& rules) const noexcept {
    match_rules copy = *this;
    copy.renames = rules;
    return copy;
  }
  /// The same rules with other `prefixes`.
  [[nodiscard]] constexpr match_rules renaming_prefixes(
      const rule_list<rename_rule>& rules) const noexcept {
    match_rules copy = *this;
    copy.prefixes = rules;
    return copy;
  }
  /// The same rules for the tensors of the model that a pattern fits.
  [[nodiscard]] constexpr match_rules including(
      const rule_list<name_view>& patterns) const noexcept {
    match_rules copy = *this;
    copy.include = patterns;
    return copy;
  }
  /// The same rules without the tensors of the model that a pattern fits.
  [[nodiscard]] constexpr match_rules excluding(
      const rule_list<name_view>& patterns) const noexcept {
    match_rules copy = *this;
    copy.exclude = patterns;
    return copy;
  }
  /// The same rules, and of these tensors some rows only.
  [[nodiscard]] constexpr match_rules taking_rows(const rule_list<row_rule>& rules) const noexcept {
    match_rules copy = *this;
    copy.rows = rules;
    return copy;
  }
  /// The same rules with another fate of the slots.
  [[nodiscard]] constexpr match_rules with_slots(slot_rule rule) const noexcept {
    match_rules copy = *this;
    copy.slots = rule;
    return copy;
  }
  /// The same rules with another fate of step and epoch.
  [[nodiscard]] constexpr match_rules with_training(training_rule rule) const noexcept {
    match_rules copy = *this;
    copy.training = rule;
    return copy;
  }
};

/// Tensors of the model may be missing in the file; they stay as they are.
inline constexpr match_rules may_lack{
    {}, {}, {}, {}, {}, false, true, false, false, slot_rule::follow, training_rule::when_whole};
/// What both have: the file may lack tensors and may hold others.
inline constexpr match_rules common_names{
    {}, {}, {}, {}, {}, false, true, true, false, slot_rule::follow, training_rule::when_whole};
/// What both have in the same dtype and shape.
inline constexpr match_rules whatever_fits{
    {}, {}, {}, {}, {}, false, true, true, true, slot_rule::follow, training_rule::when_whole};

/// Just these tensors of the file under these names of the model, and nothing else of either:
/// `ckpt::picking({{"z", "x"}})`. All of them must be there. Several files merge by several loads.
[[nodiscard]] constexpr match_rules picking(const rule_list<rename_rule>& tensors) noexcept {
  match_rules rules;
  rules.renames = tensors;
  rules.only_renamed = true;
  return rules;
}

}  // namespace ckpt

#endif  // CKPT_MODEL_MATCH_RULES_HPP
