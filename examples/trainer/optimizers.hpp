#ifndef CKPT_EXAMPLES_TRAINER_OPTIMIZERS_HPP
#define CKPT_EXAMPLES_TRAINER_OPTIMIZERS_HPP

// Optimizers: what one step does to weights and slots.

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

#include "ckpt/ckpt.hpp"
#include "model.hpp"
#include "network.hpp"

namespace trainer {

// One overload for each optimizer policy of ckpt. Weights and slots live in the state, so they are
// saved and restored without any code here.

template <class Model>
void update(ckpt::state<Model, ckpt::sgd>& state, std::size_t tensor, floats gradient, float rate) {
  const auto w = weight(state, tensor);
  for (std::size_t k = 0; k < w.size(); ++k) w[k] -= rate * gradient[k];
}

template <class Model>
void update(ckpt::state<Model, ckpt::momentum>& state, std::size_t tensor, floats gradient,
            float rate) {
  constexpr float decay = 0.9F;
  const auto w = weight(state, tensor);
  const auto velocity = slot(state, ckpt::momentum::velocity, tensor);
  for (std::size_t k = 0; k < w.size(); ++k) {
    velocity[k] = decay * velocity[k] + gradient[k];
    w[k] -= rate * velocity[k];
  }
}

/// Adam corrects the bias of its moments by the number of the step, so a checkpoint without the
/// step could not be resumed.
template <class Model>
void update(ckpt::state<Model, ckpt::adam>& state, std::size_t tensor, floats gradient,
            float rate) {
  constexpr float beta1 = 0.9F;
  constexpr float beta2 = 0.999F;
  constexpr float epsilon = 1e-7F;
  const auto step = static_cast<double>(state.training.step);
  const auto correction1 = static_cast<float>(1 - std::pow(static_cast<double>(beta1), step));
  const auto correction2 = static_cast<float>(1 - std::pow(static_cast<double>(beta2), step));
  const auto w = weight(state, tensor);
  const auto m = slot(state, ckpt::adam::m, tensor);
  const auto v = slot(state, ckpt::adam::v, tensor);
  for (std::size_t k = 0; k < w.size(); ++k) {
    m[k] = beta1 * m[k] + (1 - beta1) * gradient[k];
    v[k] = beta2 * v[k] + (1 - beta2) * gradient[k] * gradient[k];
    w[k] -= rate * (m[k] / correction1) / (std::sqrt(v[k] / correction2) + epsilon);
  }
}

template <class Optimizer>
std::string name_of() {
  return std::string(Optimizer::name.data(), Optimizer::name.size());
}

template <class Optimizer>
constexpr float default_learning_rate() {
  if (std::is_same_v<Optimizer, ckpt::adam>) return 0.001F;
  return std::is_same_v<Optimizer, ckpt::sgd> ? 0.1F : 0.01F;
}

/// One step of training: every trainable tensor moves. `step` counts completed steps, so the one
/// that is being made is the first when it becomes 1.
template <class Model, class Optimizer>
void apply_gradients(ckpt::state<Model, Optimizer>& state, const network& net, float rate) {
  state.training.step += 1;
  for (std::size_t i = 0; i < state.model().size(); ++i)
    if (state.model()[i].purpose() == ckpt::role::trainable)
      update(state, i, net.gradient(i), rate);
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_OPTIMIZERS_HPP
