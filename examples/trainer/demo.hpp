#ifndef CKPT_EXAMPLES_TRAINER_DEMO_HPP
#define CKPT_EXAMPLES_TRAINER_DEMO_HPP

// The demo: runs that were resumed end where uninterrupted ones do.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "checkpoints.hpp"
#include "ckpt/ckpt.hpp"
#include "data.hpp"
#include "demo_files.hpp"
#include "events.hpp"
#include "model.hpp"
#include "optimizers.hpp"
#include "progress.hpp"
#include "run.hpp"
#include "settings.hpp"
#include "start_training.hpp"
#include "training.hpp"

namespace trainer {

/// The network for the spirals as the compiler knows it: a model is a table of values.
struct spiral_net {
  static constexpr auto tensors = ckpt::tensors({{"layer1.weight", ckpt::dtype::f32, {32, 2}},
                                                 {"layer1.bias", ckpt::dtype::f32, {32}},
                                                 {"layer2.weight", ckpt::dtype::f32, {32, 32}},
                                                 {"layer2.bias", ckpt::dtype::f32, {32}},
                                                 {"layer3.weight", ckpt::dtype::f32, {2, 32}},
                                                 {"layer3.bias", ckpt::dtype::f32, {2}}});
};

// The layout of a checkpoint is a constant: a header, an offset and the values of each tensor for
// weights, m and v, and the counters.
inline constexpr std::size_t spiral_weights = 32U * 2 + 32 + 32U * 32 + 32 + 2U * 32 + 2;
static_assert(ckpt::layout<spiral_net, ckpt::adam>::file_bytes ==
              20 + 3 * (24 + 4 * spiral_weights) + 8);

/// Notes how each epoch went.
struct epoch_log final : event_handler {
  void end_epoch(std::uint64_t, const epoch_result& of) override { epochs.push_back(of); }

  std::vector<epoch_result> epochs;
};

/// What a run leaves: its figures, and its checkpoint as bytes.
struct outcome {
  std::vector<epoch_result> epochs;
  std::string file;
};

template <class Optimizer>
settings demo_settings(std::uint64_t epochs, const fs::path& from, const fs::path& to) {
  settings chosen;
  chosen.learning_rate = default_learning_rate<Optimizer>();
  chosen.accuracy = true;
  chosen.epochs = epochs;
  chosen.checkpoint = from;
  chosen.export_checkpoint = to;
  return chosen;
}

/// One run of the demo, on the model that the compiler knows.
template <class Optimizer>
outcome run_spirals(const std::string& title, settings chosen, bool drop_step = false) {
  print("\n" + name_of<Optimizer>() + ", " + title);
  ckpt::state<spiral_net, Optimizer> state;
  tell(start(state, chosen));
  if (drop_step) state.training.step = 0;
  const samples data = make_spirals();
  ready_run run(state, data, chosen);
  epoch_log log;
  run.train({&log});
  return {log.epochs, read_file(chosen.export_checkpoint)};
}

/// Whether a resumed run ended where the uninterrupted one did, to the last bit.
inline bool equal(const outcome& whole, const outcome& resumed) {
  const std::size_t skipped = whole.epochs.size() - resumed.epochs.size();
  for (std::size_t e = 0; e < resumed.epochs.size(); ++e)
    if (whole.epochs[skipped + e].training.loss != resumed.epochs[e].training.loss) return false;
  return whole.file == resumed.file;
}

inline bool report(bool good, const std::string& words, const std::string& otherwise) {
  print(good ? "OK: " + words : "FAILED: " + otherwise);
  return good;
}

/// Trains five epochs in one run, and again in two runs with a checkpoint between.
template <class Optimizer>
bool resumes_exactly(std::uint64_t first, const fs::path& directory) {
  constexpr std::uint64_t total = 5;
  const std::uint64_t rest = total - first;
  const auto file = [&](const char* which) { return directory / (name_of<Optimizer>() + which); };
  const outcome whole = run_spirals<Optimizer>(
      "5 epochs in one run:", demo_settings<Optimizer>(total, {}, file("-whole.ckpt")));
  run_spirals<Optimizer>("stopped after epoch " + std::to_string(first) + ":",
                         demo_settings<Optimizer>(first, {}, file("-part.ckpt")));
  const outcome resumed = run_spirals<Optimizer>(
      "resumed for " + std::to_string(rest) + " more:",
      demo_settings<Optimizer>(rest, file("-part.ckpt"), file("-resumed.ckpt")));
  return report(equal(whole, resumed),
                "resumed and uninterrupted runs are equal bit for bit (losses, and " +
                    std::to_string(whole.file.size()) + " bytes of checkpoint)",
                "resumed and uninterrupted runs differ");
}

/// The control: Adam without its step goes another way, so the comparison above is able to fail.
inline bool step_matters(const fs::path& directory) {
  outcome dropped = run_spirals<ckpt::adam>(
      "control: resumed without the step:",
      demo_settings<ckpt::adam>(4, directory / "adam-part.ckpt", directory / "adam-control.ckpt"),
      true);
  std::string whole = read_file(directory / "adam-whole.ckpt");
  // Step and epoch, which differ in any case, are behind the tensors.
  dropped.file.resize(ckpt::layout<spiral_net, ckpt::adam>::footer_offset);
  whole.resize(dropped.file.size());
  return report(dropped.file != whole, "dropping the step makes the result differ, as it must",
                "dropping the step makes no difference");
}

/// Stops a run when it knows its samples.
template <class Loop>
class stop_when_known final : public event_handler {
 public:
  stop_when_known(Loop& watched, const settings& chosen) : loop_(watched), chosen_(chosen) {}

