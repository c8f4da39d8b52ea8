// train: the reference training loop over ckpt, with the habits of onert_train.
//
//     c++ -std=c++17 -O2 -I include examples/train.cpp -o train
//     ./train                                                 the demo: resumed runs are exact
//     ./train --epoch 2 --export_checkpoint b.ckpt            train and save
//     ./train --epoch 3 --checkpoint b.ckpt --export_checkpoint c.ckpt          resume
//     ./train --help                                          every flag
//
// It trains a small multilayer perceptron in one thread, so one program gives the same bits on
// every run. How a training loop uses ckpt is in the sections "The model", "Optimizers" and
// "Training"; the rest is a network, data and flags.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "ckpt/ckpt.hpp"
#include "ckpt/version.hpp"

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace {

namespace fs = std::filesystem;
using clock_type = std::chrono::steady_clock;
using floats = ckpt::span<const float>;

// ---- Settings ----------------------------------------------------------------------------------

// The values are those of the flags.
enum class loss_kind {
  mean_squared_error = 1,
  categorical_crossentropy
};
enum class reduction_kind {
  sum_over_batch_size = 1,
  sum
};
enum class optimizer_kind {
  sgd = 1,
  adam,
  momentum
};

constexpr std::size_t spiral_inputs = 2;
constexpr std::size_t spiral_outputs = 2;
constexpr std::int64_t most_width = 65536;
constexpr std::int64_t most_layers = 1000;
constexpr std::int64_t most_batch = 1'000'000'000;
constexpr std::int64_t most_epochs = 4'294'967'295;  // as many as a checkpoint can count
constexpr std::uint64_t billion = 1'000'000'000;

/// What the flags say.
struct settings {
  fs::path input_file;
  fs::path expected_file;
  std::size_t input_size = 0;  // 0: not given
  std::size_t output_size = 0;
  std::vector<std::size_t> hidden = {32, 32};
  std::uint64_t epochs = 5;
  std::size_t batch_size = 10;
  float learning_rate = 0;  // 0: the optimizer's own
  loss_kind loss = loss_kind::categorical_crossentropy;
  reduction_kind reduction = reduction_kind::sum_over_batch_size;
  optimizer_kind optimizer = optimizer_kind::adam;
  bool accuracy = false;
  std::uint64_t validation_share = 0;  // in billionths, so that a split is exact
  std::int64_t trainable_layers = -1;  // the last so many; -1: all
  fs::path checkpoint;
  fs::path export_checkpoint;
  fs::path demo_directory;
  int verbose_level = 0;
  bool wants_help = false;
  bool wants_version = false;
  std::size_t flags_given = 0;
};

[[noreturn]] void stop(const std::string& reason) {
  throw std::runtime_error(reason);
}

/// Digits behind a point, whatever the locale: this program never calls setlocale().
std::string fixed(double value, int digits) {
  std::array<char, 512> words{};
  std::snprintf(words.data(), words.size(), "%.*f", digits, value);
  return words.data();
}

void print(const std::string& line) {
  std::printf("%s\n", line.c_str());
}

void warn(const std::string& line) {
  std::fflush(stdout);
  std::fprintf(stderr, "train: %s\n", line.c_str());
}

// ---- The model ---------------------------------------------------------------------------------

/// The network for the spirals as the compiler knows it: a model is a table of values.
struct spiral_net {
  static constexpr auto tensors = ckpt::tensors({{"layer1.weight", ckpt::dtype::f32, {32, 2}},
                                                 {"layer1.bias", ckpt::dtype::f32, {32}},
                                                 {"layer2.weight", ckpt::dtype::f32, {32, 32}},
                                                 {"layer2.bias", ckpt::dtype::f32, {32}},
                                                 {"layer3.weight", ckpt::dtype::f32, {2, 32}},
                                                 {"layer3.bias", ckpt::dtype::f32, {2}}});
};

// The layout of a checkpoint is a constant: a header, an offset and the values of each tensor for
// weights, m and v, and the counters.
constexpr std::size_t spiral_weights = 32U * 2 + 32 + 32U * 32 + 32 + 2U * 32 + 2;
static_assert(ckpt::layout<spiral_net, ckpt::adam>::file_bytes ==
              20 + 3 * (24 + 4 * spiral_weights) + 8);

/// A network of any widths, known only at run time.
/// @param widths           from the inputs to the outputs
/// @param trainable_layers the last so many; the others are frozen: saved, without slots
ckpt::model_builder network_of(const std::vector<std::size_t>& widths,
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

/// splitmix64: a few lines, and the same numbers everywhere.
class random_numbers {
 public:
  /// In [-1, 1), a multiple of 2^-23.
  float next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    z = z ^ (z >> 31);
    return static_cast<float>(static_cast<std::int64_t>(z >> 40) - (1 << 23)) / (1 << 23);
  }

 private:
  std::uint64_t state_ = 42;
};

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

// ---- Data --------------------------------------------------------------------------------------

/// Samples in a row: first all inputs of sample 0, then of sample 1, and the same for what is
/// expected.
struct samples {
  std::size_t input_size = 0;
  std::size_t output_size = 0;
  std::size_t count = 0;
  std::vector<float> inputs;
  std::vector<float> expected;
};

/// A part of the samples, seen as whole batches; what is left over is not used.
struct batches {
  const samples* data = nullptr;
  std::size_t first = 0;
  std::size_t sample_count = 0;
  std::size_t batch_size = 1;

  std::size_t count() const { return sample_count / batch_size; }
  floats inputs(std::size_t batch) const { return part(data->inputs, data->input_size, batch); }
  floats expected(std::size_t batch) const {
    return part(data->expected, data->output_size, batch);
  }

 private:
  floats part(const std::vector<float>& values, std::size_t width, std::size_t batch) const {
    return floats(values).part((first + batch * batch_size) * width, batch_size * width);
  }
};

/// Two interleaved spirals of one and a half turns, one class each. A stride instead of a shuffle
/// mixes the radii, so every batch and the tail look like the whole.
samples make_spirals() {
  constexpr std::size_t each = 500;
  constexpr std::size_t stride = 309;  // near the golden section of 500, and coprime to it
  constexpr double pi = 3.14159265358979323846;
  samples made{spiral_inputs, spiral_outputs, 2 * each, {}, {}};
  for (std::size_t i = 0; i < made.count; ++i) {
    const std::size_t arm = i % 2;
    const double radius = (static_cast<double>(i / 2 * stride % each) + 0.5) / each;
    const double angle = 3.0 * pi * radius + pi * static_cast<double>(arm);
    made.inputs.push_back(static_cast<float>(2.0 * radius * std::cos(angle)));
    made.inputs.push_back(static_cast<float>(2.0 * radius * std::sin(angle)));
    made.expected.push_back(arm == 0 ? 1.0F : 0.0F);
    made.expected.push_back(arm == 1 ? 1.0F : 0.0F);
  }
  return made;
}

/// Raw data: little-endian float32, no header, `width` floats a sample.
std::vector<float> read_raw(const char* flag, const fs::path& file, std::size_t width) {
  const std::string blame = std::string(flag) + " " + file.string();
  std::error_code failed;
  const std::uint64_t size = fs::file_size(file, failed);
  if (failed) stop(blame + ": must be a file that can be read: " + failed.message());
  const std::uint64_t trailing = size % (4 * std::uint64_t{width});
  if (trailing != 0)
    warn(blame + ": the last " + std::to_string(trailing) + " bytes are no whole sample");
  std::vector<float> values(static_cast<std::size_t>((size - trailing) / 4));
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size() * 4));
  if (!stream) stop(blame + ": must be a file that can be read");
  for (float& value : values) {  // from the order of the file to that of this machine
    const auto bits = ckpt::load_little<std::uint32_t>(reinterpret_cast<std::byte*>(&value));
    std::memcpy(&value, &bits, sizeof bits);
  }
  return values;
}

