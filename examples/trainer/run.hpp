#ifndef CKPT_EXAMPLES_TRAINER_RUN_HPP
#define CKPT_EXAMPLES_TRAINER_RUN_HPP

// A run as the flags say.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoints.hpp"
#include "ckpt/ckpt.hpp"
#include "data.hpp"
#include "init_from.hpp"
#include "model.hpp"
#include "optimizers.hpp"
#include "printing.hpp"
#include "settings.hpp"
#include "training.hpp"

namespace trainer {

/// Flags that only go together, or never.
inline void check_initial(const settings& chosen) {
  if (!chosen.checkpoint.empty() && !chosen.init_from.empty())
    stop("--checkpoint resumes a run, --init_from begins one: give one of them");
  const bool has_rules =
      !chosen.exclude.empty() || !chosen.renames.empty() || !chosen.init_model.empty();
  if (chosen.init_from.empty() && has_rules)
    stop("--exclude, --rename and --init_model say how to load from a file: give --init_from too");
  for (std::size_t i = 0; i < chosen.renames.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (chosen.renames[i].from == chosen.renames[j].from &&
          chosen.renames[i].is_prefix == chosen.renames[j].is_prefix)
        stop("--rename " + chosen.renames[j].words + " and --rename " + chosen.renames[i].words +
             ": only one name for each");
  if (chosen.export_checkpoint.empty() && chosen.export_format_given)
    stop("--export_checkpoint_format says how to save: give --export_checkpoint too");
}

/// Checks that need more than one flag.
inline void check(const settings& chosen) {
  const bool has_data = !chosen.input_file.empty();
  if (has_data != !chosen.expected_file.empty())
    stop("--load_input:raw and --load_expected:raw go together: give both or none");
  if (!has_data && (chosen.input_size != 0 || chosen.output_size != 0))
    stop("--input_size and --output_size describe raw data: give --load_input:raw too");
  if (chosen.output_size == 1 && chosen.loss == loss_kind::categorical_crossentropy)
    stop("--output_size 1: must be at least 2 for --loss 2 (categorical crossentropy)");
  const auto layers = static_cast<std::int64_t>(chosen.hidden.size() + 1);
  if (chosen.trainable_layers > layers)
    stop("--num_of_trainable_ops " + std::to_string(chosen.trainable_layers) +
         ": must be -1 (all), 0 (none) or up to the number of layers, here " +
         std::to_string(layers));
  check_initial(chosen);
  const fs::path directory = chosen.export_checkpoint.parent_path();
  if (!directory.empty() && !fs::is_directory(directory))
    stop("--export_checkpoint " + chosen.export_checkpoint.string() + ": its directory must exist");
}

inline std::vector<std::size_t> widths_of(const samples& data, const settings& chosen) {
  std::vector<std::size_t> widths = {data.input_size};
  widths.insert(widths.end(), chosen.hidden.begin(), chosen.hidden.end());
  widths.push_back(data.output_size);
  return widths;
}

inline std::size_t trainable_layers(const settings& chosen) {
  return chosen.trainable_layers < 0 ? chosen.hidden.size() + 1
                                     : static_cast<std::size_t>(chosen.trainable_layers);
}

inline void print_tensors(const ckpt::model_view& model) {
  for (const ckpt::tensor_spec& tensor : model.tensors)
    std::printf("  %.*s: %s floats%s\n", static_cast<int>(tensor.name().size()),
                tensor.name().data(), std::to_string(tensor.extents().element_count()).c_str(),
                tensor.purpose() == ckpt::role::frozen ? ", frozen" : "");
}

/// Gives the state its first values, and says where they come from.
template <class State>
std::string begin(State& state, const settings& chosen) {
  return chosen.init_from.empty() ? start(state, chosen) : initialize_from(state, chosen);
}

template <class Optimizer>
void run_with(settings chosen) {
  const samples data = chosen.input_file.empty() ? make_spirals() : read_samples(chosen);
  const ckpt::model_builder tables = network_of(widths_of(data, chosen), trainable_layers(chosen));
  ckpt::state<ckpt::dynamic_model, Optimizer> state(tables.model());
  const std::string told = begin(state, chosen);
  settle(state.training, chosen, default_learning_rate<Optimizer>());
  print_settings(chosen, name_of<Optimizer>());
  if (chosen.verbose_level > 1) print_tensors(state.model());
  tell(told);
  train(state, data, chosen);
}

inline void run(const settings& chosen) {
  check(chosen);
  switch (chosen.optimizer) {
    case optimizer_kind::sgd: return run_with<ckpt::sgd>(chosen);
    case optimizer_kind::adam: return run_with<ckpt::adam>(chosen);
    case optimizer_kind::momentum: return run_with<ckpt::momentum>(chosen);
  }
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_RUN_HPP