  void end_epoch(std::uint64_t, const epoch_result&) override {
    accuracy = evaluate(loop_.divided().training, loop_.net(), chosen_).accuracy;
    loop_.control.stops = accuracy >= 0.98;
  }

  double accuracy = 0;

 private:
  Loop& loop_;
  const settings& chosen_;
};

/// Trains on from a checkpoint of spiral_net as a run-time model: both have the same layout.
inline bool learns_spirals(const fs::path& directory) {
  const settings chosen = demo_settings<ckpt::adam>(200, directory / "adam-whole.ckpt", {});
  const samples data = make_spirals();
  const ckpt::model_builder tables = network_of(widths_of(data, chosen), trainable_layers(chosen));
  ckpt::state<ckpt::dynamic_model, ckpt::adam> state(tables.model());
  print("\nadam, until it knows the spirals:");
  tell(start(state, chosen));
  training_loop loop(state, data, chosen);
  stop_when_known watch(loop, chosen);
  event_handlers handlers;
  handlers.add(watch);
  loop.run(chosen.epochs, handlers);
  const std::string words = "training accuracy " + fixed(watch.accuracy, 4) + " after " +
                            std::to_string(state.training.epoch) + " epochs";
  return report(watch.accuracy > 0.95, words, words);
}

inline bool run_demo(const fs::path& directory) {
  print("Two interleaved spirals; checkpoints go to " + directory.string());
  bool good = resumes_exactly<ckpt::sgd>(2, directory);
  good = resumes_exactly<ckpt::adam>(1, directory) && good;
  good = step_matters(directory) && good;
  return learns_spirals(directory) && good;
}

inline bool run_demo_where_told(const settings& chosen) {
  const fs::path& directory = chosen.demo_directory;
  if (directory.empty()) {
    const temporary_directory temporary;
    return run_demo(temporary.path());
  }
  if (chosen.flags_given != 1) stop("--directory belongs to the demo: give no other flag");
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) stop("--directory " + directory.string() + ": cannot be made: " + failed.message());
  return run_demo(directory);
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_DEMO_HPP
