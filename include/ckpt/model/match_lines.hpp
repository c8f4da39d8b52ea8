#ifndef CKPT_MODEL_MATCH_LINES_HPP
#define CKPT_MODEL_MATCH_LINES_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/text.hpp"
#include "ckpt/model/match_plan.hpp"

namespace ckpt {

/// The name of an outcome: the enumerator.
[[nodiscard]] constexpr name_view name(match_outcome outcome) noexcept {
  switch (outcome) {
    case match_outcome::loaded: return "loaded";
    case match_outcome::missing: return "missing";
    case match_outcome::unexpected: return "unexpected";
    case match_outcome::mismatched: return "mismatched";
    case match_outcome::excluded: return "excluded";
  }
  return "unknown";
}

namespace detail {

/// `f32 [784, 10]`
template <class Out>
constexpr void append_form(Out& out, const tensor_form& form) {
  out << name(form.type()) << name_view(" [");
  for (std::size_t axis = 0; axis < form.extents().rank(); ++axis) {
    if (axis != 0) out << name_view(", ");
    out << form.extents()[axis];
  }
  out << name_view("]");
}

template <class Out>
constexpr void append_padded(Out& out, name_view words, std::size_t width) {
  out << words;
  for (std::size_t i = words.size(); i < width; ++i) out << name_view(" ");
}

/// `slot m: f16 [4] in the file, f32 [4] in the model`
template <class Out>
constexpr void append_mismatch(Out& out, const match_plan& plan, const match_entry& entry) {
  const optimizer_view& optimizer = plan.model().optimizer;
  const std::size_t slot = entry.section - 1U;
  if (entry.section != 0 && slot < optimizer.slot_names.size())
    out << name_view("slot ") << optimizer.slot_names[slot] << name_view(": ");
  else if (entry.section != 0)
    out << name_view("slot ") << std::uint64_t{entry.section} << name_view(": ");
  if (plan.reason(entry) == errc::role_mismatch)
    out << name_view("nothing");
  else
    append_form(out, plan.found(entry));
  out << name_view(" in the file, ");
  append_form(out, plan.expected(entry));
  out << name_view(" in the model");
}

template <class Out>
constexpr void append_forms(Out& out, const match_plan& plan, const match_entry& entry) {
  if (entry.outcome == match_outcome::mismatched) {
    append_mismatch(out, plan, entry);
  } else {
    append_form(out, entry.in_model != no_tensor ? plan.expected(entry) : plan.found(entry));
  }
  if (entry.has_row_rule) out << name_view(", from row ") << entry.first_row;
  if (entry.in_file != no_tensor && plan.name_in_file(entry) != plan.name(entry))
    out << name_view(", called ") << plan.name_in_file(entry) << name_view(" in the file");
}

}  // namespace detail

/// Characters of the longest name of a plan.
[[nodiscard]] constexpr std::size_t longest_name(const match_plan& plan) noexcept {
  std::size_t longest = 0;
  for (const match_entry& entry : plan.entries())
    if (plan.name(entry).size() > longest) longest = plan.name(entry).size();
  return longest;
}

/// Writes one row of the table of a plan: outcome, name, form.
/// @param out  whatever takes `out << name_view` and `out << std::uint64_t`: ckpt::text, say
/// @param name_width  characters that the column of names is wide
template <class Out>
constexpr void append_row(Out& out, const match_plan& plan, const match_entry& entry,
                          std::size_t name_width) {
  detail::append_padded(out, name(entry.outcome), 12);
  detail::append_padded(out, plan.name(entry), name_width);
  out << name_view("  ");
  detail::append_forms(out, plan, entry);
}

/// Writes how many tensors have each outcome: `2 loaded, 1 missing, 0 unexpected, ...`
template <class Out>
constexpr void append_summary(Out& out, const match_plan& plan) {
  for (std::size_t k = 0; k < match_outcome_count; ++k) {
    const auto outcome = static_cast<match_outcome>(k);
    if (k != 0) out << name_view(", ");
    out << std::uint64_t{plan.list(outcome).size()} << name_view(" ") << name(outcome);
  }
}

/// Calls `visit(name_view line)` for each row of the table of a plan, and for the summary. Needs no
/// memory; names beyond some three hundred characters are cut.
template <class Visit>
constexpr void for_each_line(const match_plan& plan, Visit visit) {
  constexpr std::size_t widest = 60;
  const std::size_t longest = longest_name(plan);
  for (const match_entry& entry : plan.entries()) {
    text row;
    append_row(row, plan, entry, longest < widest ? longest : widest);
    visit(row.view());
  }
  text summary;
  append_summary(summary, plan);
  visit(summary.view());
}

}  // namespace ckpt

#endif  // CKPT_MODEL_MATCH_LINES_HPP
