#ifndef CKPT_EXAMPLES_TRAINER_DATA_HPP
#define CKPT_EXAMPLES_TRAINER_DATA_HPP

// Samples: two spirals, or raw files.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ckpt/base/byte_order.hpp"
#include "random.hpp"
#include "settings.hpp"

namespace trainer {

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
inline samples make_spirals() {
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
inline std::vector<float> read_raw(const char* flag, const fs::path& file, std::size_t width) {
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

inline samples read_samples(const settings& chosen) {
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

/// Puts the first `count` samples into the order of one epoch. The order follows from the seed and
/// from the number of the epoch alone, so a resumed run needs no state of random numbers.
inline void shuffle(const samples& data, std::size_t count, std::uint64_t seed, std::uint64_t epoch,
                    samples& shuffled) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  random_numbers random(random_numbers(seed).next_word() + epoch);
  for (std::size_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[static_cast<std::size_t>(random.next_word() % left)]);
  const auto take = [&](const std::vector<float>& from, std::size_t width, std::vector<float>& to) {
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(from.data() + order[i] * width, width, to.data() + i * width);
  };
  take(data.inputs, data.input_size, shuffled.inputs);
  take(data.expected, data.output_size, shuffled.expected);
}

/// floor(count * share / billion), without overflow.
inline std::size_t share_of(std::size_t count, std::uint64_t share) {
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

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_DATA_HPP
