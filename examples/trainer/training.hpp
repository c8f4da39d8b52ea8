#ifndef CKPT_EXAMPLES_TRAINER_TRAINING_HPP
#define CKPT_EXAMPLES_TRAINER_TRAINING_HPP

// Training: epochs, each over all batches.

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "ckpt/ckpt.hpp"
#include "data.hpp"
#include "events.hpp"
#include "learning_rate.hpp"
#include "network.hpp"
#include "optimizers.hpp"
#include "progress.hpp"
#include "settings.hpp"

namespace trainer {

using clock_type = std::chrono::steady_clock;

inline figures measure(const batches& data, std::size_t batch, network& net,
                       const settings& chosen) {
  net.forward(data.inputs(batch));
  return net.compare(data.expected(batch), chosen);
}

inline figures evaluate(const batches& data, network& net, const settings& chosen) {
  running_figures sum;
  for (std::size_t batch = 0; batch < data.count(); ++batch)
    sum.add(measure(data, batch, net, chosen));
  return sum.mean();
}

/// The training loop. Where it stands is in the state (completed steps and epochs, and samples of
/// the epoch under way) and in the progress, and nowhere else: give it those of a checkpoint, and
/// it goes on with the next batch, which it finds by its number.
template <class Model, class Optimizer>
class training_loop {
 public:
  using state_type = ckpt::state<Model, Optimizer>;

  training_loop(state_type& trained, const samples& data, const settings& chosen)
      : state_(trained),
        data_(data),
        chosen_(chosen),
        shuffled_(chosen.shuffle_seed == 0 ? samples{} : data),
        parts_(chosen.shuffle_seed == 0 ? data : shuffled_, chosen),
        net_(trained, chosen.batch_size) {}
  training_loop(const training_loop&) = delete;
  training_loop& operator=(const training_loop&) = delete;

  run_progress progress;
  loop_control control;

  const parts& divided() const { return parts_; }
  network& net() { return net_; }

  /// Trains until so many epochs are completed, or somebody stops it.
  void run(std::uint64_t epochs, const event_handlers& handlers) {
    while (!control.stops && state_.training.epoch < epochs) run_epoch(handlers);
  }

 private:
  /// What is left of an epoch, and then a pass over the validation samples.
  void run_epoch(const event_handlers& handlers) {
    const std::uint64_t epoch = state_.training.epoch;
    if (chosen_.shuffle_seed != 0)
      shuffle(data_, parts_.training.sample_count, chosen_.shuffle_seed, epoch, shuffled_);
    control.has_moved = false;
    handlers.tell(control, &event_handler::begin_epoch, epoch);
    const auto began = clock_type::now();
    const std::size_t first = next_batch();
    while (!control.stops && !control.has_moved && next_batch() < parts_.training.count())
      run_step(epoch, next_batch(), handlers);
    if (control.has_moved || next_batch() < parts_.training.count()) return;
    const std::chrono::duration<double, std::milli> took = clock_type::now() - began;
    end_epoch(took.count() / static_cast<double>(parts_.training.count() - first), handlers);
  }

  std::size_t next_batch() const {
    return static_cast<std::size_t>(state_.training.sample_cursor / chosen_.batch_size);
  }

  void run_step(std::uint64_t epoch, std::size_t batch, const event_handlers& handlers) {
    handlers.tell(control, &event_handler::begin_step, epoch, std::uint64_t{batch});
    const figures found = measure(parts_.training, batch, net_, chosen_);
    net_.backward(parts_.training.inputs(batch));
    apply_gradients(state_, net_, rate_of_step(chosen_, state_.training.step, progress.rollbacks));
    state_.training.sample_cursor += chosen_.batch_size;
    progress.epoch.add(found);
    handlers.tell(control, &event_handler::end_step, epoch, std::uint64_t{batch}, found);
  }

  void end_epoch(double milliseconds_a_step, const event_handlers& handlers) {
    epoch_result result;
    result.milliseconds_a_step = milliseconds_a_step;
    result.training = progress.epoch.mean();
    if (parts_.validation.count() != 0)
      result.validation = evaluate(parts_.validation, net_, chosen_);
    const std::uint64_t epoch = state_.training.epoch;
    state_.training.epoch += 1;
    state_.training.sample_cursor = 0;
    progress.epoch = {};
    handlers.tell(control, &event_handler::end_epoch, epoch, result);
  }

  state_type& state_;
  const samples& data_;
  const settings& chosen_;
  samples shuffled_;
  parts parts_;
  network net_;
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_TRAINING_HPP
