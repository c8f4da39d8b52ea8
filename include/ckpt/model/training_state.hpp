#ifndef CKPT_MODEL_TRAINING_STATE_HPP
#define CKPT_MODEL_TRAINING_STATE_HPP

#include <array>
#include <cstdint>
#include <limits>

namespace ckpt {

/// Where training stands. All counts are of what is completed: after three updates `step` is 3,
/// and the next update is the fourth. Schema 1 stores the first two; saving the others in a format
/// without room for them is refused, not forgotten.
struct training_state {
  std::uint64_t step = 0;           ///< completed steps (updates of the weights)
  std::uint64_t epoch = 0;          ///< completed epochs (passes over the data)
  std::uint64_t sample_cursor = 0;  ///< samples of the running epoch that are used up
  std::uint64_t shuffle_seed = 0;   ///< what the order of the running epoch was drawn from
  /// State of the random numbers, in the generator's own words. A larger state goes into the
  /// user's values.
  std::array<std::uint64_t, 4> rng_state{};
  /// The best metric so far; NaN while there is none.
  double best_metric = std::numeric_limits<double>::quiet_NaN();
  /// NaN while nobody has said.
  double learning_rate = std::numeric_limits<double>::quiet_NaN();
};

namespace detail {

[[nodiscard]] constexpr bool same_real(double a, double b) noexcept {
  return a == b || (a != a && b != b);
}

/// Whether nothing but step and epoch is set.
[[nodiscard]] constexpr bool has_counters_only(const training_state& training) noexcept {
  for (const std::uint64_t word : training.rng_state)
    if (word != 0) return false;
  return training.sample_cursor == 0 && training.shuffle_seed == 0 &&
         training.best_metric != training.best_metric &&
         training.learning_rate != training.learning_rate;
}

}  // namespace detail

[[nodiscard]] constexpr bool operator==(const training_state& a, const training_state& b) noexcept {
  for (std::size_t i = 0; i < a.rng_state.size(); ++i)
    if (a.rng_state[i] != b.rng_state[i]) return false;
  return a.step == b.step && a.epoch == b.epoch && a.sample_cursor == b.sample_cursor &&
         a.shuffle_seed == b.shuffle_seed && detail::same_real(a.best_metric, b.best_metric) &&
         detail::same_real(a.learning_rate, b.learning_rate);
}
[[nodiscard]] constexpr bool operator!=(const training_state& a, const training_state& b) noexcept {
  return !(a == b);
}

}  // namespace ckpt

#endif  // CKPT_MODEL_TRAINING_STATE_HPP
