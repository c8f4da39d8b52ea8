#ifndef CKPT_EXAMPLES_TRAINER_PROGRESS_HPP
#define CKPT_EXAMPLES_TRAINER_PROGRESS_HPP

// What is measured, and where a run stands within an epoch.

#include <cstdint>

#include "network.hpp"

namespace trainer {

/// Sums over the steps of an epoch.
struct running_figures {
  figures sum;
  std::uint64_t steps = 0;

  void add(const figures& of_step) {
    sum.loss += of_step.loss;
    sum.accuracy += of_step.accuracy;
    steps += 1;
  }
  figures mean() const {
    const auto count = static_cast<double>(steps);
    return {sum.loss / count, sum.accuracy / count};
  }
};

/// What is known of one epoch.
struct epoch_result {
  figures training;
  figures validation;
  double milliseconds_a_step = 0;
};

/// Beside the state, all that the next step depends on, and the figures of the epoch under way.
struct run_progress {
  running_figures epoch;
  std::uint64_t rollbacks = 0;  ///< each has halved the learning rate
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_PROGRESS_HPP
