#ifndef CKPT_STORE_RETENTION_HPP
#define CKPT_STORE_RETENTION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ckpt/store/checkpoint_entry.hpp"
#include "ckpt/store/manager_settings.hpp"

/// Which checkpoints go once a new one is on the disk. Only whole ones are counted and only whole
/// ones go: what is broken or unmarked is left for a person to look at.
namespace ckpt::detail {

/// Whether an entry has a metric, and which.
[[nodiscard]] inline bool metric_of(const checkpoint_entry& entry, const keep_best& best,
                                    double& metric) {
  const auto found = entry.arguments.real(best.metric);
  if (!found.ok() || *found != *found) return false;
  metric = *found;
  return true;
}

/// Whether the first of two entries has the better metric, or as good a one and is older.
[[nodiscard]] inline bool is_better(const checkpoint_entry& a, const checkpoint_entry& b,
                                    const keep_best& best) {
  double first = 0;
  double second = 0;
  static_cast<void>(metric_of(a, best, first));
  static_cast<void>(metric_of(b, best, second));
  if (first == second) return a.serial < b.serial;
  return (first < second) == (best.order == better::lower);
}

inline void keep_the_best(const std::vector<checkpoint_entry>& entries, const keep_best& best,
                          std::vector<std::uint64_t>& kept) {
  if (best.metric.empty()) return;
  std::vector<const checkpoint_entry*> measured;
  double metric = 0;
  for (const checkpoint_entry& entry : entries)
    if (metric_of(entry, best, metric)) measured.push_back(&entry);
  std::sort(measured.begin(), measured.end(),
            [&](const auto* a, const auto* b) { return is_better(*a, *b, best); });
  for (std::size_t i = 0; i < (std::min)(best.count, measured.size()); ++i)
    kept.push_back(measured[i]->serial);
}

/// The first of every `interval` steps, in the order of saving. Whatever begins another interval
/// stays, also the beginning of a new run in the same directory: removing others then never changes
/// who is the first.
inline void keep_the_first_of_every(const std::vector<checkpoint_entry>& entries,
                                    std::uint64_t interval, std::vector<std::uint64_t>& kept) {
  if (interval == 0) return;
  std::uint64_t last = 0;
  for (const checkpoint_entry& entry : entries) {
    const std::uint64_t now = entry.step / interval;
    if (now != last) kept.push_back(entry.serial);
    last = now;
  }
}

/// The serials to remove, the oldest first.
/// @param entries  whole checkpoints in the order of their serials
/// @param needed  serials that stay in any case
[[nodiscard]] inline std::vector<std::uint64_t> surplus(
    const std::vector<checkpoint_entry>& entries, const manager_settings& settings,
    const std::vector<std::uint64_t>& needed) {
  std::vector<std::uint64_t> kept = needed;
  const std::size_t newest = (std::min)(settings.max_to_keep, entries.size());
  for (std::size_t i = 0; i < newest; ++i) kept.push_back(entries[entries.size() - 1 - i].serial);
  keep_the_best(entries, settings.best, kept);
  keep_the_first_of_every(entries, settings.keep_every, kept);
  std::vector<std::uint64_t> removed;
  for (const checkpoint_entry& entry : entries)
    if (std::find(kept.begin(), kept.end(), entry.serial) == kept.end())
      removed.push_back(entry.serial);
  return removed;
}

}  // namespace ckpt::detail

#endif  // CKPT_STORE_RETENTION_HPP
