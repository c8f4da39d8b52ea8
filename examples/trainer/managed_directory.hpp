#ifndef CKPT_EXAMPLES_TRAINER_MANAGED_DIRECTORY_HPP
#define CKPT_EXAMPLES_TRAINER_MANAGED_DIRECTORY_HPP

// The directory of checkpoints: opened, read, written, also in the background, and cleaned.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/store.hpp"
#include "settings.hpp"

namespace trainer {

inline ckpt::manager_settings manager_settings_of(const directory_settings& given) {
  ckpt::manager_settings made;
  made.directory = given.name;
  made.max_to_keep = given.max_to_keep;
  made.epoch_interval = given.epoch_interval;
  made.step_interval = given.step_interval;
  made.best.metric = given.best_metric;
  made.keep_every = given.keep_every;
  return made;
}

inline std::string checkpoint_name(std::uint64_t serial) {
  return "checkpoint_" + std::to_string(serial);
}

/// Warnings of what was passed over, or could not be removed.
inline void warn_of(const std::vector<ckpt::skipped_entry>& entries, const std::string& what) {
  for (const ckpt::skipped_entry& entry : entries) warn(what + entry.message);
}

/// The checkpoints of one run. A failure in the background is a warning at the next call; any other
/// ends the run, and what is there stays.
template <class Optimizer, class Format>
class managed_directory {
 public:
  using state_view = ckpt::state_view<ckpt::dynamic_model, Optimizer>;
  using manager_type = ckpt::checkpoint_manager<ckpt::dynamic_model, Optimizer, Format>;

  managed_directory(const settings& chosen, const ckpt::dynamic_model& model)
      : given_(chosen.directory), verbose_level_(chosen.verbose_level) {
    auto opened = manager_type::open(manager_settings_of(given_));
    if (!opened.ok()) fail_with(opened.message());
    manager_ = std::move(*opened);
    if (given_.async) saver_.reset(new saver_type(manager_.asynchronous({}, model)));
  }
  managed_directory(const managed_directory&) = delete;  // the saver knows where the manager is
  managed_directory& operator=(const managed_directory&) = delete;

  /// Whether a save in the background has failed.
  bool has_failed() const { return has_failed_; }

  /// How many saves were started.
  std::uint64_t saves() const { return saves_; }

  /// Whether there is one to go back to, as far as is known.
  bool has_checkpoint() const { return has_loaded_ || saves_ != 0; }

  bool should_save(std::uint64_t step, std::uint64_t epoch) {
    return manager_.should_save(step, epoch);
  }

  /// A new run is not to be mixed with an old one.
  void check_unused() const {
    const auto found = manager_.list();
    if (!found.ok()) fail_with(found.message());
    if (!found->empty())
      stop("--checkpoint_dir " + given_.name.string() +
           ": has checkpoints of a run, the newest is " + checkpoint_name(found->back().serial) +
           "; give --resume to go on with it, or another directory");
  }

  /// Loads the newest good checkpoint; nothing if there is none at all.
  std::optional<ckpt::loaded_checkpoint> load(state_view& state) {
    auto loaded = manager_.load_latest(state);
    if (loaded.error().kind == ckpt::errc::no_checkpoint) return std::nullopt;
    if (!loaded.ok()) fail_with(loaded.message());
    warn_of(loaded->skipped, "--checkpoint_dir: passed over: ");
    has_loaded_ = true;
    return std::move(*loaded);
  }

  /// Loads the newest good checkpoint from which training did not go wrong at once.
  ckpt::file_result<ckpt::loaded_checkpoint> roll_back(state_view& state) {
    wait();
    return manager_.rollback(state);
  }

  void save(const state_view& state, const ckpt::trainer_arguments& arguments) {
    saves_ += 1;
    if (saver_ == nullptr) return report(manager_.save(state, arguments));
    const auto started = saver_->save(state, arguments);
    if (!started.ok()) note_failure(started.message());
    report_finished(saver_->poll());
  }

  /// Until nothing is under way in the background.
  void wait() {
    if (saver_ != nullptr) report_finished(saver_->wait());
  }

  /// Removes the checkpoints, and the directory if it is empty then.
  void remove_all() {
    const auto removed = manager_.clear_and_close();
    if (!removed.ok()) fail_with(removed.message());
    warn_of(removed->not_removed, "--clean_on_success: ");
  }

 private:
  using saver_type = typename manager_type::saver_type;

  [[noreturn]] static void fail_with(const std::string& message) {
    stop("--checkpoint_dir: " + message);
  }

  void note_failure(const std::string& message) {
    has_failed_ = true;
    warn("--checkpoint_dir: in the background: " + message);
  }

  void report_finished(const ckpt::file_result<std::vector<ckpt::saved_checkpoint>>& finished) {
    if (!finished.ok()) return note_failure(finished.message());
    for (const ckpt::saved_checkpoint& saved : *finished) report(saved);
  }

  void report(const ckpt::file_result<ckpt::saved_checkpoint>& saved) const {
    if (!saved.ok()) fail_with(saved.message());
    warn_of(saved->not_removed, "--checkpoint_dir: ");
    if (verbose_level_ > 0)
      print("Saved " + checkpoint_name(saved->serial) + ": " + std::to_string(saved->model_bytes) +
            " bytes of model");
  }

  const directory_settings given_;
  const int verbose_level_;
  bool has_failed_ = false;
  bool has_loaded_ = false;
  std::uint64_t saves_ = 0;
  manager_type manager_;
  std::unique_ptr<saver_type> saver_;
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_MANAGED_DIRECTORY_HPP
