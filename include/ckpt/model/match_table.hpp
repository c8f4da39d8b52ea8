#ifndef CKPT_MODEL_MATCH_TABLE_HPP
#define CKPT_MODEL_MATCH_TABLE_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/sort.hpp"
#include "ckpt/model/match_names.hpp"
#include "ckpt/model/match_plan.hpp"

namespace ckpt {

namespace detail {

/// A rule for a whole name stands in the table like a tensor.
[[nodiscard]] constexpr bool is_rule(const match_entry& entry) noexcept {
  return entry.in_file == no_tensor && entry.in_model == no_tensor;
}

/// Everything that has a name, on either side and in the rules, sorted by that name.
class match_table {
 public:
  static constexpr std::uint32_t no_rule = match_entry{}.rule;

  constexpr match_table(const model_view& file, const model_view& model, const match_rules& rules,
                        span<match_entry> memory) noexcept
      : file_(file), model_(model), rules_(rules), entries_(memory) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr match_entry& operator[](std::size_t index) const noexcept {
    return entries_[index];
  }
  [[nodiscard]] constexpr span<const match_entry> entries() const noexcept {
    return span<const match_entry>(entries_.data(), size_);
  }
  /// Keeps the first `size` entries.
  constexpr void shrink(std::size_t size) noexcept { size_ = size; }

  /// Adds the tensors of the file under the names that the rules give them.
  /// @errors no_names, invalid_rules
  constexpr status add_file() noexcept {
    if (const status added = add_all(file_, &match_entry::in_file); !added.ok()) return added;
    if (const status renamed = apply_renames(); !renamed.ok()) return renamed;
    for (std::size_t i = 0; i < size_; ++i) apply_prefixes(entries_[i]);
    return {};
  }
  /// Adds the tensors of the model.
  /// @errors no_names
  constexpr status add_model() noexcept { return add_all(model_, &match_entry::in_model); }

  /// The name that an entry has in the model.
  [[nodiscard]] constexpr joined_name name_of(const match_entry& entry) const noexcept {
    if (entry.in_model != no_tensor) return {model_[entry.in_model].name(), {}};
    if (is_rule(entry)) {
      const rename_rule& rule = rules_.renames[entry.rule];
      return {are_renamed_ ? rule.to : rule.from, {}};
    }
    const name_view own = file_[entry.in_file].name();
    if (entry.rule == no_rule) return {own, {}};
    if (entry.rule < rules_.renames.size()) return {rules_.renames[entry.rule].to, {}};
    const rename_rule& prefix = rules_.prefixes[entry.rule - rules_.renames.size()];
    return {prefix.to, behind(own, prefix.from.size())};
  }

  constexpr void sort_by_name() noexcept {
    const auto less = [this](const match_entry& a, const match_entry& b) noexcept {
      return a.hash != b.hash ? a.hash < b.hash : is_before(a, b);
    };
    sort_in_place(entries_.data(), size_, less);
  }

  constexpr void sort_by_outcome() noexcept {
    sort_in_place(entries_.data(), size_, [](const match_entry& a, const match_entry& b) noexcept {
      return a.outcome != b.outcome     ? a.outcome < b.outcome
             : a.in_model != b.in_model ? a.in_model < b.in_model
                                        : a.in_file < b.in_file;
    });
  }

  /// Where the entries end that have the name of entry `first`.
  [[nodiscard]] constexpr std::size_t end_of_run(std::size_t first) const noexcept {
    std::size_t last = first + 1;
    while (last < size_ && entries_[last].hash == entries_[first].hash &&
           compare(name_of(entries_[last]), name_of(entries_[first])) == 0)
      ++last;
    return last;
  }

 private:
  constexpr match_entry& add() noexcept {
    match_entry& added = entries_[size_++];
    added = match_entry{};
    return added;
  }

  constexpr status add_all(const model_view& model, std::uint32_t match_entry::*index) noexcept {
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (model[i].purpose() == role::absent) continue;
      if (model[i].name().empty()) return fail(errc::no_names).about(i);
      match_entry& added = add();
      added.*index = static_cast<std::uint32_t>(i);
      added.hash = hash_of({model[i].name(), {}});
    }
    return {};
  }

  /// Finds for each tensor of the file the rule for its whole name. The rules stay in the table,
  /// from then on under the names in the model.
  /// @errors invalid_rules (two rules for one name)
  constexpr status apply_renames() noexcept {
    for (std::size_t r = 0; r < rules_.renames.size(); ++r) {
      match_entry& added = add();
      added.rule = static_cast<std::uint32_t>(r);
      added.hash = hash_of({rules_.renames[r].from, {}});
    }
    if (!rules_.renames.empty()) sort_by_name();
    for (std::size_t first = 0, last = 0; first < size_ && !rules_.renames.empty(); first = last) {
      last = end_of_run(first);
      if (!is_rule(entries_[first])) continue;
      if (first + 1 < last && is_rule(entries_[first + 1])) return fail(errc::invalid_rules);
      for (std::size_t i = first + 1; i < last; ++i) entries_[i].rule = entries_[first].rule;
    }
    are_renamed_ = true;
    for (std::size_t i = 0; i < size_; ++i)
      if (entries_[i].rule != no_rule) entries_[i].hash = hash_of(name_of(entries_[i]));
    return {};
  }

  /// Without a rule for its whole name, the longest prefix counts.
  constexpr void apply_prefixes(match_entry& entry) const noexcept {
    if (entry.rule != no_rule) return;
    std::size_t longest = rules_.prefixes.size();
    for (std::size_t p = 0; p < rules_.prefixes.size(); ++p) {
      const name_view from = rules_.prefixes[p].from;
      if (!starts_with(file_[entry.in_file].name(), from)) continue;
      if (longest == rules_.prefixes.size() || from.size() > rules_.prefixes[longest].from.size())
        longest = p;
    }
    if (longest == rules_.prefixes.size()) return;
    entry.rule = static_cast<std::uint32_t>(rules_.renames.size() + longest);
    entry.hash = hash_of(name_of(entry));
  }

  /// Of two entries of one hash.
  [[nodiscard]] constexpr bool is_before(const match_entry& a,
                                         const match_entry& b) const noexcept {
    const int order = compare(name_of(a), name_of(b));
    return order != 0 ? order < 0 : rank_in_run(a) < rank_in_run(b);
  }

  /// Rules first, then the file, then the model; each by index.
  [[nodiscard]] static constexpr std::uint64_t rank_in_run(const match_entry& entry) noexcept {
    constexpr std::uint64_t side = std::uint64_t{1} << 32U;
    if (is_rule(entry)) return entry.rule;
    return entry.in_model == no_tensor ? side + entry.in_file : 2 * side + entry.in_model;
  }

  const model_view& file_;
  const model_view& model_;
  const match_rules& rules_;
  span<match_entry> entries_;
  std::size_t size_ = 0;
  bool are_renamed_ = false;
};

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_MODEL_MATCH_TABLE_HPP
