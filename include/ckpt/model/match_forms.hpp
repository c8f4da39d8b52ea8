#ifndef CKPT_MODEL_MATCH_FORMS_HPP
#define CKPT_MODEL_MATCH_FORMS_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/model/match_plan.hpp"

namespace ckpt {

namespace detail {

/// Whether these rows of `found` are what is expected.
[[nodiscard]] constexpr bool rows_fit(const tensor_form& found, const tensor_form& expected,
                                      const row_rule& rows) noexcept {
  const shape& from = found.extents();
  const shape& to = expected.extents();
  if (found.type() != expected.type() || from.rank() != to.rank() || from.rank() == 0) return false;
  if (rows.last > from[0] || rows.last - rows.first != to[0]) return false;
  for (std::size_t axis = 1; axis < from.rank(); ++axis)
    if (from[axis] != to[axis]) return false;
  return true;
}

/// Whether a slot of the file fills one of the model. One that is as wanted is taken whole, even
/// where rows of its weight are taken: a statistic of the columns, say.
[[nodiscard]] constexpr bool slot_fits(const match_side& file, const match_side& model,
                                       const match_entry& pair, std::size_t slot,
                                       const row_rule* rows) noexcept {
  if (model.bytes(1 + slot, pair.in_model) == 0) return true;
  const std::size_t from = slot_in_file(file.optimizer, model.optimizer, slot);
  if (from == npos) return true;  // said once for all tensors, by check_slots()
  if (file.model[pair.in_file].purpose() != role::trainable) return false;
  if (file.optimizer.slots_like_weights && model.optimizer.slots_like_weights) return true;
  const tensor_form found = file.form(1 + from, pair.in_file);
  const tensor_form expected = model.form(1 + slot, pair.in_model);
  return have_same_form(found, expected) || (rows != nullptr && rows_fit(found, expected, *rows));
}

/// Says of a pair whether all that is to be loaded of it has the form that the model wants.
/// @param rows  null: all of them
constexpr void compare_forms(const match_side& file, const match_side& model, slot_rule slots,
                             const row_rule* rows, match_entry& pair) noexcept {
  const tensor_spec& found = file.model[pair.in_file];
  const tensor_spec& expected = model.model[pair.in_model];
  pair.has_row_rule = rows != nullptr;
  pair.first_row = rows != nullptr ? rows->first : 0;
  pair.outcome = match_outcome::mismatched;
  if (!(rows != nullptr ? rows_fit(found.form(), expected.form(), *rows)
                        : have_same_form(found, expected)))
    return;
  for (std::size_t s = 0; slots == slot_rule::follow && s < model.optimizer.slot_count; ++s) {
    if (slot_fits(file, model, pair, s, rows)) continue;
    pair.section = static_cast<std::uint16_t>(1 + s);
    return;
  }
  pair.outcome = match_outcome::loaded;
}

/// Slots that are to follow must be those of the file: as many, and of the same names.
/// @errors no_optimizer_state, optimizer_mismatch
[[nodiscard]] constexpr status check_slots(const match_plan& plan) noexcept {
  if (plan.slots() != slot_rule::follow) return {};
  const std::size_t expected = plan.model().optimizer.slot_count;
  const std::size_t found = plan.file().optimizer.slot_count;
  if (found == 0 && expected != 0) return fail(errc::no_optimizer_state, expected, 0);
  if (found != expected) return fail(errc::optimizer_mismatch, expected, found);
  for (std::size_t s = 0; s < expected; ++s)
    if (plan.file_slot(s) == npos)
      return fail(errc::optimizer_mismatch, expected, found).in(slot_section(s));
  return {};
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_MODEL_MATCH_FORMS_HPP
