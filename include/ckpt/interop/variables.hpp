#ifndef CKPT_INTEROP_VARIABLES_HPP
#define CKPT_INTEROP_VARIABLES_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/codec/contents.hpp"
#include "ckpt/interop/component_name.hpp"
#include "ckpt/interop/duplicate.hpp"
#include "ckpt/model/dtype.hpp"
#include "ckpt/model/tensor_spec.hpp"

/// Containers that know nothing but variables: weights, slots and the step alike are named tensors
/// beside each other.
namespace ckpt {

namespace detail {

/// A named tensor of such a container.
struct variable {
  std::string name;
  tensor_form form;
  bytes_view bytes;
  std::size_t section = 0;        ///< 0: a weight; 1 + slot
  std::size_t index = no_tensor;  ///< of the tensor that it belongs to
};

/// The same failure, about this variable.
[[nodiscard]] inline status about(const status& failed, const variable& blamed) noexcept {
  if (blamed.index == no_tensor) return failed;
  return failed.in(numbered_section(blamed.section)).about(blamed.index);
}

/// Whether every extent fits the signed numbers in which these containers hold them.
[[nodiscard]] inline bool has_signed_extents(const tensor_form& form) noexcept {
  for (std::size_t i = 0; i < form.extents().rank(); ++i)
    if (form.extents()[i] >> 63U != 0) return false;
  return true;
}

/// Lists what is stored of `from`: the weights, then slot by slot. Absent tensors have no variable,
/// frozen ones only their weight.
/// @param suffix_of  `std::string(name_view optimizer, name_view slot)`: what the container puts
///                   behind the name of a weight
/// @errors count_mismatch, size_mismatch, no_names, invalid_name (of a tensor or slot),
/// invalid_shape (an extent above 2^63 - 1)
template <class SuffixOf>
[[nodiscard]] status list_variables(const contents_view& from, SuffixOf suffix_of,
                                    std::vector<variable>& to) {
  if (const status sound = from.check(); !sound.ok()) return sound;
  for (std::size_t s = 0; s < from.section_count(); ++s) {
    std::string suffix;
    if (s > 0) {
      const name_view slot_name = from.slot_name(s - 1);
      if (slot_name.empty()) return fail(errc::invalid_name).in(numbered_section(s));
      suffix = suffix_of(from.optimizer.name, slot_name);
    }
    for (std::size_t i = 0; i < from.model.size(); ++i) {
      const role purpose = from.model[i].purpose();
      if (purpose == role::absent || (s > 0 && purpose != role::trainable)) continue;
      to.push_back(
          {std::string(from.model[i].name()) + suffix, from.form(s, i), from.bytes(s, i), s, i});
      if (from.model[i].name().empty()) return fail(errc::no_names).about(i);
      if (!is_component(to.back().name)) return about(fail(errc::invalid_name), to.back());
      if (!has_signed_extents(to.back().form)) return about(fail(errc::invalid_shape), to.back());
    }
  }
  return {};
}

/// No two variables may have one name: a weight may be called as the slot of another.
/// @errors duplicate_name
[[nodiscard]] inline status check_distinct(const std::vector<variable>& variables) {
  std::vector<std::string_view> names;
  names.reserve(variables.size());
  for (const variable& each : variables) names.emplace_back(each.name);
  const std::size_t found = find_duplicate(names);
  return found == no_duplicate ? status{} : about(fail(errc::duplicate_name), variables[found]);
}

/// Whether a container that stores the step, or not even that, holds all of the training state.
/// @errors counter_out_of_range, unstorable_values (in bytes: what has no place)
[[nodiscard]] inline status check_training(const contents_view& from, bool holds_step) {
  const training_state& training = from.training;
  constexpr auto limit = static_cast<std::uint64_t>((std::numeric_limits<std::int64_t>::max)());
  if (holds_step && training.step > limit)
    return fail(errc::counter_out_of_range, limit, training.step).in(section::footer);
  std::uint64_t homeless = from.values.encoded().size();
  for (const std::uint64_t word : training.rng_state) homeless += word != 0 ? 8 : 0;
  for (const std::uint64_t word : {holds_step ? 0 : training.step, training.epoch,
                                   training.sample_cursor, training.shuffle_seed})
    homeless += word != 0 ? 8 : 0;
  for (const double number : {training.best_metric, training.learning_rate})
    homeless += number == number ? 8 : 0;
  return homeless == 0 ? status{} : fail(errc::unstorable_values, 0, homeless).in(section::footer);
}

/// A step as variables hold it: one signed number of 64 bits in a shape of one.
inline constexpr tensor_form step_form(dtype::i64, {1});

/// Puts the step in front of the variables, so that a tensor of the same name is the one blamed.
/// @param bytes  8 of them, which must outlive the variables
/// @errors invalid_name
[[nodiscard]] inline status put_step(std::string name, bytes_view bytes,
                                     std::vector<variable>& variables) {
  if (!is_component(name)) return fail(errc::invalid_name);
  variables.insert(variables.begin(), {std::move(name), step_form, bytes});
  return {};
}

/// Moves the step from the variables to where it belongs.
/// @param at  index of its variable
/// @errors bad_training_state (another form, or negative)
[[nodiscard]] inline status take_step(std::vector<variable>& variables, std::size_t at,
                                      std::uint64_t& step) {
  const status broken = fail(errc::bad_training_state).in(section::footer);
  if (!have_same_form(variables[at].form, step_form)) return broken;
  step = load_little<std::uint64_t>(variables[at].bytes.data());
  variables.erase(variables.begin() + static_cast<std::ptrdiff_t>(at));
  return step >> 63U == 0 ? status{} : broken;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_INTEROP_VARIABLES_HPP
