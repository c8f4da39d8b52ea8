#ifndef CKPT_MODEL_STATIC_MATCH_HPP
#define CKPT_MODEL_STATIC_MATCH_HPP

#include <array>
#include <cstddef>

#include "ckpt/model/check.hpp"
#include "ckpt/model/match.hpp"
#include "ckpt/model/optimizer/sgd.hpp"

namespace ckpt {

/// Tensors of both models and renames that the compiler matches at most.
inline constexpr std::size_t entries_matched_by_compiler = 2 * names_checked_by_compiler;

/// The rules that allow nothing to be left over.
inline constexpr match_rules strict_rules{};

namespace detail {

/// A plan before it is known how many entries it has.
template <std::size_t Size>
struct static_table {
  std::array<match_entry, Size> entries{};
  std::size_t count = 0;
  status error{};
};

template <class Model, class Optimizer>
[[nodiscard]] constexpr match_side side_of() noexcept {
  return {view_of<Model>(), view_of_optimizer<Optimizer>()};
}

template <class File, class Model, const match_rules& Rules, class FileOptimizer,
          class ModelOptimizer>
[[nodiscard]] constexpr auto match_by_compiler() noexcept {
  constexpr match_side file = side_of<File, FileOptimizer>();
  constexpr match_side model = side_of<Model, ModelOptimizer>();
  constexpr std::size_t needed = match_entries_needed(file.model, model.model, Rules);
  static_table<needed> table{};
  if constexpr (needed <= entries_matched_by_compiler) {
    const match_plan plan =
        match_by_name(file, model, Rules, span<match_entry>(table.entries.data(), needed));
    table.count = plan.entries().size();
    table.error = plan.error();
  }
  return table;
}

template <std::size_t Size, std::size_t Larger>
[[nodiscard]] constexpr std::array<match_entry, Size> first_entries(
    const std::array<match_entry, Larger>& all) noexcept {
  std::array<match_entry, Size> first{};
  for (std::size_t i = 0; i < Size; ++i) first[i] = all[i];
  return first;
}

/// Stops the compiler where a plan has this error.
template <errc Error>
constexpr bool check_static_match() noexcept {
  static_assert(Error != errc::no_names,
                "ckpt: models are matched by name, and a tensor has none; name it in the model");
  static_assert(Error != errc::duplicate_name,
                "ckpt: two tensors of the file, or of the model, get the same name; change their "
                "names or the rules");
  static_assert(Error != errc::invalid_rules,
                "ckpt: two rules are for one name or prefix, or a filter or rows are for a tensor "
                "that the model does not have (see ckpt/model/match_rules.hpp)");
  static_assert(Error != errc::no_optimizer_state && Error != errc::optimizer_mismatch,
                "ckpt: the optimizers have other slots; choose slot_rule::cold or untouched with "
                "rules.with_slots()");
  static_assert(Error != errc::missing_tensor,
                "ckpt: the file lacks tensors of the model; rename or exclude them, or allow it "
                "with `missing` (see ckpt/model/match_rules.hpp)");
  static_assert(Error != errc::unexpected_tensor,
                "ckpt: the model lacks tensors of the file; rename or exclude them, or allow it "
                "with `unexpected` (see ckpt/model/match_rules.hpp)");
  static_assert(Error != errc::dtype_mismatch && Error != errc::shape_mismatch &&
                    Error != errc::role_mismatch,
                "ckpt: a tensor of the file, or a slot of it, has another dtype or shape than in "
                "the model; exclude it, or allow it with `mismatched` (see "
                "ckpt/model/match_rules.hpp)");
  return true;
}

}  // namespace detail

/// The plan of a load by name between two static models, made by the compiler. One that its rules
/// do not allow does not compile.
///
///     inline constexpr auto fine_tuning =
///         ckpt::may_lack.renaming_prefixes({{"backbone.", "encoder."}});
///     using plan = ckpt::static_match<base_net, net, fine_tuning, ckpt::adam>;
///     const auto report = ckpt::load_by_plan<plan>(file, state);
///
/// @tparam Rules  a constant with a place of its own: at namespace scope, or a static member
template <class File, class Model, const match_rules& Rules = strict_rules,
          class FileOptimizer = sgd, class ModelOptimizer = FileOptimizer>
class static_match {
  static_assert(match_entries_needed(view_of<File>(), view_of<Model>(), Rules) <=
                    entries_matched_by_compiler,
                "ckpt: these models are too large to be matched by the compiler; use "
                "ckpt::match_by_name() at run time");

  static constexpr auto table =
      detail::match_by_compiler<File, Model, Rules, FileOptimizer, ModelOptimizer>();
  static_assert(detail::check_static_match<table.error.kind>());

 public:
  using model_type = Model;
  using optimizer_type = ModelOptimizer;

  /// The table of the plan.
  static constexpr std::array<match_entry, table.count> entries =
      detail::first_entries<table.count>(table.entries);
  /// The plan; its lists are views of `entries`.
  static constexpr match_plan plan{detail::side_of<File, FileOptimizer>(),
                                   detail::side_of<Model, ModelOptimizer>(),
                                   span<const match_entry>(entries.data(), entries.size()), Rules};
};

}  // namespace ckpt

#endif  // CKPT_MODEL_STATIC_MATCH_HPP
