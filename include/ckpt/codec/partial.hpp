#ifndef CKPT_CODEC_PARTIAL_HPP
#define CKPT_CODEC_PARTIAL_HPP

#include <cstddef>
#include <type_traits>

#include "ckpt/codec/contents.hpp"
#include "ckpt/codec/partial_copy.hpp"
#include "ckpt/codec/partial_report.hpp"
#include "ckpt/codec/state_view.hpp"
#include "ckpt/model/match.hpp"
#include "ckpt/model/static_match.hpp"

namespace ckpt {

namespace detail {

/// @errors those of load_by_name() that are not those of match_by_name()
template <byte_order Host, class Model, class Optimizer>
partial_report load_planned(const contents_view& source, state_view<Model, Optimizer>& state,
                            const match_plan& plan) noexcept {
  if (!plan.ok()) return partial_report(plan);
  const status bound = check_targets(plan, state.pointers());
  if (!bound.ok()) return partial_report(plan.failing(bound));
  const bool with_training = takes_training(plan);
  if (with_training)
    if (const status fits = check_fits(source.values, state.user_values); !fits.ok())
      return partial_report(plan.failing(fits));
  partial_report report(plan);
  deliver_all<Host>(source, state.pointers(), report);
  report.training_loaded = with_training;
  if (!report.training_loaded) return report;
  state.training = source.training;
  if (state.user_values != nullptr) static_cast<void>(state.user_values->assign(source.values));
  return report;
}

}  // namespace detail

/// Loads what a checkpoint holds into the tensors of a state that have the same names, whatever the
/// order, as the rules say. Strict unless they allow something. Everything is checked before
/// anything is touched; what is not loaded is untouched to the last bit. It can be called again to
/// add from other files.
///
///     load_by_name(file, state, ckpt::match_rules{}, memory);     // all, strictly
///     load_by_name(file, state, ckpt::common_names, memory);      // what both have
///     load_by_name(file, state, ckpt::picking({{"z", "x"}}), memory);
///
/// @param source  must not lie in the memory of the state
/// @param memory  for `match_entries_needed()` entries; the report lies in it
/// @tparam Host  byte order of the tensors in memory
/// @errors count_mismatch and size_mismatch (the source contradicts itself), those of
///         match_by_name(), unbound_tensor, buffer_too_small (for the user's values)
template <byte_order Host = host_byte_order, class Model, class Optimizer>
partial_report load_by_name(const contents_view& source, state_view<Model, Optimizer>& state,
                            const match_rules& rules, span<match_entry> memory) noexcept {
  const match_side file{source.model, source.optimizer};
  const match_side model{state.model(), state.optimizer()};
  if (const status sound = source.check(); !sound.ok())
    return partial_report(match_plan(file, model, {}, rules).failing(sound));
  return detail::load_planned<Host>(source, state, match_by_name(file, model, rules, memory));
}

/// The same by a plan that the compiler has made; needs no memory and looks for no names. The file
/// must hold just the tensors that the plan was made for, in their order.
/// @tparam Plan  a `static_match`
/// @errors count_mismatch, size_mismatch, optimizer_mismatch, name_mismatch, dtype_mismatch,
///         shape_mismatch, role_mismatch (the source is another), unbound_tensor,
///         buffer_too_small (for the user's values)
template <class Plan, byte_order Host = host_byte_order, class Model, class Optimizer>
partial_report load_by_plan(const contents_view& source,
                            state_view<Model, Optimizer>& state) noexcept {
  static_assert(std::is_same_v<Model, typename Plan::model_type> &&
                    std::is_same_v<Optimizer, typename Plan::optimizer_type>,
                "ckpt: the plan was made for a state of another model or optimizer");
  status same = source.check();
  if (same.ok()) same = detail::check_is(source, Plan::plan.file());
  return detail::load_planned<Host>(source, state,
                                    same.ok() ? Plan::plan : Plan::plan.failing(same));
}

/// The same contents with the names, dtypes and shapes of a model, for files that hold none.
/// Tensors are taken by position; their sizes must be those of the model.
/// @errors count_mismatch, optimizer_mismatch, size_mismatch
[[nodiscard]] constexpr result<contents_view> named_as(const contents_view& source,
                                                       const match_side& model) noexcept {
  if (source.model.size() != model.model.size())
    return fail(errc::count_mismatch, model.model.size(), source.model.size());
  if (source.optimizer.slot_count != model.optimizer.slot_count)
    return fail(errc::optimizer_mismatch, model.optimizer.slot_count, source.optimizer.slot_count);
  contents_view named = source;
  named.model = model.model;
  named.optimizer = model.optimizer;
  if (const status fits = named.check(); !fits.ok()) return fits;
  return named;
}
/// The same with a static model: `named_as<mlp, ckpt::adam>(file)`.
template <class Model, class Optimizer>
[[nodiscard]] constexpr result<contents_view> named_as(const contents_view& source) noexcept {
  return named_as(source, detail::side_of<Model, Optimizer>());
}

}  // namespace ckpt

#endif  // CKPT_CODEC_PARTIAL_HPP
