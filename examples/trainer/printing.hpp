#ifndef CKPT_EXAMPLES_TRAINER_PRINTING_HPP
#define CKPT_EXAMPLES_TRAINER_PRINTING_HPP

// What is printed while it trains.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "ckpt/model/training_state.hpp"
#include "data.hpp"
#include "events.hpp"
#include "learning_rate.hpp"
#include "network.hpp"
#include "progress.hpp"
#include "settings.hpp"

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace trainer {

inline bool stdout_is_terminal() {
#if defined(_WIN32)
  return _isatty(_fileno(stdout)) != 0;
#else
  return isatty(STDOUT_FILENO) != 0;
#endif
}

/// A bar while an epoch runs, if somebody is watching. It is gone when the epoch line comes.
class progress_bar {
 public:
  explicit progress_bar(std::size_t steps) : steps_(steps), visible_(stdout_is_terminal()) {}
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar() {
    if (visible_) std::printf("\r%*s\r", static_cast<int>(width + 8), "");
  }

  void show(std::size_t done) {
    const std::size_t filled = width * done / steps_;
    if (!visible_ || filled == filled_) return;
    filled_ = filled;
    const std::string bar = std::string(filled, '=') + std::string(width - filled, ' ');
    std::printf("\r[%s] %3zu%%", bar.c_str(), 100 * done / steps_);
    std::fflush(stdout);
  }

 private:
  static constexpr std::size_t width = 40;
  std::size_t steps_;
  std::size_t filled_ = 0;
  bool visible_;
};

inline void print_settings(const settings& chosen, const std::string& optimizer) {
  const bool squared = chosen.loss == loss_kind::mean_squared_error;
  const bool mean = chosen.reduction == reduction_kind::sum_over_batch_size;
  std::printf("== training parameter ==\n");
  std::printf("- learning_rate        = %g\n", static_cast<double>(chosen.learning_rate));
  if (chosen.schedule == schedule_kind::warmup_cosine)
    std::printf("- lr_schedule          = {warmup_cosine, warmup_steps = %s, total_steps = %s}\n",
                std::to_string(chosen.warmup_steps.value_or(0)).c_str(),
                std::to_string(chosen.total_steps).c_str());
  std::printf("- batch_size           = %zu\n", chosen.batch_size);
  std::printf("- loss_info            = {loss = %s, reduction = %s}\n",
              squared ? "mean squared error" : "categorical crossentropy",
              mean ? "sum over batch size" : "sum");
  std::printf("- optimizer            = %s\n", optimizer.c_str());
  std::printf("- num_of_trainable_ops = %s\n", std::to_string(chosen.trainable_layers).c_str());
  std::printf("========================\n");
}

inline std::string words_of(const figures& of, const std::string& prefix, bool with_accuracy) {
  std::string words = " - " + prefix + "loss: [0] " + fixed(of.loss, 4);
  if (with_accuracy) words += " - " + prefix + "categorical_accuracy: [0] " + fixed(of.accuracy, 4);
  return words;
}

inline void print_part(const char* name, const batches& part) {
  print(std::string(name) + ": " + std::to_string(part.sample_count) + " samples, " +
        std::to_string(part.count()) + " steps");
}

/// Prints what happens: a line an epoch, and at the highest level a line a step.
class printer final : public event_handler {
 public:
  /// @param training        with the counters of the state
  /// @param first_epoch     the number 1 of this run
  printer(const ckpt::training_state& training, const run_progress& progress,
          const settings& chosen, std::size_t steps, std::uint64_t first_epoch)
      : training_(training),
        progress_(progress),
        chosen_(chosen),
        steps_(steps),
        first_epoch_(first_epoch) {}

  void begin_epoch(std::uint64_t epoch) override {
    if (chosen_.verbose_level == 0) bar_.emplace(steps_);
    if (chosen_.verbose_level > 1) print("Epoch " + number_of(epoch) + " begins");
  }

  void end_step(std::uint64_t epoch, std::uint64_t step, const figures& of_step) override {
    if (bar_) bar_->show(static_cast<std::size_t>(step) + 1);
    if (chosen_.verbose_level < 2) return;
    const std::uint64_t done = training_.step - 1;
    std::array<char, 160> words{};
    std::snprintf(words.data(), words.size(), " - learning_rate: %.9g - loss: %.9g",
                  static_cast<double>(rate_of_step(chosen_, done, progress_.rollbacks)),
                  of_step.loss);
    print("Step " + std::to_string(training_.step) + " (epoch " + number_of(epoch) + ", batch " +
          std::to_string(step) + ")" + words.data());
  }

  void end_epoch(std::uint64_t epoch, const epoch_result& result) override {
    bar_.reset();
    std::string line = "Epoch " + number_of(epoch) +
                       " - time: " + fixed(result.milliseconds_a_step, 3) + "ms/step";
    line += words_of(result.training, "", chosen_.accuracy);
    if (chosen_.validation_share != 0)
      line += words_of(result.validation, "val_", chosen_.accuracy);
    print(line);
    std::fflush(stdout);
  }

 private:
  std::string number_of(std::uint64_t epoch) const {
    return std::to_string(epoch - first_epoch_ + 1) + "/" + std::to_string(chosen_.epochs);
  }

  const ckpt::training_state& training_;
  const run_progress& progress_;
  const settings& chosen_;
  std::size_t steps_;
  std::uint64_t first_epoch_;
  std::optional<progress_bar> bar_;
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_PRINTING_HPP
