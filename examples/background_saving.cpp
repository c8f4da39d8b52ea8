// Saving in the background, and what belongs around a training loop: signals, going back.
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "ckpt/store.hpp"

struct mlp {
  static constexpr auto tensors = ckpt::tensors(
      {{"fc.weight", ckpt::dtype::f32, {784, 10}}, {"fc.bias", ckpt::dtype::f32, {10}}});
};

using saver_type = ckpt::checkpoint_manager<mlp, ckpt::adam>::saver_type;
// Known before the program runs: what one save in flight takes.
static_assert(saver_type::snapshot_bytes >= 94200);  // weights, m and v

static double train_one_step(ckpt::state<mlp, ckpt::adam>& state) {
  state.weight<1>()[0] += 0.5F;
  return 1.0 / static_cast<double>(++state.training.step);
}

int main() {
  std::filesystem::remove_all("background_saving");
  ckpt::manager_settings settings;
  settings.directory = "background_saving";
  auto manager = ckpt::checkpoint_manager<mlp, ckpt::adam>::open(settings);
  if (!manager) return std::puts(manager.message().c_str()), 1;
  const auto signals = ckpt::stop_signals::watch();
  if (!signals.ok()) return 1;
  ckpt::loss_watch watch;
  ckpt::state<mlp, ckpt::adam> state;
  {
    auto saver = manager->asynchronous();
    while (state.training.step < 100 && !signals->stop_requested()) {
      const ckpt::loss_verdict verdict = watch.report(train_one_step(state));
      if (verdict == ckpt::loss_verdict::give_up) return 1;
      if (verdict == ckpt::loss_verdict::roll_back) {
        if (!saver.wait() || !manager->rollback(state)) return 1;
      } else if (manager->should_save(state.training.step, state.training.epoch)) {
        const auto started = saver.save(state);  // waits for one copy in memory
        if (!started) std::puts(started.message().c_str());
        watch.progressed();
      }
    }
    const auto finished = saver.wait();
    if (!finished) return std::puts(finished.message().c_str()), 1;
  }
  const auto latest = manager->latest();
  if (!latest) return std::puts(latest.message().c_str()), 1;
  std::printf("the latest is checkpoint_%d, step %d\n", static_cast<int>(latest->entry.serial),
              static_cast<int>(latest->entry.step));
  const bool is_last = latest->entry.step == 100;
  return manager->clear_and_close().ok() && is_last ? 0 : 1;
}
