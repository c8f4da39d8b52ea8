#ifndef CKPT_EXAMPLES_TRAINER_CHECK_SETTINGS_HPP
#define CKPT_EXAMPLES_TRAINER_CHECK_SETTINGS_HPP

// Checks that need more than one flag.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "settings.hpp"

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

inline void check_schedule(const settings& chosen) {
  const bool may_be_saved = chosen.directory.resume;
  if (chosen.schedule == schedule_kind::not_given && may_be_saved) return;
  if (chosen.schedule == schedule_kind::warmup_cosine) return;
  if (chosen.warmup_steps.has_value() || chosen.total_steps != 0)
    stop("--warmup_steps and --total_steps describe a schedule: give --lr_schedule warmup_cosine");
}

inline void check_directory(const settings& chosen) {
  const directory_settings& given = chosen.directory;
  if (given.name.empty() && !given.flag_given.empty())
    stop(given.flag_given + " says how to keep checkpoints: give --checkpoint_dir too");
  if (given.resume && !chosen.checkpoint.empty())
    stop(
        "--checkpoint and --resume both say where to go on, and count epochs in two ways: give "
        "one of them");
  if (given.best_metric == "val_loss" && chosen.validation_share == 0)
    stop("--keep_best val_loss: nothing is validated: give --validation_split too");
}

/// All of them.
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
  check_schedule(chosen);
  check_directory(chosen);
  const fs::path directory = chosen.export_checkpoint.parent_path();
  if (!directory.empty() && !fs::is_directory(directory))
    stop("--export_checkpoint " + chosen.export_checkpoint.string() + ": its directory must exist");
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_CHECK_SETTINGS_HPP
