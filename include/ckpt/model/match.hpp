#ifndef CKPT_MODEL_MATCH_HPP
#define CKPT_MODEL_MATCH_HPP

#include <cstddef>

#include "ckpt/model/match_forms.hpp"
#include "ckpt/model/match_names.hpp"
#include "ckpt/model/match_plan.hpp"
#include "ckpt/model/match_table.hpp"

namespace ckpt {

namespace detail {

/// Makes one entry of all that have one name in the model, and says what becomes of it.
class matcher {
 public:
  constexpr matcher(const match_side& file, const match_side& model, const match_rules& rules,
                    span<match_entry> memory) noexcept
      : file_(file), model_(model), rules_(rules), table_(file.model, model.model, rules, memory) {}

  constexpr status run() noexcept {
    if (const status sound = check_rules(); !sound.ok()) return sound;
    if (const status added = table_.add_file(); !added.ok())
      return added.kind == errc::no_names ? added.in(section::weights) : added;
    if (const status added = table_.add_model(); !added.ok()) return added;
    if (const status paired = pair_up(); !paired.ok()) return paired;
    table_.sort_by_outcome();
    return {};
  }

  [[nodiscard]] constexpr span<const match_entry> entries() const noexcept {
    return table_.entries();
  }

 private:
  /// @errors invalid_rules
  constexpr status check_rules() const noexcept {
    for (std::size_t i = 0; i < rules_.prefixes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (rules_.prefixes[i].from == rules_.prefixes[j].from) return fail(errc::invalid_rules);
    for (std::size_t i = 0; i < rules_.include.size(); ++i)
      if (!fits_any_tensor(rules_.include[i])) return fail(errc::invalid_rules);
    for (std::size_t i = 0; i < rules_.rows.size(); ++i)
      if (rules_.rows[i].last < rules_.rows[i].first || !has_tensor(rules_.rows[i].name))
        return fail(errc::invalid_rules);
    return {};
  }

  [[nodiscard]] constexpr bool fits_any_tensor(name_view pattern) const noexcept {
    for (const tensor_spec& tensor : model_.model)
      if (tensor.purpose() != role::absent && fits_pattern(pattern, tensor.name())) return true;
    return false;
  }

  [[nodiscard]] constexpr bool has_tensor(name_view name) const noexcept {
    const std::size_t index = find_tensor(model_.model, name);
    return index != npos && model_.model[index].purpose() != role::absent;
  }

  /// @errors duplicate_name
  constexpr status pair_up() noexcept {
    table_.sort_by_name();
    std::size_t kept = 0;
    for (std::size_t first = 0, last = 0; first < table_.size(); first = last) {
      last = table_.end_of_run(first);
      const bool is_left_out = !is_wanted(table_.name_of(table_[first])) ||
                               (rules_.only_renamed && !is_rule(table_[first]));
      match_entry pair;
      for (std::size_t i = first; i < last; ++i) {
        if (stands_aside(table_[i])) {
          table_[kept++] = table_[i];
        } else if (const status joined = join(pair, table_[i]); !joined.ok()) {
          return joined;
        }
      }
      if (is_rule(pair)) continue;  // a rule for what neither side has
      if (!is_left_out) decide(pair);
      table_[kept++] = pair;
    }
    table_.shrink(kept);
    return {};
  }

  /// Where only renamed tensors count, another of the file does not even contest a name.
  [[nodiscard]] constexpr bool stands_aside(const match_entry& entry) const noexcept {
    return rules_.only_renamed && entry.in_file != no_tensor && entry.rule >= rules_.renames.size();
  }

  /// @errors duplicate_name
  static constexpr status join(match_entry& pair, const match_entry& entry) noexcept {
    if (entry.in_file != no_tensor) {
      if (pair.in_file != no_tensor)
        return fail(errc::duplicate_name, pair.in_file, entry.in_file)
            .in(section::weights)
            .about(entry.in_file);
      pair.in_file = entry.in_file;
    }
    if (entry.in_model != no_tensor) {
      if (pair.in_model != no_tensor)
        return fail(errc::duplicate_name, pair.in_model, entry.in_model).about(entry.in_model);
      pair.in_model = entry.in_model;
    }
    return {};
  }

  [[nodiscard]] constexpr bool is_wanted(const joined_name& name) const noexcept {
    bool is_included = rules_.include.empty();
    for (std::size_t i = 0; i < rules_.include.size() && !is_included; ++i)
      is_included = fits(rules_.include[i], name);
    for (std::size_t i = 0; i < rules_.exclude.size() && is_included; ++i)
      if (fits(rules_.exclude[i], name)) return false;
    return is_included;
  }

  constexpr void decide(match_entry& pair) const noexcept {
    if (pair.in_file == no_tensor) {
      pair.outcome = match_outcome::missing;
    } else if (pair.in_model == no_tensor) {
      pair.outcome = match_outcome::unexpected;
    } else {
      compare_forms(file_, model_, rules_.slots, rows_of(pair), pair);
    }
  }

  [[nodiscard]] constexpr const row_rule* rows_of(const match_entry& pair) const noexcept {
    for (std::size_t i = 0; i < rules_.rows.size(); ++i)
      if (rules_.rows[i].name == model_.model[pair.in_model].name()) return &rules_.rows[i];
    return nullptr;
  }

  const match_side& file_;
  const match_side& model_;
  const match_rules& rules_;
  match_table table_;
};

/// The first thing that the rules do not allow.
/// @errors no_optimizer_state, optimizer_mismatch, missing_tensor, unexpected_tensor,
///         dtype_mismatch, shape_mismatch, role_mismatch
[[nodiscard]] constexpr status judge(const match_plan& plan, const match_rules& rules) noexcept {
  if (const status slots = check_slots(plan); !slots.ok()) return slots;
  if (!rules.missing && !plan.missing().empty())
    return fail(errc::missing_tensor).about(plan.missing()[0].in_model);
  if (!rules.unexpected && !plan.unexpected().empty())
    return fail(errc::unexpected_tensor).in(section::weights).about(plan.unexpected()[0].in_file);
  if (rules.mismatched || plan.mismatched().empty()) return {};
  const match_entry& first = plan.mismatched()[0];
  return fail(plan.reason(first), plan.expected(first).byte_size(), plan.found(first).byte_size())
      .in(numbered_section(first.section))
      .about(first.in_model);
}

}  // namespace detail

/// Entries that `match_by_name()` needs memory for.
[[nodiscard]] constexpr std::size_t match_entries_needed(const model_view& file,
                                                         const model_view& model,
                                                         const match_rules& rules) noexcept {
  return file.size() + model.size() + rules.renames.size();
}

/// Finds for each tensor of a file its place in a model, by name, and says what is left over. The
/// result is a plan even where the rules do not allow what was found; then it has an error.
///
/// Takes O(n log n) comparisons for n tensors and renames; prefixes, patterns and rows are tried
/// one after another.
/// @param memory  for `match_entries_needed()` entries; the plan lies in it
/// @errors buffer_too_small; no_names and duplicate_name, in the section `weights` where the tensor
///         is one of the file (expected and found are the indices of the two of one name);
///         invalid_rules (two rules for one name or prefix; a filter or rows for which the model
///         has no tensor); no_optimizer_state, optimizer_mismatch (slots are to follow);
///         missing_tensor, unexpected_tensor, dtype_mismatch, shape_mismatch, role_mismatch (the
///         first of the list that the rules do not allow; in bytes)
constexpr match_plan match_by_name(const match_side& file, const match_side& model,
                                   const match_rules& rules, span<match_entry> memory) noexcept {
  const std::size_t needed = match_entries_needed(file.model, model.model, rules);
  const match_plan nothing(file, model, {}, rules);
  if (memory.size() < needed)
    return nothing.failing(
        fail(errc::buffer_too_small, needed * sizeof(match_entry), memory.size_bytes()));
  detail::matcher matching(file, model, rules, memory);
  if (const status done = matching.run(); !done.ok()) return nothing.failing(done);
  const match_plan plan(file, model, matching.entries(), rules);
  return plan.failing(detail::judge(plan, rules));
}

}  // namespace ckpt

#endif  // CKPT_MODEL_MATCH_HPP
