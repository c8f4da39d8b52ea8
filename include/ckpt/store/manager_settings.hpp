#ifndef CKPT_STORE_MANAGER_SETTINGS_HPP
#define CKPT_STORE_MANAGER_SETTINGS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "ckpt/io/path.hpp"
#include "ckpt/store/names.hpp"

namespace ckpt {

/// Which metric is better.
enum class better : std::uint8_t {
  lower,
  higher
};

/// Checkpoints that stay because of a metric: an own value of the chief's arguments, as a number.
/// One without it, or with NaN, is never among the best; of equals the older one is.
struct keep_best {
  std::string metric{};  ///< key; empty: none is kept for its metric
  better order = better::lower;
  std::size_t count = 1;
};

/// What a checkpoint manager does, and where.
struct manager_settings {
  /// For an interval that never comes.
  static constexpr std::uint64_t never = (std::numeric_limits<std::uint64_t>::max)();

  /// The directory of all checkpoints of one run; made if absent, its parents too. It may hold
  /// other things: only names of the own patterns are ever touched.
  path directory{};
  /// Newest checkpoints that stay. Those kept for other reasons come on top.
  std::size_t max_to_keep = 3;
  /// Save only in every n-th epoch, counted from 0.
  std::uint64_t epoch_interval = 1;
  /// Save after every n-th step of these epochs.
  std::uint64_t step_interval = 10;
  /// Also save when so much time has passed since the last one; zero: time does not matter.
  std::chrono::nanoseconds time_interval{0};
  /// Also keep the best.
  keep_best best{};
  /// Also keep the first of every so many steps, for ever, and where a new run in the same
  /// directory begins; 0: none.
  std::uint64_t keep_every = 0;

  /// Trainers whose arguments make a checkpoint whole, the chief (0) with them.
  std::uint64_t trainer_count = 1;
  /// How long a save waits for their arguments.
  std::chrono::nanoseconds trainer_timeout = std::chrono::seconds(60);
  /// Tells the other trainers the serial of the checkpoint that is being made, by whatever they
  /// talk through. Called by each save, in its thread, once the serial is fixed.
  std::function<void(std::uint64_t serial)> announce{};
};

namespace detail {

/// What is wrong with the settings, for a person; empty if nothing is.
[[nodiscard]] inline std::string settings_fault(const manager_settings& settings) {
  if (settings.directory.empty()) return "directory is empty; name one (\".\" for the current one)";
  if (!settings.directory.is_valid()) return "directory is not a valid path";
  if (settings.max_to_keep == 0)
    return "max_to_keep is 0; at least the one just saved has to stay: give 1 or more";
  if (settings.epoch_interval == 0) return "epoch_interval is 0; give 1 for every epoch";
  if (settings.step_interval == 0)
    return "step_interval is 0; give 1 for every step, or manager_settings::never";
  if (settings.time_interval.count() < 0) return "time_interval is negative; give 0 for none";
  if (!settings.best.metric.empty() && settings.best.count == 0)
    return "best.count is 0; leave best.metric empty to keep none";
  if (settings.trainer_count == 0 || settings.trainer_count > max_trainer)
    return "trainer_count is out of range; the chief is one of them: give 1 or more";
  if (settings.trainer_timeout.count() < 0) return "trainer_timeout is negative";
  return {};
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_STORE_MANAGER_SETTINGS_HPP
