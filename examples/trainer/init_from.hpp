#ifndef CKPT_EXAMPLES_TRAINER_INIT_FROM_HPP
#define CKPT_EXAMPLES_TRAINER_INIT_FROM_HPP

// Fine-tuning: a network begins with tensors of another, found by their names.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "checkpoints.hpp"
#include "ckpt/checkpoint/load_by_name.hpp"
#include "ckpt/ckpt.hpp"
#include "ckpt/interop/model_text.hpp"
#include "model.hpp"
#include "settings.hpp"

namespace trainer {

/// What the flags say as ckpt wants it; views the settings.
struct name_rules {
  std::vector<ckpt::rename_rule> renames;
  std::vector<ckpt::rename_rule> prefixes;
  std::vector<ckpt::name_view> exclude;

  explicit name_rules(const settings& chosen)
      : exclude(chosen.exclude.begin(), chosen.exclude.end()) {
    for (const rename_flag& given : chosen.renames)
      (given.is_prefix ? prefixes : renames).push_back({given.from, given.to});
  }

  /// The file may lack tensors and hold others, but none of another shape. Only weights are taken.
  ckpt::match_rules weights() const {
    return ckpt::common_names.renaming(renames)
        .renaming_prefixes(prefixes)
        .excluding(exclude)
        .with_slots(ckpt::slot_rule::untouched)
        .with_training(ckpt::training_rule::never);
  }
  /// Where nothing is missing: slots, step and epoch as well.
  ckpt::match_rules everything() const {
    return weights()
        .with_slots(ckpt::slot_rule::follow)
        .with_training(ckpt::training_rule::when_whole);
  }
};

inline std::string blame_init(const settings& chosen) {
  return "--init_from " + chosen.init_from.string() + ": ";
}

/// What kind of file it is, as far as it can be told; whoever loads it says better what is wrong.
inline ckpt::file_map map_of(const fs::path& file) {
  const auto mapped = ckpt::native_mapping::open(file);
  if (!mapped) return {};
  const auto found = ckpt::detect(mapped->bytes());
  return found ? *found : ckpt::file_map{};
}

/// The tensors that `--init_model` lists; none without it.
inline ckpt::model_builder read_model(const settings& chosen) {
  if (chosen.init_model.empty()) return {};
  auto read = ckpt::model_text::open(chosen.init_model);
  if (!read) stop("--init_model: " + read.message());
  return std::move(*read);
}

/// Tensors are found by name, so names must come from somewhere, and from one place.
inline void check_names(const ckpt::file_map& map, const settings& chosen) {
  const bool are_given = !chosen.init_model.empty();
  if (!map.has_manifest() && !are_given)
    stop(blame_init(chosen) + "the file has no names; say what its tensors are with --init_model");
  if (map.has_manifest() && are_given)
    stop(blame_init(chosen) + "the file has names of its own; leave --init_model out");
}

inline bool begins_with(const std::string& name, const std::string& beginning) {
  return name.compare(0, beginning.size(), beginning) == 0;
}

/// The name in the network of what is called so in the file: a rule for the whole name counts, then
/// the longest beginning.
inline std::string renamed(const std::string& name, const settings& chosen) {
  const rename_flag* best = nullptr;
  for (const rename_flag& rule : chosen.renames) {
    if (!rule.is_prefix && rule.from == name) return rule.to;
    if (!rule.is_prefix || !begins_with(name, rule.from)) continue;
    if (best == nullptr || rule.from.size() > best->from.size()) best = &rule;
  }
  return best == nullptr ? name : best->to + name.substr(best->from.size());
}

/// The names of all tensors that the file has.
inline std::vector<std::string> names_in_file(const ckpt::name_report& report) {
  std::vector<std::string> names;
  for (const auto* list :
       {&report.loaded, &report.unexpected, &report.mismatched, &report.excluded})
    for (const ckpt::named_outcome& tensor : *list)
      if (!tensor.name_in_file.empty()) names.push_back(tensor.name_in_file);
  return names;
}

/// A rule that fits nothing is a slip of the pen, and would change the result unseen.
inline void check_rules(const ckpt::name_report& report, const ckpt::model_view& network,
                        const settings& chosen) {
  const std::vector<std::string> in_file = names_in_file(report);
  std::vector<std::string> names;  // in the network
  for (const ckpt::tensor_spec& tensor : network) names.emplace_back(tensor.name());
  for (const std::string& name : in_file) names.push_back(renamed(name, chosen));
  for (const rename_flag& rule : chosen.renames) {
    const auto fits = [&](const std::string& name) {
      return rule.is_prefix ? begins_with(name, rule.from) : name == rule.from;
    };
    if (std::none_of(in_file.begin(), in_file.end(), fits))
      stop("--rename " + rule.words + ": " + chosen.init_from.string() + " has no such tensor");
  }
  for (const std::string& pattern : chosen.exclude) {
    const auto fits = [&](const std::string& name) { return ckpt::fits_pattern(pattern, name); };
    if (std::none_of(names.begin(), names.end(), fits))
      stop("--exclude " + pattern + ": neither the network nor " + chosen.init_from.string() +
           " has such a tensor");
  }
}

/// Begins with the weights that the file has under the names of the network; the others keep their
/// initial values.
template <class Model, class Optimizer>
ckpt::name_report load_weights(ckpt::state<Model, Optimizer>& state, const settings& chosen,
                               const ckpt::match_rules& rules, const ckpt::open_options& options) {
  const ckpt::file_map map = map_of(chosen.init_from);
  auto report = ckpt::load_by_name(chosen.init_from, state, rules, options);
  if (!report && names_in_file(report).empty()) stop("--init_from: " + report.message());
  check_names(map, chosen);
  check_rules(report, state.model(), chosen);
  if (!report) {
    const bool is_misfit = !report.mismatched.empty();
    std::printf("%s", report.table().c_str());
    stop("--init_from: " + report.message() + (is_misfit ? "; --exclude leaves them out" : ""));
  }
  if (report.loaded.empty()) stop(blame_init(chosen) + "no tensor of it is one of the network");
  return report;
}

/// Gives a network its first values from a file. Where all of them came, and the optimizer is the
/// same, its slots, step and epoch come too; otherwise they start at zero.
/// @returns what is to be told
template <class Model, class Optimizer>
std::string initialize_from(ckpt::state<Model, Optimizer>& state, const settings& chosen) {
  initialize(state);
  const ckpt::model_builder tensors = read_model(chosen);
  ckpt::open_options options;
  options.model = tensors.model().view();
  const name_rules rules(chosen);
  const ckpt::name_report report = load_weights(state, chosen, rules.weights(), options);
  const std::size_t loaded = report.loaded.size();
  const std::string told = report.table() + "Initialized " + std::to_string(loaded) + " of " +
                           std::to_string(state.model().size()) + " tensors from " +
                           chosen.init_from.string();
  const bool is_whole =
      loaded == state.model().size() &&
      ckpt::load_by_name(chosen.init_from, state, rules.everything(), options).training_loaded;
  check_cursor(state.training, blame_init(chosen));
  if (is_whole) return told + "; goes on at " + progress_of(state.training);
  return told + "; step and epoch start at 0";
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_INIT_FROM_HPP
