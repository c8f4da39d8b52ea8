#ifndef CKPT_EXAMPLES_TRAINER_LEARNING_RATE_HPP
#define CKPT_EXAMPLES_TRAINER_LEARNING_RATE_HPP

// The learning rate of a step. It follows from the number of the step alone, so a run that resumes
// goes on with the rate that it would have had.

#include <cmath>
#include <cstdint>
#include <string>

#include "settings.hpp"

namespace trainer {

/// The share of the learning rate that a step has.
/// @param done  completed steps, without the one that is about to be made
inline double schedule_share(const settings& chosen, std::uint64_t done) {
  constexpr double pi = 3.14159265358979323846;
  if (chosen.schedule != schedule_kind::warmup_cosine) return 1;
  const std::uint64_t warmup = chosen.warmup_steps.value_or(0);
  if (done < warmup) return static_cast<double>(done + 1) / static_cast<double>(warmup);
  if (done >= chosen.total_steps) return 0;
  const auto gone = static_cast<double>(done - warmup);
  return (1 + std::cos(pi * gone / static_cast<double>(chosen.total_steps - warmup))) / 2;
}

/// @param halvings  how often the rate was halved because training went wrong
inline float rate_of_step(const settings& chosen, std::uint64_t done, std::uint64_t halvings) {
  const double rate = static_cast<double>(chosen.learning_rate) * schedule_share(chosen, done);
  return static_cast<float>(std::ldexp(rate, -static_cast<int>(halvings)));
}

/// What flags and checkpoint leave open: without a word of them the rate is constant, and a
/// schedule is as long as the run.
/// @param steps_of_run  all that the run has behind it and before it
inline void settle_schedule(settings& chosen, std::uint64_t steps_of_run) {
  if (chosen.schedule == schedule_kind::not_given) chosen.schedule = schedule_kind::constant;
  if (chosen.schedule == schedule_kind::constant) return;
  if (chosen.total_steps == 0) chosen.total_steps = steps_of_run;
  const std::uint64_t warmup = chosen.warmup_steps.value_or(0);
  if (warmup >= chosen.total_steps)
    stop("--warmup_steps " + std::to_string(warmup) + ": must be less than the total steps, here " +
         std::to_string(chosen.total_steps));
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_LEARNING_RATE_HPP
