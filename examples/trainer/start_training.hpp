#ifndef CKPT_EXAMPLES_TRAINER_START_TRAINING_HPP
#define CKPT_EXAMPLES_TRAINER_START_TRAINING_HPP

// What every run does, once it is known where it starts.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>

#include "checkpoints.hpp"
#include "ckpt/ckpt.hpp"
#include "data.hpp"
#include "events.hpp"
#include "init_from.hpp"
#include "learning_rate.hpp"
#include "optimizers.hpp"
#include "printing.hpp"
#include "settings.hpp"
#include "training.hpp"

namespace trainer {

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

/// A run whose state has its first values and whose settings are settled, but for the schedule.
template <class Model, class Optimizer>
class ready_run {
 public:
  ready_run(ckpt::state<Model, Optimizer>& trained, const samples& data, settings& chosen)
      : loop(trained, data, chosen), state_(trained), chosen_(chosen) {
    if (!chosen.directory.resume) first_epoch_ = trained.training.epoch;
    settle_schedule(chosen, steps_of_run());
  }

  training_loop<Model, Optimizer> loop;

  /// Epochs that are to be completed at the end.
  std::uint64_t epochs() const { return first_epoch_ + chosen_.epochs; }

  /// @param told  where the first values come from
  void announce(const std::string& told) const {
    print_settings(chosen_, name_of<Optimizer>());
    if (chosen_.verbose_level > 1) print_tensors(state_.model());
    tell(told);
    if (chosen_.verbose_level == 0) return;
    print_part("training", loop.divided().training);
    print_part("validation", loop.divided().validation);
  }

  /// Trains, prints, exports.
  /// @param others  are told as well, behind those
  void train(std::initializer_list<event_handler*> others = {}) {
    printer lines(state_.training, loop.progress, chosen_, loop.divided().training.count(),
                  first_epoch_);
    exporter exports(state_, chosen_);
    event_handlers handlers;
    handlers.add(lines);
    if (!chosen_.export_checkpoint.empty()) handlers.add(exports);
    for (event_handler* const other : others) handlers.add(*other);
    loop.run(epochs(), handlers);
  }

 private:
  std::uint64_t steps_of_run() const {
    const std::uint64_t done = state_.training.epoch;
    const std::uint64_t left = epochs() > done ? epochs() - done : 0;
    const std::uint64_t behind = state_.training.sample_cursor / chosen_.batch_size;
    return state_.training.step - behind + left * loop.divided().training.count();
  }

  const ckpt::state<Model, Optimizer>& state_;
  const settings& chosen_;
  std::uint64_t first_epoch_ = 0;
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_START_TRAINING_HPP
