#ifndef CKPT_EXAMPLES_TRAINER_CHECKPOINTS_HPP
#define CKPT_EXAMPLES_TRAINER_CHECKPOINTS_HPP

// Checkpoints: start or resume, and save.

#include <cstdint>
#include <limits>
#include <string>

#include "ckpt/ckpt.hpp"
#include "events.hpp"
#include "model.hpp"
#include "progress.hpp"
#include "settings.hpp"

namespace trainer {

inline std::string progress_of(const ckpt::training_state& training) {
  return "step " + std::to_string(training.step) + ", epoch " + std::to_string(training.epoch);
}

/// Of the formats, v2 can say that an epoch is half done. The figures of such an epoch are beside
/// the file, so it takes its directory to go on.
inline void check_cursor(const ckpt::training_state& training, const std::string& blame) {
  if (training.sample_cursor != 0)
    stop(blame + "it was saved within an epoch; --checkpoint_dir with --resume goes on from there");
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
/// the formats, v2 does), then the default.
/// @param usual  the learning rate of the optimizer
inline void settle(ckpt::training_state& training, settings& chosen, float usual) {
  const double saved_rate = training.learning_rate;
  const bool is_usable = saved_rate >= static_cast<double>((std::numeric_limits<float>::min)()) &&
                         saved_rate <= static_cast<double>((std::numeric_limits<float>::max)());
  if (chosen.learning_rate == 0 && is_usable) chosen.learning_rate = static_cast<float>(saved_rate);
  if (chosen.learning_rate == 0) chosen.learning_rate = usual;
  if (chosen.shuffle_seed == 0) chosen.shuffle_seed = training.shuffle_seed;
}

/// A state with what this program has to say in a file of that format: to save more than the format
/// holds would be refused.
template <class Model, class Optimizer>
ckpt::state_view<Model, Optimizer> as_saved(file_format format,
                                            const ckpt::state_view<Model, Optimizer>& state,
                                            const settings& chosen) {
  ckpt::state_view<Model, Optimizer> saved = state;
  saved.training = {};
  saved.training.step = state.training.step;
  saved.training.epoch = state.training.epoch;
  if (format != file_format::v2) return saved;
  saved.training.sample_cursor = state.training.sample_cursor;
  saved.training.shuffle_seed = chosen.shuffle_seed;
  saved.training.learning_rate = static_cast<double>(chosen.learning_rate);
  return saved;
}

/// After a crash at any moment the name holds the old file or the new one, whole.
template <class View>
ckpt::file_result<ckpt::save_report> save_as(file_format format, const fs::path& file,
                                             const View& state) {
  switch (format) {
    case file_format::onert_plus: return ckpt::save<ckpt::onert_plus>(file, state);
    case file_format::v2: return ckpt::save<ckpt::v2>(file, state);
    case file_format::onert: break;
  }
  return ckpt::save<ckpt::onert>(file, state);
}

/// Saves to `--export_checkpoint` after every epoch.
template <class Model, class Optimizer>
class exporter final : public event_handler {
 public:
  exporter(const ckpt::state_view<Model, Optimizer>& trained, const settings& chosen)
      : state_(trained), chosen_(chosen) {}

  void end_epoch(std::uint64_t, const epoch_result&) override {
    const auto saved = save_as(chosen_.export_format, chosen_.export_checkpoint,
                               as_saved(chosen_.export_format, state_, chosen_));
    if (!saved.ok()) stop("--export_checkpoint: " + saved.message());
    if (chosen_.verbose_level > 0)
      print("Saved checkpoint " + chosen_.export_checkpoint.string() + ": " +
            progress_of(state_.training) + ", " + std::to_string(saved->file_bytes) + " bytes");
  }

 private:
  const ckpt::state_view<Model, Optimizer>& state_;
  const settings& chosen_;
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_CHECKPOINTS_HPP
