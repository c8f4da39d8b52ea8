#ifndef CKPT_EXAMPLES_TRAINER_RUN_ARGUMENTS_HPP
#define CKPT_EXAMPLES_TRAINER_RUN_ARGUMENTS_HPP

// What goes into a checkpoint beside the model: all that a file of any format may lack, and the
// metrics. Every number comes back with every bit.

#include <cstdint>
#include <optional>
#include <string>

#include "ckpt/model/training_state.hpp"
#include "ckpt/store/trainer_arguments.hpp"
#include "progress.hpp"
#include "settings.hpp"

namespace trainer {

namespace key {
inline constexpr const char* sample_cursor = "sample_cursor";
inline constexpr const char* batch_size = "batch_size";
inline constexpr const char* shuffle_seed = "shuffle_seed";
inline constexpr const char* learning_rate = "learning_rate";
inline constexpr const char* rollbacks = "rollbacks";
inline constexpr const char* epoch_steps = "epoch_steps";
inline constexpr const char* epoch_loss_sum = "epoch_loss_sum";
inline constexpr const char* epoch_accuracy_sum = "epoch_accuracy_sum";
inline constexpr const char* schedule = "lr_schedule";
inline constexpr const char* warmup_steps = "warmup_steps";
inline constexpr const char* total_steps = "total_steps";
inline constexpr const char* loss = "loss";
inline constexpr const char* validation_loss = "val_loss";
}  // namespace key

/// A list of arguments that is being filled; the keys above are all usable.
class argument_writer {
 public:
  void whole(const char* name, std::uint64_t number) {
    made.set_integer(name, static_cast<std::int64_t>(number)).or_throw();
  }
  void real(const char* name, double number) { made.set_real(name, number).or_throw(); }
  void words(const char* name, const std::string& value) { made.set_text(name, value).or_throw(); }

  ckpt::trainer_arguments made;
};

inline void write_schedule(argument_writer& to, const settings& chosen) {
  const bool is_constant = chosen.schedule != schedule_kind::warmup_cosine;
  to.words(key::schedule, is_constant ? "constant" : "warmup_cosine");
  if (is_constant) return;
  to.whole(key::warmup_steps, chosen.warmup_steps.value_or(0));
  to.whole(key::total_steps, chosen.total_steps);
}

/// `loss` is the mean of the epoch so far, or of the whole epoch at its end; there `val_loss` is
/// known too.
inline void write_metrics(argument_writer& to, const running_figures& epoch,
                          const std::optional<epoch_result>& ended, const settings& chosen) {
  if (epoch.steps != 0) {
    to.real(key::loss, epoch.mean().loss);
  } else if (ended) {
    to.real(key::loss, ended->training.loss);
    if (chosen.validation_share != 0) to.real(key::validation_loss, ended->validation.loss);
  }
}

/// @param ended  the epoch before the one under way, if this run has seen its end
inline ckpt::trainer_arguments arguments_of(const ckpt::training_state& training,
                                            const run_progress& progress,
                                            const std::optional<epoch_result>& ended,
                                            const settings& chosen) {
  argument_writer to;
  to.whole(key::sample_cursor, training.sample_cursor);
  to.whole(key::batch_size, chosen.batch_size);
  to.whole(key::shuffle_seed, chosen.shuffle_seed);
  to.real(key::learning_rate, static_cast<double>(chosen.learning_rate));
  to.whole(key::rollbacks, progress.rollbacks);
  to.whole(key::epoch_steps, progress.epoch.steps);
  to.real(key::epoch_loss_sum, progress.epoch.sum.loss);
  to.real(key::epoch_accuracy_sum, progress.epoch.sum.accuracy);
  write_schedule(to, chosen);
  write_metrics(to, progress.epoch, ended, chosen);
  return to.made;
}

/// Reads what a run left. What is absent, as in a checkpoint of another program, is as it is in a
/// run that begins.
class argument_reader {
 public:
  explicit argument_reader(const ckpt::trainer_arguments& from) : from_(from) {}

  std::uint64_t whole(const char* name, std::uint64_t otherwise) const {
    if (!from_.text(name).ok()) return otherwise;
    const auto number = from_.integer(name);
    if (!number.ok() || *number < 0) blame(name);
    return static_cast<std::uint64_t>(*number);
  }
  double real(const char* name, double otherwise) const {
    if (!from_.text(name).ok()) return otherwise;
    const auto number = from_.real(name);
    if (!number.ok()) blame(name);
    return *number;
  }
  bool says(const char* name, const char* words) const {
    const auto found = from_.text(name);
    return found.ok() && *found == words;
  }

 private:
  [[noreturn]] static void blame(const char* name) {
    stop(std::string("--checkpoint_dir: what the checkpoint has as ") + name +
         " is not what this program wrote there");
  }

  const ckpt::trainer_arguments& from_;
};

/// Where the run stood.
inline void read_progress(const argument_reader& from, ckpt::training_state& training,
                          run_progress& progress) {
  training.sample_cursor = from.whole(key::sample_cursor, training.sample_cursor);
  progress.rollbacks = from.whole(key::rollbacks, 0);
  progress.epoch.steps = from.whole(key::epoch_steps, 0);
  progress.epoch.sum.loss = from.real(key::epoch_loss_sum, 0);
  progress.epoch.sum.accuracy = from.real(key::epoch_accuracy_sum, 0);
}

/// How it trained, where no flag says otherwise.
inline void read_settings(const argument_reader& from, ckpt::training_state& training,
                          settings& chosen) {
  training.shuffle_seed = from.whole(key::shuffle_seed, training.shuffle_seed);
  training.learning_rate = from.real(key::learning_rate, training.learning_rate);
  if (chosen.schedule == schedule_kind::not_given && from.says(key::schedule, "warmup_cosine"))
    chosen.schedule = schedule_kind::warmup_cosine;
  if (chosen.schedule != schedule_kind::warmup_cosine) return;
  if (!chosen.warmup_steps) chosen.warmup_steps = from.whole(key::warmup_steps, 0);
  if (chosen.total_steps == 0) chosen.total_steps = from.whole(key::total_steps, 0);
}

/// Within an epoch only the same batches lead on.
inline void check_batches(const argument_reader& from, const ckpt::training_state& training,
                          const settings& chosen, std::uint64_t batch_count) {
  if (training.sample_cursor == 0) return;
  const std::uint64_t saved_size = from.whole(key::batch_size, chosen.batch_size);
  if (saved_size != chosen.batch_size)
    stop("--batch_size " + std::to_string(chosen.batch_size) +
         ": the checkpoint was saved within an epoch of batches of " + std::to_string(saved_size) +
         "; go on with that size");
  if (training.sample_cursor % saved_size != 0 ||
      training.sample_cursor / saved_size >= batch_count)
    stop("--checkpoint_dir: the checkpoint was saved behind " +
         std::to_string(training.sample_cursor) + " samples of an epoch, and here an epoch has " +
         std::to_string(batch_count * saved_size) + "; go on with the same samples and split");
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_RUN_ARGUMENTS_HPP