samples read_samples(const settings& chosen) {
  samples read;
  read.input_size = chosen.input_size == 0 ? spiral_inputs : chosen.input_size;
  read.output_size = chosen.output_size == 0 ? spiral_outputs : chosen.output_size;
  read.inputs = read_raw("--load_input:raw", chosen.input_file, read.input_size);
  read.expected = read_raw("--load_expected:raw", chosen.expected_file, read.output_size);
  read.count = read.inputs.size() / read.input_size;
  const std::size_t expected = read.expected.size() / read.output_size;
  if (read.count != expected)
    stop("--load_input:raw holds " + std::to_string(read.count) +
         " samples, --load_expected:raw holds " + std::to_string(expected) +
         ": both must hold as many (see --input_size and --output_size)");
  return read;
}

/// floor(count * share / billion), without overflow.
std::size_t share_of(std::size_t count, std::uint64_t share) {
  const std::uint64_t wide = count;
  return static_cast<std::size_t>(wide / billion * share + wide % billion * share / billion);
}

/// The head of the samples trains, the tail validates.
struct parts {
  batches training;
  batches validation;

  parts(const samples& data, const settings& chosen) {
    const std::size_t tail = share_of(data.count, chosen.validation_share);
    const std::size_t head = data.count - tail;
    training = {&data, 0, head, chosen.batch_size};
    validation = {&data, head, tail, chosen.batch_size};
    const std::string batch = "--batch_size " + std::to_string(chosen.batch_size);
    if (training.count() == 0)
      stop(batch + ": must be at most the training samples, here " + std::to_string(head));
    if (tail != 0 && validation.count() == 0)
      stop(batch + ": must be at most the validation samples, here " + std::to_string(tail));
  }
};

