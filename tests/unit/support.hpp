#ifndef CKPT_TESTS_UNIT_SUPPORT_HPP
#define CKPT_TESTS_UNIT_SUPPORT_HPP

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ckpt/core.hpp"

namespace doctest {

template <>
struct StringMaker<ckpt::errc> {
  static String convert(ckpt::errc kind) { return ckpt::name(kind).data(); }
};
template <>
struct StringMaker<ckpt::dialect> {
  static String convert(ckpt::dialect kind) { return ckpt::name(kind).data(); }
};

}  // namespace doctest

/// What the unit tests share.
namespace test {

using bytes = std::vector<std::byte>;

inline ckpt::bytes_view view(const bytes& data) {
  return {data.data(), data.size()};
}
inline ckpt::bytes_view prefix(const bytes& data, std::size_t size) {
  return {data.data(), size};
}

inline std::string words(const ckpt::text& message) {
  return message.c_str();
}

inline bool mentions(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos;
}

/// The bytes of a file, or none where it cannot be read.
inline bytes read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> raw((std::istreambuf_iterator<char>(file)), {});
  bytes data(raw.size());
  if (!raw.empty()) std::memcpy(data.data(), raw.data(), raw.size());
  return data;
}

inline bytes read_golden(const std::string& name) {
  const bytes data = read_file(std::string(CKPT_TESTS_DATA) + "/golden/" + name);
  REQUIRE_FALSE(data.empty());
  return data;
}

inline void put_u32(bytes& data, std::size_t offset, std::uint32_t value) {
  ckpt::store_little(data.data() + offset, value);
}
inline std::uint32_t get_u32(const bytes& data, std::size_t offset) {
  return ckpt::load_little<std::uint32_t>(data.data() + offset);
}

/// Numbers that look random and are the same in every run (splitmix64).
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

 private:
  std::uint64_t state_;
};

/// A state of any model with memory of its own: each payload stands alone, so that a sanitizer sees
/// every byte too many.
template <class Model, class Optimizer>
class owned_state {
 public:
  owned_state() : owned_state(ckpt::view_of<Model>()) {}

  explicit owned_state(const ckpt::model_view& model) {
    const std::size_t sections = 1 + Optimizer::slot_count;
    memory.resize(sections * model.size());
    if constexpr (std::is_same_v<Model, ckpt::dynamic_model>) {
      const ckpt::dynamic_model live(model.tensors, model.visits);
      pointers_.resize(memory.size() + 1);
      view = ckpt::state_view<Model, Optimizer>(live, pointers_.data());
    }
    for (std::size_t s = 0; s < sections; ++s)
      for (std::size_t i = 0; i < model.size(); ++i) bind(model, s, i);
  }

  owned_state(const owned_state&) = delete;
  owned_state& operator=(const owned_state&) = delete;

  /// Fills every payload with bytes that tell section, tensor and place.
  void fill(std::uint64_t seed) {
    random_numbers numbers(seed);
    for (bytes& payload : memory)
      for (std::byte& b : payload) b = static_cast<std::byte>(numbers.next());
    view.training = {numbers.below(1U << 30U), numbers.below(1000)};
  }

  bytes& payload(std::size_t section, std::size_t index) {
    return memory[section * view.model().size() + index];
  }

  std::vector<bytes> memory;
  ckpt::state_view<Model, Optimizer> view;

 private:
  void bind(const ckpt::model_view& model, std::size_t section, std::size_t index) {
    const auto optimizer = ckpt::view_of_optimizer<Optimizer>();
    bytes& to = memory[section * model.size() + index];
    to.resize(
        static_cast<std::size_t>(ckpt::payload_bytes(optimizer, section, model[index], index)));
    const ckpt::bytes_span span(to.data(), to.size());
    const ckpt::status bound =
        section == 0 ? view.bind_weight(index, span) : view.bind_slot(section - 1, index, span);
    REQUIRE(bound.ok());
  }

  std::vector<std::byte*> pointers_;
};

/// The file that a writer makes of a state.
template <class Format, class Model, class Optimizer>
bytes written(const ckpt::state_view<Model, Optimizer>& state) {
  const ckpt::writer<Model, Optimizer, Format> write;
  bytes file(static_cast<std::size_t>(ckpt::layout<Model, Optimizer, Format>::file_bytes));
  const auto done = write.write_to(state, ckpt::bytes_span(file.data(), file.size()));
  REQUIRE_MESSAGE(done.ok(), words(done.error().message()));
  REQUIRE(done->size() == file.size());
  return file;
}

}  // namespace test

#endif  // CKPT_TESTS_UNIT_SUPPORT_HPP
