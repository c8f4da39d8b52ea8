#ifndef CKPT_EXAMPLES_TRAINER_CHECKPOINT_KEEPER_HPP
#define CKPT_EXAMPLES_TRAINER_CHECKPOINT_KEEPER_HPP

// Checkpoints while it trains: when one is saved, and with what.

#include <cstdint>
#include <optional>

#include "checkpoints.hpp"
#include "ckpt/store.hpp"
#include "events.hpp"
#include "managed_directory.hpp"
#include "run_arguments.hpp"
#include "settings.hpp"

namespace trainer {

/// Saves into the directory when the manager says that it is time, and when a signal asks for it.
/// Behind the last batch of an epoch it waits until the epoch is counted and validated.
template <class Optimizer, class Format>
class checkpoint_keeper final : public event_handler {
 public:
  using state_view = ckpt::state_view<ckpt::dynamic_model, Optimizer>;

  /// @param steps  of an epoch
  checkpoint_keeper(managed_directory<Optimizer, Format>& directory, const state_view& trained,
                    const run_progress& progress, loop_control& control, const settings& chosen,
                    std::uint64_t steps)
      : directory_(directory),
        state_(trained),
        progress_(progress),
        control_(control),
        chosen_(chosen),
        steps_(steps) {}

  /// A step will follow, perhaps from somewhere else.
  void begin_epoch(std::uint64_t) override { saved_.reset(); }

  void end_step(std::uint64_t epoch, std::uint64_t step, const figures&) override {
    is_due_ = directory_.should_save(state_.training.step, epoch);
    hear_signals();
    if (is_due_ && step + 1 < steps_) save();
  }

  void end_epoch(std::uint64_t epoch, const epoch_result& of) override {
    ended_ = of;
    hear_signals();
    const bool has_metric = chosen_.directory.best_metric == "val_loss" &&
                            epoch % chosen_.directory.epoch_interval == 0;
    if (is_due_ || has_metric) save();
  }

  /// What the state holds now is on the disk.
  void note_saved() { saved_ = position(); }

  /// So that no step is lost at the end of a run.
  void save_unless_saved() {
    if (saved_ != position()) save();
  }

 private:
  struct place {
    std::uint64_t step;
    std::uint64_t epoch;
    bool operator!=(const place& other) const { return step != other.step || epoch != other.epoch; }
  };
  place position() const { return {state_.training.step, state_.training.epoch}; }

  void hear_signals() {
    if (ckpt::stop_signals::take_save_request()) is_due_ = true;
    if (ckpt::stop_signals::stop_requested()) control_.stops = true;
  }

  void save() {
    is_due_ = false;
    directory_.save(as_saved(chosen_.directory.format, state_, chosen_),
                    arguments_of(state_.training, progress_, ended_, chosen_));
    note_saved();
  }

  managed_directory<Optimizer, Format>& directory_;
  const state_view& state_;
  const run_progress& progress_;
  loop_control& control_;
  const settings& chosen_;
  const std::uint64_t steps_;
  bool is_due_ = false;
  std::optional<epoch_result> ended_;
  std::optional<place> saved_;
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_CHECKPOINT_KEEPER_HPP
