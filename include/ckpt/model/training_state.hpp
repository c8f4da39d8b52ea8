#ifndef CKPT_MODEL_TRAINING_STATE_HPP
#define CKPT_MODEL_TRAINING_STATE_HPP

#include <cstdint>

namespace ckpt {

/// Where training stands. Both count what is completed: after three updates `step` is 3, and the
/// next update is the fourth.
struct training_state {
  std::uint64_t step = 0;   ///< completed steps (updates of the weights)
  std::uint64_t epoch = 0;  ///< completed epochs (passes over the data)
};

[[nodiscard]] constexpr bool operator==(const training_state& a, const training_state& b) noexcept {
  return a.step == b.step && a.epoch == b.epoch;
}
[[nodiscard]] constexpr bool operator!=(const training_state& a, const training_state& b) noexcept {
  return !(a == b);
}

}  // namespace ckpt

#endif  // CKPT_MODEL_TRAINING_STATE_HPP
