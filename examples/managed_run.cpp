// The life of a run: when to save, what to keep, how to go on after a crash.
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "ckpt/store.hpp"

struct line {
  static constexpr auto tensors =
      ckpt::tensors({{"slope", ckpt::dtype::f32, {1}}, {"offset", ckpt::dtype::f32, {1}}});
};

using manager_type = ckpt::checkpoint_manager<line, ckpt::momentum>;
using state_type = ckpt::state<line, ckpt::momentum>;

constexpr std::uint64_t steps_per_epoch = 20;

// Fits y = 2x + 1. Batch number `step` is computed, so that nothing is read only to be skipped.
static float train_one_step(state_type& state) {
  const float x = static_cast<float>(state.training.step * 7 % 11) / 11.0F;
  float& slope = state.weight<0>()[0];
  float& offset = state.weight<1>()[0];
  const float error = slope * x + offset - (2 * x + 1);
  const auto update = [&state](float& weight, float& velocity, float gradient) {
    // Warm-up, computed from the step alone: it goes on where it was.
    const float warm_up = state.training.step < 10 ? 0.1F : 1.0F;
    velocity = 0.9F * velocity + gradient;
    weight -= 0.05F * warm_up * velocity;
  };
  update(slope, state.slot<0, 0>()[0], error * x);
  update(offset, state.slot<0, 1>()[0], error);
  return error * error;
}

// Trains up to `last_step` in all; goes on from the newest good checkpoint.
static int run(const ckpt::manager_settings& settings, std::uint64_t last_step) {
  auto manager = manager_type::open(settings);
  if (!manager) return std::puts(manager.message().c_str()), 1;
  state_type state;
  const auto found = manager->load_latest(state);
  const bool begins = found.error().kind == ckpt::errc::no_checkpoint;
  if (!found && !begins) return std::puts(found.message().c_str()), 1;

  while (state.training.step < last_step) {
    const float loss = train_one_step(state);  // batch number state.training.step
    ++state.training.step;                     // completed steps
    state.training.epoch = state.training.step / steps_per_epoch;
    if (!manager->should_save(state.training.step, state.training.epoch)) continue;
    ckpt::trainer_arguments arguments;
    if (!arguments.set_real("loss", static_cast<double>(loss))) return 1;
    const auto saved = manager->save(state, arguments);
    if (!saved) return std::puts(saved.message().c_str()), 1;
  }
  return 0;
}

int main() {
  std::filesystem::remove_all("managed_run");
  std::filesystem::remove_all("unbroken_run");
  ckpt::manager_settings settings;
  settings.directory = "managed_run";
  settings.max_to_keep = 2;
  settings.step_interval = 10;
  settings.best = {"loss", ckpt::better::lower};
  settings.keep_every = 50;
  // Stopped at step 47, of which 40 are saved; then resumed.
  if (run(settings, 47) != 0 || run(settings, 100) != 0) return 1;
  settings.directory = "unbroken_run";
  if (run(settings, 100) != 0) return 1;

  const auto resumed = ckpt::checkpoint_directory::open("managed_run");
  const auto unbroken = ckpt::checkpoint_directory::open("unbroken_run");
  if (!resumed || !unbroken) return 1;
  state_type a;
  state_type b;
  const auto latest = resumed->load_latest(a);
  if (!latest || !unbroken->load_latest(b)) return 1;
  std::printf("step %d: %.9g x + %.9g\n", static_cast<int>(a.training.step),
              static_cast<double>(a.weight<0>()[0]), static_cast<double>(a.weight<1>()[0]));
  const bool same = a.training == b.training && a.weight<0>()[0] == b.weight<0>()[0] &&
                    a.weight<1>()[0] == b.weight<1>()[0];
  const auto entries = resumed->list();
  if (!entries) return std::puts(entries.message().c_str()), 1;
  for (const ckpt::checkpoint_entry& entry : *entries)
    std::printf("checkpoint_%d: step %d\n", static_cast<int>(entry.serial),
                static_cast<int>(entry.step));
  std::filesystem::remove_all("managed_run");
  std::filesystem::remove_all("unbroken_run");
  return same && a.training.step == 100 ? 0 : 1;
}
