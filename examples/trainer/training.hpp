#ifndef CKPT_EXAMPLES_TRAINER_TRAINING_HPP
#define CKPT_EXAMPLES_TRAINER_TRAINING_HPP

// Training: epochs, each over all batches.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checkpoints.hpp"
#include "ckpt/ckpt.hpp"
#include "data.hpp"
#include "network.hpp"
#include "optimizers.hpp"
#include "printing.hpp"
#include "settings.hpp"

namespace trainer {

using clock_type = std::chrono::steady_clock;

/// Runs over the batches; `learn` is called after each forward pass.
template <class Learn>
figures run_over(const batches& data, network& net, const settings& chosen, Learn learn) {
  figures sum;
  for (std::size_t batch = 0; batch < data.count(); ++batch) {
    net.forward(data.inputs(batch));
    const figures found = net.compare(data.expected(batch), chosen);
    sum.loss += found.loss;
    sum.accuracy += found.accuracy;
    learn(batch);
  }
  const auto steps = static_cast<double>(data.count());
  return {sum.loss / steps, sum.accuracy / steps};
}

inline figures evaluate(const batches& data, network& net, const settings& chosen) {
  return run_over(data, net, chosen, [](std::size_t) {});
}

/// One pass over the training samples, batches in order, then one over the validation samples.
template <class Model, class Optimizer>
epoch_result run_epoch(ckpt::state<Model, Optimizer>& state, network& net, const parts& data,
                       const settings& chosen) {
  epoch_result result;
  const auto began = clock_type::now();
  {
    progress_bar bar(data.training.count());
    result.training = run_over(data.training, net, chosen, [&](std::size_t batch) {
      net.backward(data.training.inputs(batch));
      apply_gradients(state, net, chosen.learning_rate);
      bar.show(batch + 1);
    });
  }
  const std::chrono::duration<double, std::milli> took = clock_type::now() - began;
  result.milliseconds_a_step = took.count() / static_cast<double>(data.training.count());
  if (data.validation.count() != 0) result.validation = evaluate(data.validation, net, chosen);
  state.training.epoch += 1;
  return result;
}

/// Trains `--epoch` more epochs, whatever the state has behind it, and saves after each.
template <class Model, class Optimizer>
std::vector<epoch_result> train(ckpt::state<Model, Optimizer>& state, const samples& data,
                                const settings& chosen) {
  const bool shuffles = chosen.shuffle_seed != 0;
  samples shuffled;
  if (shuffles) shuffled = data;
  const parts divided(shuffles ? shuffled : data, chosen);
  if (chosen.verbose_level > 0) {
    print_part("training", divided.training);
    print_part("validation", divided.validation);
  }
  network net(state, chosen.batch_size);
  std::vector<epoch_result> results;
  for (std::uint64_t epoch = 1; epoch <= chosen.epochs; ++epoch) {
    if (shuffles)
      shuffle(data, divided.training.sample_count, chosen.shuffle_seed, state.training.epoch,
              shuffled);
    results.push_back(run_epoch(state, net, divided, chosen));
    print_epoch(epoch, results.back(), chosen);
    if (!chosen.export_checkpoint.empty()) save(state, chosen);
  }
  return results;
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_TRAINING_HPP
