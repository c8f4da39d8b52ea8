#ifndef CKPT_EXAMPLES_TRAINER_PRINTING_HPP
#define CKPT_EXAMPLES_TRAINER_PRINTING_HPP

// What is printed while it trains.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "data.hpp"
#include "network.hpp"
#include "settings.hpp"

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace trainer {

/// What is known of one epoch.
struct epoch_result {
  figures training;
  figures validation;
  double milliseconds_a_step = 0;
};

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

inline void print_epoch(std::uint64_t epoch, const epoch_result& result, const settings& chosen) {
  std::string line = "Epoch " + std::to_string(epoch) + "/" + std::to_string(chosen.epochs) +
                     " - time: " + fixed(result.milliseconds_a_step, 3) + "ms/step";
  line += words_of(result.training, "", chosen.accuracy);
  if (chosen.validation_share != 0) line += words_of(result.validation, "val_", chosen.accuracy);
  print(line);
  std::fflush(stdout);
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_PRINTING_HPP
