#ifndef CKPT_EXAMPLES_TRAINER_MODEL_HPP
#define CKPT_EXAMPLES_TRAINER_MODEL_HPP

// The model: a table of tensors, and where its values lie in a ckpt::state.

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ckpt/ckpt.hpp"
#include "random.hpp"

namespace trainer {

/// A network of any widths, known only at run time.
/// @param widths           from the inputs to the outputs
/// @param trainable_layers the last so many; the others are frozen: saved, without slots
inline ckpt::model_builder network_of(const std::vector<std::size_t>& widths,
                                      std::size_t trainable_layers) {
  ckpt::model_builder built;
  const std::size_t layers = widths.size() - 1;
  for (std::size_t l = 0; l < layers; ++l) {
    const bool trained = l + trainable_layers >= layers;
    const ckpt::role purpose = trained ? ckpt::role::trainable : ckpt::role::frozen;
    const std::string name = "layer" + std::to_string(l + 1);
    built.add(name + ".weight", ckpt::dtype::f32, {widths[l + 1], widths[l]}, purpose);
    built.add(name + ".bias", ckpt::dtype::f32, {widths[l + 1]}, purpose);
  }
  return built;
}

/// The elements of a weight and of a slot, in the memory of the state.
template <class State>
ckpt::span<float> weight(const State& state, std::size_t tensor) {
  return state.template weight_as<float>(tensor).or_throw();
}
template <class State>
ckpt::span<float> slot(const State& state, std::size_t which, std::size_t tensor) {
  return state.template slot_as<float>(which, tensor).or_throw();
}

/// Weights that suit ReLU (He, arXiv 1502.01852), from correctly rounded arithmetic only. Biases,
/// slots, step and epoch start at zero, as a new state does.
template <class Model, class Optimizer>
void initialize(ckpt::state<Model, Optimizer>& state) {
  random_numbers random;
  for (std::size_t i = 0; i < state.model().size(); ++i) {
    const ckpt::shape& extents = state.model()[i].extents();
    if (extents.rank() != 2) continue;
    const float limit = std::sqrt(6.0F / static_cast<float>(extents[1]));
    for (float& element : weight(state, i)) element = limit * random.next();
  }
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_MODEL_HPP
