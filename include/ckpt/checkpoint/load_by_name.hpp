#ifndef CKPT_CHECKPOINT_LOAD_BY_NAME_HPP
#define CKPT_CHECKPOINT_LOAD_BY_NAME_HPP

#include <cstddef>
#include <memory>
#include <new>
#include <string>

#include "ckpt/checkpoint/contents.hpp"
#include "ckpt/checkpoint/name_report.hpp"
#include "ckpt/checkpoint/open_contents.hpp"
#include "ckpt/codec/partial.hpp"

namespace ckpt {

namespace detail {

/// @param words  what is loaded, for messages: "'a.ckpt'"
template <class Model, class Optimizer>
name_report load_contents_by_name(const contents_view& source, state_view<Model, Optimizer>& state,
                                  const match_rules& rules, const std::string& words) {
  const match_side file{source.model, source.optimizer};
  const match_side model{state.model(), state.optimizer()};
  const std::size_t count = match_entries_needed(file.model, model.model, rules);
  const std::unique_ptr<match_entry[]> memory(new (std::nothrow) match_entry[count + 1]);
  match_plan plan(file, model, {}, rules);
  if (memory == nullptr) {
    plan = plan.failing(fail(errc::no_memory, (count + 1) * sizeof(match_entry), 0));
  } else if (const status sound = source.check(); !sound.ok()) {
    plan = plan.failing(sound);
  } else {
    plan = match_by_name(file, model, rules, span<match_entry>(memory.get(), count));
  }
  // The words first: where memory is short for them, nothing has been touched.
  name_report report(words, plan, rules);
  const partial_report done = load_planned<host_byte_order>(source, state, plan);
  if (!done.ok()) return name_report(words, done, rules);
  report.training_loaded = done.training_loaded;
  report.weight_bytes = done.weight_bytes;
  report.slot_bytes = done.slot_bytes;
  report.cold_bytes = done.cold_bytes;
  return report;
}

}  // namespace detail

/// Loads what a checkpoint or a foreign container holds into the tensors of a state that have the
/// same names, whatever the order, as the rules say. Strict unless they allow something. Everything
/// is checked before anything is touched; what is not loaded is untouched to the last bit.
///
///     ckpt::load_by_name(file, state);                                         // all, strictly
///     ckpt::load_by_name(file, state, ckpt::common_names);                     // what both have
///     ckpt::load_by_name(file, state, ckpt::picking({{"z", "x"}}));            // one variable
///     ckpt::load_by_name(file, state, ckpt::may_lack.excluding({"head.*"}));   // all but the head
///     ckpt::load_by_name(file, state, ckpt::match_rules{}.taking_rows({{"emb", 0, 100}}));
///
/// Step and epoch come with it where the state becomes whole, or as `match_rules::training` says.
///
/// @param source  must not lie in the memory of the state
/// @errors no_memory, and those of load_by_name() in ckpt/codec/partial.hpp
template <class Model, class Optimizer>
name_report load_by_name(const contents_view& source, state_view<Model, Optimizer>& state,
                         const match_rules& rules = {}) {
  return detail::load_contents_by_name(source, state, rules, "the contents");
}
/// The same from contents that own their tables.
template <class Model, class Optimizer>
name_report load_by_name(const contents& source, state_view<Model, Optimizer>& state,
                         const match_rules& rules = {}) {
  return load_by_name(source.view(), state, rules);
}

/// The same from a checkpoint of this library, which is mapped for the time of the call:
/// `ckpt::load_by_name("base.ckpt", state, ckpt::common_names)`.
/// @param options  names, dtypes and shapes for a file that holds none
/// @errors those of open_contents() and of the above
template <class Model, class Optimizer>
name_report load_by_name(const path& source, state_view<Model, Optimizer>& state,
                         const match_rules& rules = {}, const open_options& options = {}) {
  const auto opened = open_contents(source, options);
  if (!opened.ok()) return name_report(opened.error(), opened.message());
  return detail::load_contents_by_name(opened->view(), state, rules, "'" + source.to_utf8() + "'");
}

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_LOAD_BY_NAME_HPP
