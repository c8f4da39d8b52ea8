#ifndef CKPT_EXAMPLES_TRAINER_MANAGED_RUN_HPP
#define CKPT_EXAMPLES_TRAINER_MANAGED_RUN_HPP

// A run with a directory of checkpoints: begins or resumes, trains, ends.

#include <cstdlib>
#include <optional>
#include <string>

#include "checkpoint_keeper.hpp"
#include "checkpoints.hpp"
#include "ckpt/store.hpp"
#include "data.hpp"
#include "loss_guard.hpp"
#include "managed_directory.hpp"
#include "optimizers.hpp"
#include "run_arguments.hpp"
#include "settings.hpp"
#include "start_training.hpp"

namespace trainer {

/// Where a run starts.
struct starting_point {
  std::optional<ckpt::loaded_checkpoint> loaded;  // none: a new run begins
  run_progress progress;
  std::string told;  // what is to be printed about it
};

inline std::string words_of(const ckpt::loaded_checkpoint& loaded, const run_progress& progress,
                            const ckpt::training_state& training, const settings& chosen) {
  std::string words = "Restored " + checkpoint_name(loaded.entry.serial) + " of " +
                      chosen.directory.name.string() + ": " + progress_of(training);
  if (progress.epoch.steps != 0)
    words += " and " + std::to_string(progress.epoch.steps) + " steps of the next";
  return training.epoch < chosen.epochs ? words : words + "; nothing is left to train";
}

/// Goes on from the newest good checkpoint. The first of a run is as good as any other: nothing
/// here asks whether a serial is 0.
template <class State, class Directory>
starting_point resume(State& state, Directory& directory, settings& chosen) {
  starting_point from;
  from.loaded = directory.load(state);
  if (from.loaded) {
    const argument_reader arguments(from.loaded->entry.arguments);
    read_progress(arguments, state.training, from.progress);
    read_settings(arguments, state.training, chosen);
    from.told = words_of(*from.loaded, from.progress, state.training, chosen);
  } else {
    const std::string told = begin(state, chosen);
    from.told = "No checkpoint in " + chosen.directory.name.string() + " yet: a new run begins" +
                (told.empty() ? "" : "\n") + told;
  }
  return from;
}

template <class State, class Directory>
starting_point begin_or_resume(State& state, Directory& directory, settings& chosen) {
  if (chosen.directory.resume) return resume(state, directory, chosen);
  directory.check_unused();
  starting_point from;
  from.told = begin(state, chosen);
  return from;
}

/// The last checkpoint, or none of them; and how it ended, as an exit code.
template <class Keeper, class Directory>
int end_managed(Keeper& keeper, Directory& directory, const ckpt::training_state& training,
                const settings& chosen) {
  const int signal_number = ckpt::stop_signals::signal_number();
  directory.wait();
  const bool cleans =
      chosen.directory.clean_on_success && signal_number == 0 && !directory.has_failed();
  if (!cleans) keeper.save_unless_saved();
  directory.wait();
  if (directory.has_failed()) return EXIT_FAILURE;
  if (cleans) directory.remove_all();
  if (signal_number == 0) return EXIT_SUCCESS;
  print("Stopped by signal " + std::to_string(signal_number) +
        " and saved: " + progress_of(training) + "; --resume goes on from there");
  return 128 + signal_number;
}

/// @returns the exit code
template <class Optimizer, class Format>
int run_managed(const samples& data, const ckpt::dynamic_model& model, settings chosen) {
  managed_directory<Optimizer, Format> directory(chosen, model);
  ckpt::state<ckpt::dynamic_model, Optimizer> state(model);
  const starting_point from = begin_or_resume(state, directory, chosen);
  settle(state.training, chosen, default_learning_rate<Optimizer>());
  ready_run run(state, data, chosen);
  const std::uint64_t steps = run.loop.divided().training.count();
  if (from.loaded)
    check_batches(argument_reader(from.loaded->entry.arguments), state.training, chosen, steps);
  run.loop.progress = from.progress;
  run.announce(from.told);

  [[maybe_unused]] const ckpt::stop_signals listening = ckpt::stop_signals::watch().or_throw();
  loss_guard guard(directory, state, run.loop.progress, run.loop.control, chosen);
  checkpoint_keeper keeper(directory, state, run.loop.progress, run.loop.control, chosen, steps);
  if (from.loaded) keeper.note_saved();
  run.train({&guard, &keeper});
  return end_managed(keeper, directory, state.training, chosen);
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_MANAGED_RUN_HPP
