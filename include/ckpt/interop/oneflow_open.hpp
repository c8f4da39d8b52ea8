#ifndef CKPT_INTEROP_ONEFLOW_OPEN_HPP
#define CKPT_INTEROP_ONEFLOW_OPEN_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/contents.hpp"
#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/interop/oneflow_meta.hpp"
#include "ckpt/interop/oneflow_names.hpp"
#include "ckpt/interop/slot_claims.hpp"
#include "ckpt/interop/variables.hpp"
#include "ckpt/interop/whole_file.hpp"
#include "ckpt/io/directory.hpp"

namespace ckpt::oneflow {

/// How to open.
struct open_options {
  /// Also without `snapshot_done`, which OneFlow itself does not ask for.
  bool unfinished = false;
  /// Tell slots from weights. Otherwise every variable is a tensor of its own, as in the
  /// dictionaries of OneFlow.
  bool find_slots = true;
  /// Whose step is wanted; may be left empty where there is only one.
  std::string job;
  /// Says shape and dtype of variables without `meta`, as older versions wrote them.
  model_view model{};
  /// Whose slots to look for, by `slot_names`. Without slots: those of the optimizers of ckpt.
  optimizer_view optimizer{};
};

namespace detail {

using ckpt::detail::variable;

/// No text of a shape and a dtype comes near this.
inline constexpr std::uint64_t max_meta_bytes = 65536;

/// Reads a tree into contents. `blamed()` is what the last failure was about.
class tree_reader {
 public:
  tree_reader(const path& directory, const open_options& how, contents& to)
      : root_(directory), how_(how), to_(to), blamed_(directory) {}

  [[nodiscard]] const path& blamed() const noexcept { return blamed_; }

  [[nodiscard]] status read() {
    if (const status usable = root_.check(); !usable.ok()) return usable;
    if (kind_of(root_ / data_name) == entry_kind::file) return read_single();
    const auto names = list_directory(root_);
    if (!names.ok()) return names.error();
    if (!how_.unfinished && kind_of(root_ / mark_name) == entry_kind::none)
      return fail(errc::not_finished);
    for (const std::string& name : *names) {
      blamed_ = root_ / name;
      const bool is_variable =
          is_directory(blamed_) && kind_of(blamed_ / data_name) != entry_kind::none;
      if (!is_variable) continue;
      if (const status opened = read_variable(root_ / name, name); !opened.ok()) return opened;
    }
    if (const status found = take_step(); !found.ok()) return found;
    fill();
    return {};
  }

 private:
  /// What there is; something that cannot be asked will fail when it is opened.
  [[nodiscard]] static entry_kind kind_of(const path& name) {
    const result<entry_kind> found = entry_at(name);
    return found.ok() ? *found : entry_kind::other;
  }

  /// A directory that is a variable itself is called as it is.
  [[nodiscard]] status read_single() {
    const std::string name = ckpt::detail::last_name(root_);
    if (const status opened = read_variable(root_, name); !opened.ok()) return opened;
    fill();
    return {};
  }

  [[nodiscard]] status read_variable(const path& directory, const std::string& name) {
    blamed_ = directory;
    if (!ckpt::detail::is_harmless_name(name)) return fail(errc::invalid_name);
    variable found;
    found.name = name;
    if (const status formed = read_form(directory, found); !formed.ok()) return formed;
    blamed_ = directory / data_name;
    if (const status mapped = ckpt::detail::map_whole(blamed_, to_, found.bytes); !mapped.ok())
      return mapped;
    if (found.bytes.size() != found.form.byte_size())
      return fail(errc::size_mismatch, found.form.byte_size(), found.bytes.size());
    variables_.push_back(std::move(found));
    return {};
  }

  [[nodiscard]] status read_form(const path& directory, variable& found) {
    blamed_ = directory / meta_name;
    std::vector<std::byte> meta;
    const status read = ckpt::detail::read_whole(blamed_, max_meta_bytes, meta);
    if (read.kind == errc::not_found) return form_without_meta(found, read);
    if (!read.ok()) return read;
    const auto parsed =
        parse_meta(name_view(reinterpret_cast<const char*>(meta.data()), meta.size()));
    if (!parsed.ok()) return parsed.error();
    found.form = *parsed;
    return {};
  }

