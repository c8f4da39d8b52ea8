#ifndef CKPT_EXAMPLES_TRAINER_RUN_HPP
#define CKPT_EXAMPLES_TRAINER_RUN_HPP

// A run as the flags say.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check_settings.hpp"
#include "checkpoints.hpp"
#include "ckpt/ckpt.hpp"
#include "data.hpp"
#include "init_from.hpp"
#include "managed_run.hpp"
#include "model.hpp"
#include "optimizers.hpp"
#include "printing.hpp"
#include "settings.hpp"
#include "start_training.hpp"
#include "training.hpp"

namespace trainer {

inline std::vector<std::size_t> widths_of(const samples& data, const settings& chosen) {
  std::vector<std::size_t> widths = {data.input_size};
  widths.insert(widths.end(), chosen.hidden.begin(), chosen.hidden.end());
  widths.push_back(data.output_size);
  return widths;
}

inline std::size_t trainable_layers(const settings& chosen) {
  return chosen.trainable_layers < 0 ? chosen.hidden.size() + 1
                                     : static_cast<std::size_t>(chosen.trainable_layers);
}

/// A run without a directory of checkpoints.
template <class Optimizer>
int run_plainly(const samples& data, const ckpt::dynamic_model& model, settings chosen) {
  ckpt::state<ckpt::dynamic_model, Optimizer> state(model);
  const std::string told = begin(state, chosen);
  settle(state.training, chosen, default_learning_rate<Optimizer>());
  ready_run run(state, data, chosen);
  run.announce(told);
  run.train();
  return EXIT_SUCCESS;
}

template <class Optimizer>
int run_with(const settings& chosen) {
  const samples data = chosen.input_file.empty() ? make_spirals() : read_samples(chosen);
  const ckpt::model_builder tables = network_of(widths_of(data, chosen), trainable_layers(chosen));
  if (chosen.directory.name.empty()) return run_plainly<Optimizer>(data, tables.model(), chosen);
  switch (chosen.directory.format) {
    case file_format::onert:
      return run_managed<Optimizer, ckpt::onert>(data, tables.model(), chosen);
    case file_format::onert_plus:
      return run_managed<Optimizer, ckpt::onert_plus>(data, tables.model(), chosen);
    case file_format::v2: break;
  }
  return run_managed<Optimizer, ckpt::v2>(data, tables.model(), chosen);
}

/// @returns the exit code
inline int run(const settings& chosen) {
  check(chosen);
  switch (chosen.optimizer) {
    case optimizer_kind::sgd: return run_with<ckpt::sgd>(chosen);
    case optimizer_kind::adam: return run_with<ckpt::adam>(chosen);
    case optimizer_kind::momentum: break;
  }
  return run_with<ckpt::momentum>(chosen);
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_RUN_HPP
