#ifndef CKPT_MODEL_MATCH_PLAN_HPP
#define CKPT_MODEL_MATCH_PLAN_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/span.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/model/index_of.hpp"
#include "ckpt/model/match_rules.hpp"
#include "ckpt/model/model.hpp"
#include "ckpt/model/optimizer.hpp"

namespace ckpt {

/// One side of a match: tensors, and the optimizer that gives them slots.
struct match_side {
  model_view model;
  optimizer_view optimizer{};

  /// Dtype and shape of the weight (section 0) or of slot `section - 1` of tensor `index`.
  [[nodiscard]] constexpr tensor_form form(std::size_t section, std::size_t index) const noexcept {
    const tensor_spec& tensor = model[index];
    return section == 0 ? tensor.form() : optimizer.slot_form(section - 1, tensor, index);
  }
  /// Bytes that a checkpoint stores for it.
  [[nodiscard]] constexpr std::uint64_t bytes(std::size_t section,
                                              std::size_t index) const noexcept {
    const tensor_spec& tensor = model[index];
    return section == 0 ? tensor.byte_size() : optimizer.slot_bytes(section - 1, tensor, index);
  }
};

/// What becomes of a tensor.
enum class match_outcome : std::uint8_t {
  loaded,      ///< the file has it in the form that the model wants
  missing,     ///< the model has it, the file does not
  unexpected,  ///< the file has it, the model does not
  mismatched,  ///< both have it, in other dtypes or shapes
  excluded,    ///< the rules leave it out, whoever has it
};

/// Outcomes there are.
inline constexpr std::size_t match_outcome_count = 5;

/// One tensor of either side or of both.
struct match_entry {
  std::uint32_t in_file = no_tensor;   ///< its index in the file, if it is there
  std::uint32_t in_model = no_tensor;  ///< its index in the model, if it is there
  match_outcome outcome = match_outcome::excluded;
  bool has_row_rule = false;    ///< rows of the file's tensor are taken
  std::uint16_t section = 0;    ///< mismatched: the first that is: weight, or 1 + slot of the model
  std::uint64_t first_row = 0;  ///< the first row of the file's tensor that is taken
  std::uint32_t hash = 0;       ///< of its name in the model; used while matching
  std::uint32_t rule = 0xFFFFFFFF;  ///< the rule that renames it; used while matching
};

/// Slot of the file that fills slot `slot` of the model: the one of that name where both optimizers
/// name their slots, otherwise the one at that position. `npos` when there is none.
[[nodiscard]] constexpr std::size_t slot_in_file(const optimizer_view& file,
                                                 const optimizer_view& model,
                                                 std::size_t slot) noexcept;

/// Which tensor of a file goes where in a model, and what is left over on both sides. A table in
/// memory of the caller, in this order: loaded, missing, unexpected, mismatched, excluded; within
/// each the tensors of the model by index, then those that only the file has, by index.
///
/// The five lists are disjoint and complete. Tensors of role absent are in none: they hold no
/// bytes.
class [[nodiscard]] match_plan {
 public:
  constexpr match_plan() noexcept = default;
  /// What `match_by_name()` has found.
  /// @param sorted  by outcome
  constexpr match_plan(const match_side& file, const match_side& model,
                       span<const match_entry> sorted, const match_rules& rules) noexcept
      : file_(file),
        model_(model),
        entries_(sorted),
        slots_(rules.slots),
        training_(rules.training) {
    for (std::size_t i = 0; i < sorted.size(); ++i)
      ends_[static_cast<std::size_t>(sorted[i].outcome)] = i + 1;
    for (std::size_t k = 1; k < match_outcome_count; ++k)
      if (ends_[k] < ends_[k - 1]) ends_[k] = ends_[k - 1];
  }

  /// Whether nothing is left over but what the rules allow.
  [[nodiscard]] constexpr bool ok() const noexcept { return error_.ok(); }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return ok(); }
  /// What the rules do not allow; the lists are there all the same.
  [[nodiscard]] constexpr const status& error() const noexcept { return error_; }