  /// The form that the caller's model gives a weight or, by its suffix, a slot.
  [[nodiscard]] status form_without_meta(variable& found, const status& missing) const {
    if (starts_with(found.name, step_prefix)) {
      found.form = ckpt::detail::step_form;
      return {};
    }
    const std::size_t index = find_in_model(found.name);
    if (index < how_.model.size()) {
      found.form = how_.model[index].form();
    } else if (!(how_.optimizer.slot_count > 0 ? form_of_slot(how_.optimizer, found)
                                               : form_of_known_slot(found))) {
      return missing;
    }
    return found.form.byte_size() == overflowed ? fail(errc::invalid_shape) : status{};
  }
  [[nodiscard]] std::size_t find_in_model(name_view name) const noexcept {
    std::size_t index = 0;
    while (index < how_.model.size() && how_.model[index].name() != name) ++index;
    return index;
  }
  [[nodiscard]] bool form_of_known_slot(variable& found) const {
    for (const optimizer_view& each : ckpt::detail::known_optimizers)
      if (form_of_slot(each, found)) return true;
    return false;
  }
  [[nodiscard]] bool form_of_slot(const optimizer_view& optimizer, variable& found) const {
    const std::size_t forms = optimizer.forms.size();
    if (forms != 0 && forms != optimizer.slot_count * how_.model.size()) return false;
    for (std::size_t s = 0; s < optimizer.slot_names.size(); ++s) {
      const std::string suffix = suffix_of(optimizer.name, optimizer.slot_names[s]);
      if (found.name.size() <= suffix.size()) continue;
      const std::size_t length = found.name.size() - suffix.size();
      if (found.name.compare(length, suffix.size(), suffix) != 0) continue;
      const std::size_t index = find_in_model(name_view(found.name.data(), length));
      if (index == how_.model.size()) continue;
      found.form = optimizer.slot_form(s, how_.model[index], index);
      return true;
    }
    return false;
  }

  /// Moves the step from the variables to the training state.
  [[nodiscard]] status take_step() {
    std::size_t steps = 0;
    std::size_t chosen = ckpt::detail::no_variable;
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      const std::string_view name = variables_[v].name;
      if (!starts_with(name, step_prefix)) continue;
      if (!how_.job.empty() && name.substr(step_prefix.size()) != how_.job) continue;
      ++steps;
      chosen = v;
    }
    if (steps == 0) return {};
    blamed_ = root_ / variables_[chosen].name;
    if (steps > 1) return fail(errc::bad_training_state, 1, steps).in(section::footer);
    return ckpt::detail::take_step(variables_, chosen, to_.training.step);
  }

  void fill() {
    using namespace ckpt::detail;
    const optimizer_view none;
    const slot_claims claims = how_.find_slots ? find_slots(variables_, how_.optimizer, suffix_of)
                                               : slot_claims(variables_, none, suffix_of);
    const bool is_lamb = claims.optimizer().name == "adam" && has_powers(claims);
    const auto is_frozen = [](const std::string& name) { return starts_with(name, system_prefix); };
    fill_contents(variables_, claims, is_lamb ? lamb::name : claims.optimizer().name, is_frozen,
                  to_);
  }
  /// Only OneFlow's LAMB keeps the powers of its betas.
  [[nodiscard]] bool has_powers(const ckpt::detail::slot_claims& claims) const {
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      const std::string& name = variables_[v].name;
      if (claims.has_slots(v) && has_variable(name + "-beta1_t") && has_variable(name + "-beta2_t"))
        return true;
    }
    return false;
  }
  [[nodiscard]] bool has_variable(const std::string& name) const {
    return ckpt::detail::find_variable(variables_, name) != ckpt::detail::no_variable;
  }

  const path& root_;
  const open_options& how_;
  contents& to_;
  path blamed_;
  std::vector<variable> variables_;
};

}  // namespace detail

/// Opens a tree of OneFlow: checks and maps every variable, reads none. The tensors are in the
/// order of their names, entries that are no variables are left aside, and a directory with `out`
/// right in it is that one variable. A variable is a slot only where its weight is there and all
/// slots of that weight are, in the form of the weight; where slots were found, weights without are
/// frozen. A tree cannot tell AdamW from Adam. What is opened loads by name, and stays valid as
/// long as nobody cuts the files.
/// @errors not_finished, invalid_name, size_mismatch (`out` and its shape), bad_syntax,
///         unsupported_feature, unsupported_dtype, invalid_shape, limit_exceeded (`meta`),
///         bad_training_state (the step; several jobs and none chosen),
///         not_found (also `meta`, of a variable that the model does not know), empty_path,
///         invalid_path, permission_denied, not_a_regular_file, too_large, no_memory, input_output
[[nodiscard]] inline file_result<contents> open(const path& directory,
                                                const open_options& how = {}) {
  contents made;
  detail::tree_reader reader(directory, how, made);
  const status done = ckpt::detail::without_exceptions([&] { return reader.read(); });
  if (done.ok()) return file_result<contents>(std::move(made));
  return {done, ckpt::detail::file_message("open", reader.blamed(), done, {})};
}

}  // namespace ckpt::oneflow

#endif  // CKPT_INTEROP_ONEFLOW_OPEN_HPP
