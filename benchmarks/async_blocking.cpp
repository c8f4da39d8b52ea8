// How long a training loop stands still for a save in the background: the time that
// `async_saver::save()` takes while the writer is idle, beside one memcpy of the same state into
// warm memory. Both in each round, in turns, so that they see the same noise.
// usage: async_blocking [--quick] [--check] [DIRECTORY]    --check: exit 1 above a ratio of 1.5
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "ckpt/checkpoint/async_saver.hpp"
#include "ckpt/ckpt.hpp"
#include "mobilenet_v2.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
using state_type = ckpt::state<mobilenet_v2, ckpt::adam>;
using saver_type = ckpt::async_saver<mobilenet_v2, ckpt::adam>;
constexpr double highest_ratio = 1.5;

template <class Call>
double milliseconds(Call call) {
  const auto begin = clock_type::now();
  call();
  return std::chrono::duration<double, std::milli>(clock_type::now() - begin).count();
}

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

void train(state_type& state, std::byte colour) {
  const std::size_t whole = state.memory_bytes();
  std::memset(state.weight_bytes(0).data(), static_cast<int>(colour), whole);
  ++state.training.step;
}

std::uint64_t payload_bytes() {
  std::uint64_t total = 0;
  for (const ckpt::tensor_spec& each : ckpt::view_of<mobilenet_v2>())
    total += (1 + ckpt::adam::slot_count) * each.byte_size();
  return total;
}

/// Times of each round.
struct series {
  std::vector<double> copies;
  std::vector<double> saves;
};

/// Measures both, each behind a step of training, so that the state is as warm as it is then. False
/// if a save failed.
bool run_round(std::size_t number, state_type& state, std::byte* to, saver_type& saver,
               series& times) {
  bool is_well = true;
  for (const bool is_copy : {number % 2 == 0, number % 2 != 0}) {
    train(state, static_cast<std::byte>(number));
    if (is_copy) {
      const std::byte* const from = state.weight_bytes(0).data();
      times.copies.push_back(milliseconds([&] { std::memcpy(to, from, state.memory_bytes()); }));
    } else {
      times.saves.push_back(milliseconds([&] { is_well = saver.save(state).ok(); }));
      is_well = saver.wait().ok() && is_well;
    }
  }
  return is_well;
}

/// Prints the figures and gives the ratio of the medians.
double print(const series& times) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.copies.size(); ++i)
    ratios.push_back(times.saves[i] / times.copies[i]);
  const double ratio = quantile(times.saves, 0.5) / quantile(times.copies, 0.5);
  std::printf("weights and slots     %12.1f MB in %zu tensors\n",
              static_cast<double>(payload_bytes()) / 1e6,
              (1 + ckpt::adam::slot_count) * mobilenet_v2::tensors.size());
  std::printf("memory of a snapshot  %12.1f MB\n",
              static_cast<double>(saver_type::snapshot_bytes) / 1e6);
  std::printf("memcpy, median        %12.3f ms\n", quantile(times.copies, 0.5));
  std::printf("blocked, median       %12.3f ms\n", quantile(times.saves, 0.5));
  std::printf("ratio of the medians  %12.3f (of each round: p10 %.3f, p90 %.3f; %zu rounds)\n",
              ratio, quantile(ratios, 0.1), quantile(ratios, 0.9), ratios.size());
  return ratio;
}

}  // namespace

int main(int argc, char** argv) {
  bool is_quick = false;
  bool is_check = false;
  std::string directory = ".";
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      is_quick = true;
    } else if (std::strcmp(argv[i], "--check") == 0) {
      is_check = true;
    } else {
      directory = argv[i];
    }
  }
  const std::string path = directory + "/async_blocking.ckpt";
  // What the disk takes is not measured here; without the sync there are more rounds a minute.
  saver_type saver([&path](const auto& copy, const auto&) {
    return ckpt::save(path, copy, {/*durable=*/false});
  });
  state_type state;
  std::vector<std::byte> to(state.memory_bytes());
  series times;
  bool is_well = run_round(0, state, to.data(), saver, times);  // warms up
  times = {};
  for (std::size_t i = 0; i < (is_quick ? 5U : 61U); ++i)
    is_well = run_round(i, state, to.data(), saver, times) && is_well;
  std::remove(path.c_str());
  if (!is_well) return std::puts("a save failed: no time is worth anything"), 1;
  return print(times) > highest_ratio && is_check ? 1 : 0;
}
