// train: the reference training loop over ckpt, with the habits of onert_train.
//
//     c++ -std=c++17 -O2 -pthread -I include examples/train.cpp -o train
//     ./train                                                 the demo: resumed runs are exact
//     ./train --epoch 2 --export_checkpoint b.ckpt            train and save
//     ./train --epoch 3 --checkpoint b.ckpt --export_checkpoint c.ckpt          resume
//     ./train --epoch 5 --checkpoint_dir run --resume         begin, and after a crash go on
//     ./train --help                                          every flag
//
// It trains a small multilayer perceptron in one thread, so one program gives the same bits on
// every run. How a training loop uses ckpt is in trainer/model.hpp, optimizers.hpp and
// training.hpp, a directory of checkpoints in managed_run.hpp, fine-tuning in init_from.hpp; the
// rest is a network, data and flags.

#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "ckpt/version.hpp"
#include "trainer/command_line.hpp"
#include "trainer/demo.hpp"
#include "trainer/run.hpp"
#include "trainer/settings.hpp"

namespace trainer {

static int run_words(const std::vector<std::string>& words) {
  const settings chosen = parse(words);
  if (chosen.wants_help) {
    print_help();
  } else if (chosen.wants_version) {
    print("train (ckpt " CKPT_VERSION_STRING ")");
  } else if (words.empty() || !chosen.demo_directory.empty()) {
    return run_demo_where_told(chosen) ? EXIT_SUCCESS : EXIT_FAILURE;
  } else {
    return run(chosen);
  }
  return EXIT_SUCCESS;
}

}  // namespace trainer

int main(int count, char** words) {
  try {
    return trainer::run_words(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count));
  } catch (const std::exception& error) {
    trainer::warn(error.what());
    return EXIT_FAILURE;
  }
}