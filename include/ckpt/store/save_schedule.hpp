#ifndef CKPT_STORE_SAVE_SCHEDULE_HPP
#define CKPT_STORE_SAVE_SCHEDULE_HPP

#include <chrono>
#include <cstdint>

#include "ckpt/store/manager_settings.hpp"

namespace ckpt::detail {

/// When a checkpoint is due.
class save_schedule {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  save_schedule() = default;
  save_schedule(const manager_settings& settings, time_point now) noexcept
      : epoch_interval_(settings.epoch_interval),
        step_interval_(settings.step_interval),
        time_interval_(settings.time_interval),
        last_time_(now) {}

  /// Whether a checkpoint is due after so many completed steps and epochs; says so once for a step.
  [[nodiscard]] bool is_due(std::uint64_t step, std::uint64_t epoch, time_point now) noexcept {
    if (step == last_step_) return false;
    const bool by_count = step % step_interval_ == 0 && epoch % epoch_interval_ == 0;
    const bool by_time = time_interval_.count() > 0 && now - last_time_ >= time_interval_;
    if (!by_count && !by_time) return false;
    note(step, now);
    return true;
  }

  /// This step is on the disk, or is on its way there.
  void note(std::uint64_t step, time_point now) noexcept {
    last_step_ = step;
    last_time_ = now;
  }

 private:
  std::uint64_t epoch_interval_ = 1;
  std::uint64_t step_interval_ = 1;
  std::chrono::nanoseconds time_interval_{0};
  std::uint64_t last_step_ = 0;  // before the first step nothing is worth saving
  time_point last_time_{};
};

}  // namespace ckpt::detail

#endif  // CKPT_STORE_SAVE_SCHEDULE_HPP
