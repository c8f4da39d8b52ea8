#ifndef CKPT_TESTS_UNIT_STORE_SAMPLE_HPP
#define CKPT_TESTS_UNIT_STORE_SAMPLE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "ckpt/checkpoint/state.hpp"
#include "ckpt/model/optimizers.hpp"
#include "ckpt/store/checkpoint_manager.hpp"
#include "scratch.hpp"

namespace ckpt_test {

struct small {
  static constexpr auto tensors =
      ckpt::tensors({{"fc.weight", ckpt::dtype::f32, {3, 4}}, {"fc.bias", ckpt::dtype::f32, {4}}});
};

using small_state = ckpt::state<small, ckpt::adam>;
using small_manager = ckpt::checkpoint_manager<small, ckpt::adam>;

/// Every byte of weights and slots is drawn from the step, so that a state says what it is.
inline void fill(small_state& state, std::uint64_t step, std::uint64_t epoch = 0) {
  state.training.step = step;
  state.training.epoch = epoch;
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t i = 0; i < small::tensors.size(); ++i) {
      const auto to = s == 0 ? state.weight_bytes(i) : state.slot_bytes(s - 1, i);
      const bytes drawn = pattern(to.size(), static_cast<unsigned>(step * 8 + s * 2 + i));
      std::memcpy(to.data(), drawn.data(), drawn.size());
    }
}

/// Whether the state is exactly that of this step.
inline bool is_of(const small_state& state, std::uint64_t step, std::uint64_t epoch = 0) {
  small_state expected;
  fill(expected, step, epoch);
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t i = 0; i < small::tensors.size(); ++i) {
      const auto a = s == 0 ? state.weight_bytes(i) : state.slot_bytes(s - 1, i);
      const auto b = s == 0 ? expected.weight_bytes(i) : expected.slot_bytes(s - 1, i);
      if (std::memcmp(a.data(), b.data(), a.size()) != 0) return false;
    }
  return state.training == expected.training;
}

inline small_state state_of(std::uint64_t step, std::uint64_t epoch = 0) {
  small_state made;
  fill(made, step, epoch);
  return made;
}

inline ckpt::manager_settings keeping(const std::string& directory, std::size_t count) {
  ckpt::manager_settings settings;
  settings.directory = directory;
  settings.max_to_keep = count;
  return settings;
}

/// Serials of all that look whole.
template <class Directory>
std::vector<std::uint64_t> serials_in(const Directory& directory) {
  std::vector<std::uint64_t> serials;
  const auto entries = directory.list();
  if (entries.ok())
    for (const auto& entry : *entries)
      if (entry.health.ok()) serials.push_back(entry.serial);
  return serials;
}

inline void put_text(const std::string& name, const std::string& text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  put(name, bytes(first, first + text.size()));
}

inline std::string get_text(const std::string& name) {
  const bytes content = get(name);
  return std::string(reinterpret_cast<const char*>(content.data()), content.size());
}

}  // namespace ckpt_test

#endif  // CKPT_TESTS_UNIT_STORE_SAMPLE_HPP
