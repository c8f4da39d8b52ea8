#ifndef CKPT_EXAMPLES_TRAINER_CHECKPOINTS_HPP
#define CKPT_EXAMPLES_TRAINER_CHECKPOINTS_HPP

// Checkpoints: start or resume, and save.

#include <cmath>
#include <limits>
#include <string>

#include "ckpt/ckpt.hpp"
#include "model.hpp"
#include "settings.hpp"

namespace trainer {

inline std::string progress_of(const ckpt::training_state& training) {
  return "step " + std::to_string(training.step) + ", epoch " + std::to_string(training.epoch);
}

/// Of the formats, v2 can say that an epoch is half done. This program never saves such a file.
inline void check_cursor(const ckpt::training_state& training, const std::string& blame) {
  if (training.sample_cursor != 0)
    stop(blame + "it was saved within an epoch, and this program goes on from the end of one");
}

/// A new run starts from the initial weights, a resumed one from its checkpoint, in any format. A
/// load that fails for what the file holds has changed nothing.
/// @returns what is to be told
template <class Model, class Optimizer>
std::string start(ckpt::state<Model, Optimizer>& state, const settings& chosen) {
  if (chosen.checkpoint.empty()) {
    initialize(state);
    return {};
  }
  const auto loaded = ckpt::load(chosen.checkpoint, state);
  if (!loaded.ok()) stop("--checkpoint: " + loaded.message());
  check_cursor(state.training, "--checkpoint " + chosen.checkpoint.string() + ": ");
  return "Restored checkpoint " + chosen.checkpoint.string() + ": " + progress_of(state.training);
}

/// Brings flags and checkpoint together. What a flag says counts, then what the checkpoint says (of
/// the formats, v2 does), then the default. Afterwards the state holds what is to be saved.
/// @param usual  the learning rate of the optimizer
inline void settle(ckpt::training_state& training, settings& chosen, float usual) {
  const double saved_rate = training.learning_rate;
  const bool is_usable = saved_rate >= static_cast<double>((std::numeric_limits<float>::min)()) &&
                         saved_rate <= static_cast<double>((std::numeric_limits<float>::max)());
  if (chosen.learning_rate == 0 && is_usable) chosen.learning_rate = static_cast<float>(saved_rate);
  if (chosen.learning_rate == 0) chosen.learning_rate = usual;
  if (chosen.shuffle_seed == 0) chosen.shuffle_seed = training.shuffle_seed;
  ckpt::training_state kept;
  kept.step = training.step;
  kept.epoch = training.epoch;
  if (chosen.export_format == file_format::v2) {
    kept.learning_rate = static_cast<double>(chosen.learning_rate);
    kept.shuffle_seed = chosen.shuffle_seed;
  }
  training = kept;
}

/// After a crash at any moment the name holds the old file or the new one, whole.
template <class State>
ckpt::file_result<ckpt::save_report> save_as(file_format format, const fs::path& file,
                                             const State& state) {
  switch (format) {
    case file_format::onert_plus: return ckpt::save<ckpt::onert_plus>(file, state);
    case file_format::v2: return ckpt::save<ckpt::v2>(file, state);
    case file_format::onert: break;
  }
  return ckpt::save<ckpt::onert>(file, state);
}

template <class State>
void save(const State& state, const settings& chosen) {
  const auto saved = save_as(chosen.export_format, chosen.export_checkpoint, state);
  if (!saved.ok()) stop("--export_checkpoint: " + saved.message());
  if (chosen.verbose_level > 0)
    print("Saved checkpoint " + chosen.export_checkpoint.string() + ": " +
          progress_of(state.training) + ", " + std::to_string(saved->file_bytes) + " bytes");
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_CHECKPOINTS_HPP
