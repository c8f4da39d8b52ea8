#ifndef CKPT_EXAMPLES_TRAINER_SETTINGS_HPP
#define CKPT_EXAMPLES_TRAINER_SETTINGS_HPP

// What the flags of the trainer say, and words on the terminal.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ckpt/base/span.hpp"

namespace trainer {

namespace fs = std::filesystem;
using floats = ckpt::span<const float>;

// The values are those of the flags.
enum class loss_kind {
  mean_squared_error = 1,
  categorical_crossentropy
};
enum class reduction_kind {
  sum_over_batch_size = 1,
  sum
};
enum class optimizer_kind {
  sgd = 1,
  adam,
  momentum
};
enum class file_format {
  onert,       // what onert reads; positions only
  onert_plus,  // the same with names and checksums in it
  v2           // names, checksums, and all of the training state
};
enum class schedule_kind {
  not_given,  // that of the checkpoint, or constant
  constant,
  warmup_cosine
};

inline constexpr std::size_t spiral_inputs = 2;
inline constexpr std::size_t spiral_outputs = 2;
inline constexpr std::int64_t most_width = 65536;
inline constexpr std::int64_t most_layers = 1000;
inline constexpr std::int64_t most_batch = 1'000'000'000;
inline constexpr std::int64_t most_epochs = 4'294'967'295;  // as many as a checkpoint can count
inline constexpr std::int64_t most_steps = 4'294'967'295;   // the same
inline constexpr std::int64_t most_kept = 1'000'000;
inline constexpr std::int64_t most_seed = 9'223'372'036'854'775'807;
inline constexpr std::uint64_t billion = 1'000'000'000;

/// `--rename OLD=NEW`: what is called OLD in the file is called NEW in the network.
struct rename_flag {
  std::string words;  // as they were given
  std::string from;
  std::string to;
  bool is_prefix = false;  // OLD and NEW ended with `*`, which is not in `from` and `to`
};

/// `--checkpoint_dir` and what belongs to it: the defaults are those of ckpt::manager_settings.
struct directory_settings {
  fs::path name;  // empty: none
  std::size_t max_to_keep = 3;
  std::uint64_t epoch_interval = 1;
  std::uint64_t step_interval = 10;
  std::uint64_t keep_every = 0;        // 0: none
  std::string best_metric;             // empty: none is kept for it
  std::uint64_t rises_to_go_back = 0;  // rises of the loss in a row; 0: never goes back
  file_format format = file_format::v2;
  bool resume = false;
  bool async = false;
  bool clean_on_success = false;
  std::string flag_given;  // one that needs a directory
};

/// What the flags say.
struct settings {
  fs::path input_file;
  fs::path expected_file;
  std::size_t input_size = 0;  // 0: not given
  std::size_t output_size = 0;
  std::vector<std::size_t> hidden = {32, 32};
  std::uint64_t epochs = 5;
  std::size_t batch_size = 10;
  float learning_rate = 0;  // 0: that of the checkpoint, or the optimizer's own
  schedule_kind schedule = schedule_kind::not_given;
  std::optional<std::uint64_t> warmup_steps;  // none: those of the checkpoint, or none
  std::uint64_t total_steps = 0;              // 0: those of the checkpoint, or of this run
  std::uint64_t shuffle_seed = 0;             // 0: that of the checkpoint, or no shuffle
  loss_kind loss = loss_kind::categorical_crossentropy;
  reduction_kind reduction = reduction_kind::sum_over_batch_size;
  optimizer_kind optimizer = optimizer_kind::adam;
  bool accuracy = false;
  std::uint64_t validation_share = 0;  // in billionths, so that a split is exact
  std::int64_t trainable_layers = -1;  // the last so many; -1: all
  fs::path checkpoint;
  fs::path init_from;
  fs::path init_model;
  std::vector<std::string> exclude;
  std::vector<rename_flag> renames;
  fs::path export_checkpoint;
  file_format export_format = file_format::onert;
  bool export_format_given = false;
  directory_settings directory;
  fs::path demo_directory;
  int verbose_level = 0;
  bool wants_help = false;
  bool wants_version = false;
  std::size_t flags_given = 0;
};

[[noreturn]] inline void stop(const std::string& reason) {
  throw std::runtime_error(reason);
}

/// Digits behind a point, whatever the locale: this program never calls setlocale().
inline std::string fixed(double value, int digits) {
  std::array<char, 512> words{};
  std::snprintf(words.data(), words.size(), "%.*f", digits, value);
  return words.data();
}

inline void print(const std::string& line) {
  std::printf("%s\n", line.c_str());
}

/// Prints a line, if there is one.
inline void tell(const std::string& line) {
  if (!line.empty()) print(line);
}

inline void warn(const std::string& line) {
  std::fflush(stdout);
  std::fprintf(stderr, "train: %s\n", line.c_str());
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_SETTINGS_HPP