// ---- The network -------------------------------------------------------------------------------

/// What one pass over batches gives; both are means over its steps.
struct figures {
  double loss = 0;
  double accuracy = 0;
};

double mean_squared_error(floats output, floats expected, ckpt::span<float> gradient) {
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
double categorical_crossentropy(floats output, floats expected, ckpt::span<float> gradient) {
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

std::ptrdiff_t first_largest(floats values) {
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

void pass_forward(layer& to, const float* input, std::size_t batch, bool rectify) {
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
void find_gradients(layer& of, const float* input, std::size_t batch) {
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
void pass_back(const layer& from, layer& below, std::size_t batch) {
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

// ---- Optimizers --------------------------------------------------------------------------------

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

// ---- Printing ----------------------------------------------------------------------------------

/// What is known of one epoch.
struct epoch_result {
  figures training;
  figures validation;
  double milliseconds_a_step = 0;
};

bool stdout_is_terminal() {
#if defined(_WIN32)
  return _isatty(_fileno(stdout)) != 0;
#else
  return isatty(STDOUT_FILENO) != 0;
#endif
}

/// A bar while an epoch runs, if somebody is watching. It is gone when the epoch line comes.
class progress_bar {
 public:
  explicit progress_bar(std::size_t steps) : steps_(steps), visible_(stdout_is_terminal()) {}
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar() {
    if (visible_) std::printf("\r%*s\r", static_cast<int>(width + 8), "");
  }

  void show(std::size_t done) {
    const std::size_t filled = width * done / steps_;
    if (!visible_ || filled == filled_) return;
    filled_ = filled;
    const std::string bar = std::string(filled, '=') + std::string(width - filled, ' ');
    std::printf("\r[%s] %3zu%%", bar.c_str(), 100 * done / steps_);
    std::fflush(stdout);
  }

 private:
  static constexpr std::size_t width = 40;
  std::size_t steps_;
  std::size_t filled_ = 0;
  bool visible_;
};

void print_settings(const settings& chosen, const std::string& optimizer) {
  const bool squared = chosen.loss == loss_kind::mean_squared_error;
  const bool mean = chosen.reduction == reduction_kind::sum_over_batch_size;
  std::printf("== training parameter ==\n");
  std::printf("- learning_rate        = %g\n", static_cast<double>(chosen.learning_rate));
  std::printf("- batch_size           = %zu\n", chosen.batch_size);
  std::printf("- loss_info            = {loss = %s, reduction = %s}\n",
              squared ? "mean squared error" : "categorical crossentropy",
              mean ? "sum over batch size" : "sum");
  std::printf("- optimizer            = %s\n", optimizer.c_str());
  std::printf("- num_of_trainable_ops = %s\n", std::to_string(chosen.trainable_layers).c_str());
  std::printf("========================\n");
}

std::string words_of(const figures& of, const std::string& prefix, bool with_accuracy) {
  std::string words = " - " + prefix + "loss: [0] " + fixed(of.loss, 4);
  if (with_accuracy) words += " - " + prefix + "categorical_accuracy: [0] " + fixed(of.accuracy, 4);
  return words;
}

void print_part(const char* name, const batches& part) {
  print(std::string(name) + ": " + std::to_string(part.sample_count) + " samples, " +
        std::to_string(part.count()) + " steps");
}

void print_epoch(std::uint64_t epoch, const epoch_result& result, const settings& chosen) {
  std::string line = "Epoch " + std::to_string(epoch) + "/" + std::to_string(chosen.epochs) +
                     " - time: " + fixed(result.milliseconds_a_step, 3) + "ms/step";
  line += words_of(result.training, "", chosen.accuracy);
  if (chosen.validation_share != 0) line += words_of(result.validation, "val_", chosen.accuracy);
  print(line);
  std::fflush(stdout);
}

// ---- Training ----------------------------------------------------------------------------------

/// A new run starts from the initial weights, a resumed one from its checkpoint. A load that fails
/// for what the file holds has changed nothing.
template <class Model, class Optimizer>
void start(ckpt::state<Model, Optimizer>& state, const settings& chosen) {
  if (chosen.checkpoint.empty()) {
    initialize(state);
    return;
  }
  const auto loaded = ckpt::load(chosen.checkpoint, state);
  if (!loaded.ok()) stop("--checkpoint: " + loaded.message());
  print("Restored checkpoint " + chosen.checkpoint.string() + ": step " +
        std::to_string(state.training.step) + ", epoch " + std::to_string(state.training.epoch));
}

/// After a crash at any moment the name holds the epoch before or this one, whole.
template <class Model, class Optimizer>
void save(const ckpt::state<Model, Optimizer>& state, const settings& chosen) {
  const auto saved = ckpt::save(chosen.export_checkpoint, state);
  if (!saved.ok()) stop("--export_checkpoint: " + saved.message());
  if (chosen.verbose_level > 0)
    print("Saved checkpoint " + chosen.export_checkpoint.string() + ": step " +
          std::to_string(state.training.step) + ", epoch " + std::to_string(state.training.epoch) +
          ", " + std::to_string(saved->file_bytes) + " bytes");
}

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

figures evaluate(const batches& data, network& net, const settings& chosen) {
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
  const parts divided(data, chosen);
  if (chosen.verbose_level > 0) {
    print_part("training", divided.training);
    print_part("validation", divided.validation);
  }
  network net(state, chosen.batch_size);
  std::vector<epoch_result> results;
  for (std::uint64_t epoch = 1; epoch <= chosen.epochs; ++epoch) {
    results.push_back(run_epoch(state, net, divided, chosen));
    print_epoch(epoch, results.back(), chosen);
    if (!chosen.export_checkpoint.empty()) save(state, chosen);
  }
  return results;
}

// ---- A run as the flags say --------------------------------------------------------------------

/// Checks that need more than one flag.
void check(const settings& chosen) {
  const bool has_data = !chosen.input_file.empty();
  if (has_data != !chosen.expected_file.empty())
    stop("--load_input:raw and --load_expected:raw go together: give both or none");
  if (!has_data && (chosen.input_size != 0 || chosen.output_size != 0))
    stop("--input_size and --output_size describe raw data: give --load_input:raw too");
  if (chosen.output_size == 1 && chosen.loss == loss_kind::categorical_crossentropy)
    stop("--output_size 1: must be at least 2 for --loss 2 (categorical crossentropy)");
  const auto layers = static_cast<std::int64_t>(chosen.hidden.size() + 1);
  if (chosen.trainable_layers > layers)
    stop("--num_of_trainable_ops " + std::to_string(chosen.trainable_layers) +
         ": must be -1 (all), 0 (none) or up to the number of layers, here " +
         std::to_string(layers));
  const fs::path directory = chosen.export_checkpoint.parent_path();
  if (!directory.empty() && !fs::is_directory(directory))
    stop("--export_checkpoint " + chosen.export_checkpoint.string() + ": its directory must exist");
}

std::vector<std::size_t> widths_of(const samples& data, const settings& chosen) {
  std::vector<std::size_t> widths = {data.input_size};
  widths.insert(widths.end(), chosen.hidden.begin(), chosen.hidden.end());
  widths.push_back(data.output_size);
  return widths;
}

std::size_t trainable_layers(const settings& chosen) {
  return chosen.trainable_layers < 0 ? chosen.hidden.size() + 1
                                     : static_cast<std::size_t>(chosen.trainable_layers);
}

void print_tensors(const ckpt::model_view& model) {
  for (const ckpt::tensor_spec& tensor : model.tensors)
    std::printf("  %.*s: %s floats%s\n", static_cast<int>(tensor.name().size()),
                tensor.name().data(), std::to_string(tensor.extents().element_count()).c_str(),
                tensor.purpose() == ckpt::role::frozen ? ", frozen" : "");
}

template <class Optimizer>
void run_with(settings chosen) {
  if (chosen.learning_rate == 0) chosen.learning_rate = default_learning_rate<Optimizer>();
  const samples data = chosen.input_file.empty() ? make_spirals() : read_samples(chosen);
  const ckpt::model_builder tables = network_of(widths_of(data, chosen), trainable_layers(chosen));
  ckpt::state<ckpt::dynamic_model, Optimizer> state(tables.model());
  print_settings(chosen, name_of<Optimizer>());
  if (chosen.verbose_level > 1) print_tensors(state.model());
  start(state, chosen);
  train(state, data, chosen);
}

void run(const settings& chosen) {
  check(chosen);
  switch (chosen.optimizer) {
    case optimizer_kind::sgd: return run_with<ckpt::sgd>(chosen);
    case optimizer_kind::adam: return run_with<ckpt::adam>(chosen);
    case optimizer_kind::momentum: return run_with<ckpt::momentum>(chosen);
  }
}

// ---- The demo ----------------------------------------------------------------------------------

/// A directory of its own below the temporary one, gone at the end.
class temporary_directory {
 public:
  temporary_directory() {
    const auto seed = clock_type::now().time_since_epoch().count();
    for (int i = 0; i < 100; ++i) {
      path_ = fs::temp_directory_path() / ("ckpt-train-" + std::to_string(seed + i));
      if (fs::create_directory(path_)) return;
    }
    stop("no temporary directory can be made in " + fs::temp_directory_path().string());
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;
  ~temporary_directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) stop(file.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// What a run leaves: its figures, and its checkpoint as bytes.
struct outcome {
  std::vector<epoch_result> epochs;
  std::string file;
};

template <class Optimizer>
settings demo_settings(std::uint64_t epochs, const fs::path& from, const fs::path& to) {
  settings chosen;
  chosen.learning_rate = default_learning_rate<Optimizer>();
  chosen.accuracy = true;
  chosen.epochs = epochs;
  chosen.checkpoint = from;
  chosen.export_checkpoint = to;
  return chosen;
}

/// One run of the demo, on the model that the compiler knows.
template <class Optimizer>
outcome run_spirals(const std::string& title, const settings& chosen, bool drop_step = false) {
  print("\n" + name_of<Optimizer>() + ", " + title);
  ckpt::state<spiral_net, Optimizer> state;
  start(state, chosen);
  if (drop_step) state.training.step = 0;
  const std::vector<epoch_result> epochs = train(state, make_spirals(), chosen);
  return {epochs, read_file(chosen.export_checkpoint)};
}

/// Whether a resumed run ended where the uninterrupted one did, to the last bit.
bool equal(const outcome& whole, const outcome& resumed) {
  const std::size_t skipped = whole.epochs.size() - resumed.epochs.size();
  for (std::size_t e = 0; e < resumed.epochs.size(); ++e)
    if (whole.epochs[skipped + e].training.loss != resumed.epochs[e].training.loss) return false;
  return whole.file == resumed.file;
}

bool report(bool good, const std::string& words, const std::string& otherwise) {
  print(good ? "OK: " + words : "FAILED: " + otherwise);
  return good;
}

/// Trains five epochs in one run, and again in two runs with a checkpoint between.
template <class Optimizer>
bool resumes_exactly(std::uint64_t first, const fs::path& directory) {
  constexpr std::uint64_t total = 5;
  const std::uint64_t rest = total - first;
  const auto file = [&](const char* which) { return directory / (name_of<Optimizer>() + which); };
  const outcome whole = run_spirals<Optimizer>(
      "5 epochs in one run:", demo_settings<Optimizer>(total, {}, file("-whole.ckpt")));
  run_spirals<Optimizer>("stopped after epoch " + std::to_string(first) + ":",
                         demo_settings<Optimizer>(first, {}, file("-part.ckpt")));
  const outcome resumed = run_spirals<Optimizer>(
      "resumed for " + std::to_string(rest) + " more:",
      demo_settings<Optimizer>(rest, file("-part.ckpt"), file("-resumed.ckpt")));
  return report(equal(whole, resumed),
                "resumed and uninterrupted runs are equal bit for bit (losses, and " +
                    std::to_string(whole.file.size()) + " bytes of checkpoint)",
                "resumed and uninterrupted runs differ");
}

/// The control: Adam without its step goes another way, so the comparison above is able to fail.
bool step_matters(const fs::path& directory) {
  outcome dropped = run_spirals<ckpt::adam>(
      "control: resumed without the step:",
      demo_settings<ckpt::adam>(4, directory / "adam-part.ckpt", directory / "adam-control.ckpt"),
      true);
  std::string whole = read_file(directory / "adam-whole.ckpt");
  // Step and epoch, which differ in any case, are behind the tensors.
  dropped.file.resize(ckpt::layout<spiral_net, ckpt::adam>::footer_offset);
  whole.resize(dropped.file.size());
  return report(dropped.file != whole, "dropping the step makes the result differ, as it must",
                "dropping the step makes no difference");
}

/// Trains on from a checkpoint of spiral_net as a run-time model: both have the same layout.
bool learns_spirals(const fs::path& directory) {
  const settings chosen = demo_settings<ckpt::adam>(200, directory / "adam-whole.ckpt", {});
  const samples data = make_spirals();
  const parts divided(data, chosen);
  const ckpt::model_builder tables = network_of(widths_of(data, chosen), trainable_layers(chosen));
  ckpt::state<ckpt::dynamic_model, ckpt::adam> state(tables.model());
  print("\nadam, until it knows the spirals:");
  start(state, chosen);
  network net(state, chosen.batch_size);
  double accuracy = 0;
  while (accuracy < 0.98 && state.training.epoch < chosen.epochs) {
    run_epoch(state, net, divided, chosen);
    accuracy = evaluate(divided.training, net, chosen).accuracy;
  }
  const std::string words = "training accuracy " + fixed(accuracy, 4) + " after " +
                            std::to_string(state.training.epoch) + " epochs";
  return report(accuracy > 0.95, words, words);
}

bool run_demo(const fs::path& directory) {
  print("Two interleaved spirals; checkpoints go to " + directory.string());
  bool good = resumes_exactly<ckpt::sgd>(2, directory);
  good = resumes_exactly<ckpt::adam>(1, directory) && good;
  good = step_matters(directory) && good;
  return learns_spirals(directory) && good;
}

bool run_demo_where_told(const settings& chosen) {
  const fs::path& directory = chosen.demo_directory;
  if (directory.empty()) {
    const temporary_directory temporary;
    return run_demo(temporary.path());
  }
  if (chosen.flags_given != 1) stop("--directory belongs to the demo: give no other flag");
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) stop("--directory " + directory.string() + ": cannot be made: " + failed.message());
  return run_demo(directory);
}

// ---- Flags -------------------------------------------------------------------------------------

/// Thrown for a value that a flag does not take; says what it takes.
class bad_value : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

using text = const std::string&;

std::int64_t whole_number(text value, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || rest != end || number < least || number > most)
    throw bad_value("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

std::size_t up_to(std::int64_t most, text value) {
  return static_cast<std::size_t>(whole_number(value, 1, most));
}

std::vector<std::size_t> width_list(text value) {
  std::vector<std::size_t> widths;
  for (std::size_t from = 0; from <= value.size();) {
    const std::size_t comma = (std::min)(value.find(',', from), value.size());
    widths.push_back(up_to(most_width, value.substr(from, comma - from)));
    from = comma + 1;
  }
  if (widths.size() >= most_layers) throw bad_value("a shorter list");
  return widths;
}

float positive_number(text value) {
  const bool plain = value.find_first_not_of("0123456789.+-eE") == std::string::npos;
  char* end = nullptr;
  const float number = std::strtof(value.c_str(), &end);
  if (!plain || value.empty() || *end != '\0' || !std::isfinite(number) || !(number > 0))
    throw bad_value("a number above 0, such as 0.001");
  return number;
}

/// A share in decimal notation, as billionths: 0.2 is exact here, as a float it is not.
std::uint64_t share(text value) {
  const std::size_t point = (std::min)(value.find('.'), value.size());
  const std::string decimals = value.substr((std::min)(point + 1, value.size()));
  std::string digits = value.substr(0, point) + decimals;
  const bool plain = !digits.empty() && decimals.size() <= 9 &&
                     digits.find_first_not_of("0123456789") == std::string::npos;
  std::uint64_t billionths = billion + 1;
  if (plain) {
    digits.append(9 - decimals.size(), '0');
    std::from_chars(digits.data(), digits.data() + digits.size(), billionths);
  }
  if (billionths > billion)
    throw bad_value("a decimal number from 0 to 1 with up to 9 decimals, such as 0.2");
  return billionths;
}

fs::path file_name(text value) {
  if (value.empty()) throw bad_value("a name");
  return value;
}

struct flag {
  const char* name;
  const char* value;  // null: takes none
  const char* meaning;
  void (*apply)(settings& chosen, text value);
};

constexpr flag flags[] = {
    {"--load_input:raw", "FILE", "inputs of all samples: little-endian float32, no header",
     [](settings& s, text v) { s.input_file = file_name(v); }},
    {"--load_expected:raw", "FILE", "expected outputs of all samples, in the same form",
     [](settings& s, text v) { s.expected_file = file_name(v); }},
    {"--input_size", "N", "floats of a sample in --load_input:raw; default 2",
     [](settings& s, text v) { s.input_size = up_to(most_width, v); }},
    {"--output_size", "N", "floats of a sample in --load_expected:raw; default 2",
     [](settings& s, text v) { s.output_size = up_to(most_width, v); }},
    {"--hidden", "A,B,...", "widths of the hidden layers; default 32,32",
     [](settings& s, text v) { s.hidden = width_list(v); }},
    {"--epoch", "N", "epochs to train, on top of those behind --checkpoint; default 5",
     [](settings& s, text v) { s.epochs = up_to(most_epochs, v); }},
    {"--batch_size", "N", "samples of a step; default 10",
     [](settings& s, text v) { s.batch_size = up_to(most_batch, v); }},
    {"--learning_rate", "X", "default 0.1 for SGD, 0.001 for Adam, 0.01 for momentum",
     [](settings& s, text v) { s.learning_rate = positive_number(v); }},
    {"--loss", "N", "1 mean squared error, 2 categorical crossentropy with softmax; default 2",
     [](settings& s, text v) { s.loss = static_cast<loss_kind>(up_to(2, v)); }},
    {"--loss_reduction_type", "N", "1 sum over batch size, 2 sum; default 1",
     [](settings& s, text v) { s.reduction = static_cast<reduction_kind>(up_to(2, v)); }},
    {"--optimizer", "N", "1 SGD, 2 Adam, 3 momentum; default 2",
     [](settings& s, text v) { s.optimizer = static_cast<optimizer_kind>(up_to(3, v)); }},
    {"--metric", "N", "-1 none, 0 categorical accuracy; default -1",
     [](settings& s, text v) { s.accuracy = whole_number(v, -1, 0) == 0; }},
    {"--validation_split", "X", "share of the samples, at the end, that validates; default 0",
     [](settings& s, text v) { s.validation_share = share(v); }},
    {"--num_of_trainable_ops", "N", "-1 all layers, 0 none, n the last n; default -1",
     [](settings& s, text v) { s.trainable_layers = whole_number(v, -1, most_layers); }},
    {"--checkpoint", "FILE", "resume from this checkpoint",
     [](settings& s, text v) { s.checkpoint = file_name(v); }},
    {"--export_checkpoint", "FILE", "save here after every epoch, atomically",
     [](settings& s, text v) { s.export_checkpoint = file_name(v); }},
    {"--verbose_level", "N", "0 results, 1 also samples and saves, 2 also tensors; default 0",
     [](settings& s, text v) { s.verbose_level = static_cast<int>(whole_number(v, 0, 2)); }},
    {"--directory", "DIR", "run the demo in DIR and leave its checkpoints there",
     [](settings& s, text v) { s.demo_directory = file_name(v); }},
    {"--version", nullptr, "print the version", [](settings& s, text) { s.wants_version = true; }},
    {"--help", nullptr, "print this", [](settings& s, text) { s.wants_help = true; }},
};

void print_help() {
  print("train [flags]: trains a multilayer perceptron with checkpoints.");
  print("Without data it learns two spirals; without any flag it shows that it resumes exactly.\n");
  for (const flag& known : flags) {
    const std::string value = known.value == nullptr ? "" : known.value;
    const std::string left = known.name + (" " + value);
    std::printf("  %-26s %s\n", left.c_str(), known.meaning);
  }
}

const flag& find_flag(const std::string& name) {
  for (const flag& known : flags)
    if (name == known.name) return known;
  stop(name + ": unknown; --help lists the flags");
}

void apply(const flag& known, const std::string& value, settings& chosen) {
  chosen.flags_given += 1;
  try {
    known.apply(chosen, value);
  } catch (const bad_value& bad) {
    const std::string blame = std::string(known.name) + " " + value;
    stop(blame + ": must be " + bad.what() + " (" + known.meaning + ")");
  }
}

/// `--flag value` and `--flag=value`.
settings parse(const std::vector<std::string>& words) {
  settings chosen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const flag& known = find_flag(words[i].substr(0, equals));
    const bool attached = equals != std::string::npos;
    if (known.value == nullptr) {
      if (attached) stop(words[i] + ": takes no value");
      apply(known, "", chosen);
    } else if (attached) {
      apply(known, words[i].substr(equals + 1), chosen);
    } else if (i + 1 < words.size() && words[i + 1].compare(0, 2, "--") != 0) {
      apply(known, words[++i], chosen);
    } else {
      stop(words[i] + ": needs a value: " + known.value + ", " + known.meaning);
    }
  }
  return chosen;
}

int run_words(const std::vector<std::string>& words) {
  const settings chosen = parse(words);
  if (chosen.wants_help) {
    print_help();
  } else if (chosen.wants_version) {
    print("train (ckpt " CKPT_VERSION_STRING ")");
  } else if (words.empty() || !chosen.demo_directory.empty()) {
    return run_demo_where_told(chosen) ? EXIT_SUCCESS : EXIT_FAILURE;
  } else {
    run(chosen);
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run_words(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count));
  } catch (const std::exception& error) {
    warn(error.what());
    return EXIT_FAILURE;
  }
}
