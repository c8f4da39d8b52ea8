#ifndef CKPT_INTEROP_SLOT_CLAIMS_HPP
#define CKPT_INTEROP_SLOT_CLAIMS_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/contents.hpp"
#include "ckpt/interop/variables.hpp"
#include "ckpt/model/optimizer.hpp"
#include "ckpt/model/optimizers.hpp"

/// Finds out which variables are slots of which others, by their names.
namespace ckpt {

namespace detail {

/// Optimizers that are told by the names of their slots. AdamW and LAMB look like Adam. One comes
/// before those whose slots are a part of its own.
inline constexpr optimizer_view known_optimizers[] = {
    view_of_optimizer<amsgrad>(),         view_of_optimizer<adam>(),
    view_of_optimizer<rmsprop_centred>(), view_of_optimizer<rmsprop>(),
    view_of_optimizer<momentum>(),        view_of_optimizer<adagrad>(),
    view_of_optimizer<adafactor>()};

/// No variable.
inline constexpr std::size_t no_variable = ~std::size_t{0};

/// Index of the variable of this name among variables in the order of their names.
[[nodiscard]] inline std::size_t find_variable(const std::vector<variable>& sorted,
                                               const std::string& name) {
  const auto found = std::lower_bound(
      sorted.begin(), sorted.end(), name,
      [](const variable& each, const std::string& wanted) { return each.name < wanted; });
  if (found == sorted.end() || found->name != name) return no_variable;
  return static_cast<std::size_t>(found - sorted.begin());
}

/// Whether a slot of this form is one that the optimizer would give the weight.
[[nodiscard]] inline bool is_slot_form(const optimizer_view& optimizer, std::size_t which,
                                       const tensor_form& weight_form, const tensor_form& found) {
  if (!optimizer.slots_like_weights && optimizer.form == nullptr) return true;
  const tensor_form wanted =
      optimizer.slots_like_weights ? weight_form : optimizer.form(which, weight_form);
  return have_same_form(wanted, found);
}

/// Which variables are slots, if the optimizer is this one.
class slot_claims {
 public:
  /// A variable claims others as its slots only where all slots are there, in the right form.
  /// @param sorted  by name, so that a weight comes before its slots
  template <class SuffixOf>
  slot_claims(const std::vector<variable>& sorted, const optimizer_view& optimizer,
              SuffixOf suffix_of)
      : optimizer_(optimizer),
        slots_(sorted.size() * optimizer.slot_count, no_variable),
        taken_(sorted.size(), false) {
    std::vector<std::string> suffixes;
    for (std::size_t s = 0; s < optimizer.slot_count; ++s)
      suffixes.push_back(suffix_of(optimizer.name, optimizer.slot_names[s]));
    for (std::size_t v = 0; v < sorted.size(); ++v)
      if (!taken_[v] && find_all(sorted, v, suffixes)) claim(v);
  }

  /// Variables that have slots.
  [[nodiscard]] std::size_t weights() const noexcept { return weights_; }
  [[nodiscard]] const optimizer_view& optimizer() const noexcept { return optimizer_; }
  /// Whether a variable is the slot of another.
  [[nodiscard]] bool is_slot(std::size_t v) const { return taken_[v]; }
  /// Whether a variable has slots.
  [[nodiscard]] bool has_slots(std::size_t v) const {
    return optimizer_.slot_count > 0 && slots_[v * optimizer_.slot_count] != no_variable;
  }
  /// The variable that is slot `which` of variable `v`.
  [[nodiscard]] std::size_t slot(std::size_t v, std::size_t which) const {
    return slots_[v * optimizer_.slot_count + which];
  }

 private:
  [[nodiscard]] bool find_all(const std::vector<variable>& sorted, std::size_t v,
                              const std::vector<std::string>& suffixes) {
    std::size_t* const to = slots_.data() + v * optimizer_.slot_count;
    for (std::size_t s = 0; s < suffixes.size(); ++s) {
      const std::size_t found = find_variable(sorted, sorted[v].name + suffixes[s]);
      const bool fits = found != no_variable && !taken_[found] &&
                        is_slot_form(optimizer_, s, sorted[v].form, sorted[found].form);
      if (!fits) {
        std::fill(to, to + s, no_variable);
        return false;
      }
      to[s] = found;
    }
    return !suffixes.empty();
  }

  void claim(std::size_t v) {
    ++weights_;
    for (std::size_t s = 0; s < optimizer_.slot_count; ++s) taken_[slot(v, s)] = true;
  }

  optimizer_view optimizer_;
  std::vector<std::size_t> slots_;
  std::vector<bool> taken_;
  std::size_t weights_ = 0;
};

/// Which variables are slots. The optimizer is the one that explains the slots of the most
/// variables; among equals, the first of the known ones.
/// @param given  the optimizer where it is known: then no other is tried
template <class SuffixOf>
[[nodiscard]] slot_claims find_slots(const std::vector<variable>& sorted,
                                     const optimizer_view& given, SuffixOf suffix_of) {
  slot_claims best(sorted, optimizer_view{}, suffix_of);
  if (given.slot_count > 0 && given.slot_names.size() == given.slot_count) {
    slot_claims found(sorted, given, suffix_of);
    return found.weights() > 0 ? found : best;
  }
  for (const optimizer_view& each : known_optimizers) {
    slot_claims found(sorted, each, suffix_of);
    if (found.weights() > best.weights()) best = std::move(found);
  }
  return best;
}

/// Makes contents of variables. Where no slot was found, every variable is trainable for which
/// `is_frozen(name)` is false; otherwise those that have slots are.
template <class IsFrozen>
void fill_contents(const std::vector<variable>& sorted, const slot_claims& claims,
                   name_view optimizer_name, IsFrozen is_frozen, contents& to) {
  const optimizer_view& optimizer = claims.optimizer();
  std::vector<std::string> slot_names;
  for (std::size_t s = 0; s < optimizer.slot_count; ++s)
    slot_names.emplace_back(std::string(optimizer.slot_names[s]));
  to.set_optimizer(std::string(optimizer_name), std::move(slot_names));
  for (std::size_t v = 0; v < sorted.size(); ++v) {
    if (claims.is_slot(v)) continue;
    const bool is_trained =
        optimizer.slot_count > 0 ? claims.has_slots(v) : !is_frozen(sorted[v].name);
    const std::size_t index = to.add(sorted[v].name, sorted[v].form,
                                     is_trained ? role::trainable : role::frozen, sorted[v].bytes);
    if (!claims.has_slots(v)) continue;
    for (std::size_t s = 0; s < optimizer.slot_count; ++s) {
      const variable& found = sorted[claims.slot(v, s)];
      to.set_slot(s, index, found.form, found.bytes);
    }
  }
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_INTEROP_SLOT_CLAIMS_HPP