  [[nodiscard]] constexpr span<const match_entry> loaded() const noexcept {
    return list(match_outcome::loaded);
  }
  [[nodiscard]] constexpr span<const match_entry> missing() const noexcept {
    return list(match_outcome::missing);
  }
  [[nodiscard]] constexpr span<const match_entry> unexpected() const noexcept {
    return list(match_outcome::unexpected);
  }
  [[nodiscard]] constexpr span<const match_entry> mismatched() const noexcept {
    return list(match_outcome::mismatched);
  }
  [[nodiscard]] constexpr span<const match_entry> excluded() const noexcept {
    return list(match_outcome::excluded);
  }
  /// The tensors of one outcome.
  [[nodiscard]] constexpr span<const match_entry> list(match_outcome outcome) const noexcept {
    const auto k = static_cast<std::size_t>(outcome);
    const std::size_t first = k == 0 ? 0 : ends_[k - 1];
    return entries_.part(first, ends_[k] - first);
  }
  /// All of them.
  [[nodiscard]] constexpr span<const match_entry> entries() const noexcept { return entries_; }

  [[nodiscard]] constexpr const match_side& file() const noexcept { return file_; }
  [[nodiscard]] constexpr const match_side& model() const noexcept { return model_; }
  [[nodiscard]] constexpr slot_rule slots() const noexcept { return slots_; }
  [[nodiscard]] constexpr training_rule training() const noexcept { return training_; }

  /// Name in the model, or in the file where only that has it.
  [[nodiscard]] constexpr name_view name(const match_entry& entry) const noexcept {
    return entry.in_model != no_tensor ? model_.model[entry.in_model].name() : name_in_file(entry);
  }
  /// Name in the file; empty where it is not there.
  [[nodiscard]] constexpr name_view name_in_file(const match_entry& entry) const noexcept {
    return entry.in_file != no_tensor ? file_.model[entry.in_file].name() : name_view{};
  }
  /// What the file has; only of a tensor that is there. Of a mismatch: the part that differs.
  [[nodiscard]] constexpr tensor_form found(const match_entry& entry) const noexcept {
    if (entry.section == 0) return file_.form(0, entry.in_file);
    return file_.form(1 + file_slot(entry.section - 1U), entry.in_file);
  }
  /// What the model wants; only of a tensor that is there. Of a mismatch: the part that differs.
  [[nodiscard]] constexpr tensor_form expected(const match_entry& entry) const noexcept {
    return model_.form(entry.section, entry.in_model);
  }
  /// How the two differ: dtype_mismatch, shape_mismatch, or role_mismatch (slots that the file does
  /// not have, as the tensor is frozen there).
  [[nodiscard]] constexpr errc reason(const match_entry& mismatch) const noexcept {
    if (mismatch.section != 0 && file_.model[mismatch.in_file].purpose() != role::trainable)
      return errc::role_mismatch;
    return found(mismatch).type() != expected(mismatch).type() ? errc::dtype_mismatch
                                                               : errc::shape_mismatch;
  }
  /// Slot of the file that fills slot `slot` of the model, or `npos`.
  [[nodiscard]] constexpr std::size_t file_slot(std::size_t slot) const noexcept {
    return slot_in_file(file_.optimizer, model_.optimizer, slot);
  }

  /// The same plan with a failure.
  [[nodiscard]] constexpr match_plan failing(const status& reason) const noexcept {
    match_plan copy = *this;
    copy.error_ = reason;
    return copy;
  }

 private:
  match_side file_{};
  match_side model_{};
  span<const match_entry> entries_{};
  std::size_t ends_[match_outcome_count] = {};
  slot_rule slots_ = slot_rule::follow;
  training_rule training_ = training_rule::when_whole;
  status error_{};
};

namespace detail {

[[nodiscard]] constexpr bool names_its_slots(const optimizer_view& optimizer) noexcept {
  if (optimizer.slot_names.size() != optimizer.slot_count) return false;
  for (const name_view& name : optimizer.slot_names)
    if (name.empty()) return false;
  return true;
}

}  // namespace detail

constexpr std::size_t slot_in_file(const optimizer_view& file, const optimizer_view& model,
                                   std::size_t slot) noexcept {
  if (!detail::names_its_slots(file) || !detail::names_its_slots(model))
    return slot < file.slot_count ? slot : npos;
  for (std::size_t s = 0; s < file.slot_count; ++s)
    if (file.slot_names[s] == model.slot_names[slot]) return s;
  return npos;
}

}  // namespace ckpt

#endif  // CKPT_MODEL_MATCH_PLAN_HPP
