#ifndef CKPT_EXAMPLES_TRAINER_NETWORK_HPP
#define CKPT_EXAMPLES_TRAINER_NETWORK_HPP

// The network: a multilayer perceptron, forward and back.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ckpt/ckpt.hpp"
#include "model.hpp"
#include "settings.hpp"

namespace trainer {

/// What one pass over batches gives; both are means over its steps.
struct figures {
  double loss = 0;
  double accuracy = 0;
};

inline double mean_squared_error(floats output, floats expected, ckpt::span<float> gradient) {
  const auto width = static_cast<double>(output.size());
  double sum = 0;
  for (std::size_t k = 0; k < output.size(); ++k) {
    const double difference = static_cast<double>(output[k]) - static_cast<double>(expected[k]);
    sum += difference * difference;
    gradient[k] = static_cast<float>(2 * difference / width);
  }
  return sum / width;
}

/// Softmax included. The largest output is taken off first, so nothing overflows.
inline double categorical_crossentropy(floats output, floats expected, ckpt::span<float> gradient) {
  const double largest = static_cast<double>(*std::max_element(output.begin(), output.end()));
  double sum = 0;
  double mass = 0;
  for (const float value : output) sum += std::exp(static_cast<double>(value) - largest);
  for (const float share : expected) mass += static_cast<double>(share);
  const double log_sum = largest + std::log(sum);
  double loss = 0;
  for (std::size_t k = 0; k < output.size(); ++k) {
    const double log_probability = static_cast<double>(output[k]) - log_sum;
    const auto share = static_cast<double>(expected[k]);
    loss -= share * log_probability;
    gradient[k] = static_cast<float>(mass * std::exp(log_probability) - share);
  }
  return loss;
}

inline std::ptrdiff_t first_largest(floats values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

/// One fully connected layer. The weights are those of the state; the rest lasts for one step.
struct layer {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  bool trainable = true;
  ckpt::span<float> weight;  // outputs x inputs
  ckpt::span<float> bias;
  std::vector<float> weight_gradient;
  std::vector<float> bias_gradient;
  std::vector<float> output;  // batch x outputs, behind the activation
  std::vector<float> delta;   // gradient of the loss by what stood before the activation
};

inline void pass_forward(layer& to, const float* input, std::size_t batch, bool rectify) {
  for (std::size_t s = 0; s < batch; ++s) {
    const float* x = input + s * to.inputs;
    for (std::size_t o = 0; o < to.outputs; ++o) {
      float sum = to.bias[o];
      for (std::size_t i = 0; i < to.inputs; ++i) sum += to.weight[o * to.inputs + i] * x[i];
      to.output[s * to.outputs + o] = rectify && sum < 0 ? 0 : sum;
    }
  }
}

/// Gradients of weight and bias from the layer's delta.
inline void find_gradients(layer& of, const float* input, std::size_t batch) {
  std::fill(of.weight_gradient.begin(), of.weight_gradient.end(), 0.0F);
  std::fill(of.bias_gradient.begin(), of.bias_gradient.end(), 0.0F);
  for (std::size_t s = 0; s < batch; ++s) {
    const float* x = input + s * of.inputs;
    for (std::size_t o = 0; o < of.outputs; ++o) {
      const float delta = of.delta[s * of.outputs + o];
      float* gradient = of.weight_gradient.data() + o * of.inputs;
      for (std::size_t i = 0; i < of.inputs; ++i) gradient[i] += delta * x[i];
      of.bias_gradient[o] += delta;
    }
  }
}

/// The delta of the layer below, through the weights and its ReLU.
inline void pass_back(const layer& from, layer& below, std::size_t batch) {
  std::fill(below.delta.begin(), below.delta.end(), 0.0F);
  for (std::size_t s = 0; s < batch; ++s) {
    float* to = below.delta.data() + s * from.inputs;
    for (std::size_t o = 0; o < from.outputs; ++o) {
      const float delta = from.delta[s * from.outputs + o];
      const float* weights = from.weight.data() + o * from.inputs;
      for (std::size_t i = 0; i < from.inputs; ++i) to[i] += delta * weights[i];
    }
  }
  for (std::size_t k = 0; k < below.delta.size(); ++k)
    if (!(below.output[k] > 0)) below.delta[k] = 0;
}

/// A multilayer perceptron whose weights live in a ckpt::state: tensor 2l is the weight of layer l,
/// tensor 2l + 1 its bias.
class network {
 public:
  template <class State>
  network(const State& state, std::size_t batch) : batch_(batch) {
    for (std::size_t i = 0; i + 1 < state.model().size(); i += 2) {
      const ckpt::tensor_spec& spec = state.model()[i];
      layer& made = layers_.emplace_back();
      made.weight = weight(state, i);
      made.bias = weight(state, i + 1);
      made.outputs = made.bias.size();
      made.inputs = made.weight.size() / made.outputs;
      made.trainable = spec.purpose() == ckpt::role::trainable;
      made.weight_gradient.resize(made.weight.size());
      made.bias_gradient.resize(made.bias.size());
      made.output.resize(batch * made.outputs);
      made.delta.resize(batch * made.outputs);
    }
  }

  void forward(floats inputs) {
    const float* from = inputs.data();
    for (layer& next : layers_) {
      pass_forward(next, from, batch_, &next != &layers_.back());
      from = next.output.data();
    }
  }

  /// Loss and accuracy of the batch that went forward, and the delta that backward() starts from.
  figures compare(floats expected, const settings& chosen) {
    const bool mean = chosen.reduction == reduction_kind::sum_over_batch_size;
    const double scale = mean ? 1.0 / static_cast<double>(batch_) : 1.0;
    layer& last = layers_.back();
    figures found;
    for (std::size_t s = 0; s < batch_; ++s) {
      const floats output = floats(last.output).part(s * last.outputs, last.outputs);
      const floats wanted = expected.part(s * last.outputs, last.outputs);
      const auto delta = ckpt::span<float>(last.delta).part(s * last.outputs, last.outputs);
      found.loss += scale * (chosen.loss == loss_kind::mean_squared_error
                                 ? mean_squared_error(output, wanted, delta)
                                 : categorical_crossentropy(output, wanted, delta));
      found.accuracy += first_largest(output) == first_largest(wanted) ? 1.0 : 0.0;
    }
    for (float& value : last.delta) value *= static_cast<float>(scale);
    found.accuracy /= static_cast<double>(batch_);
    return found;
  }

  /// Gradients of the trainable layers; the frozen ones are the lowest, so it stops above them.
  void backward(floats inputs) {
    for (std::size_t l = layers_.size(); l-- > 0 && layers_[l].trainable;) {
      find_gradients(layers_[l], l == 0 ? inputs.data() : layers_[l - 1].output.data(), batch_);
      if (l > 0) pass_back(layers_[l], layers_[l - 1], batch_);
    }
  }

  floats gradient(std::size_t tensor) const {
    const layer& of = layers_[tensor / 2];
    return tensor % 2 == 0 ? of.weight_gradient : of.bias_gradient;
  }

 private:
  std::size_t batch_;
  std::vector<layer> layers_;
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_NETWORK_HPP
