// Fine-tuning: train a network, extend it by a layer, load the first into the second, train on.
//
//     c++ -std=c++17 -O2 -I include examples/finetune.cpp -o finetune && ./finetune
//
// The new layer stands in the middle, so by position nothing behind it would fit. The file is one
// that onert reads; the names are in the gap between its table and its tensors. Network, data and
// optimizer are those of examples/train.cpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "ckpt/checkpoint/load_by_name.hpp"
#include "ckpt/ckpt.hpp"
#include "trainer/data.hpp"
#include "trainer/model.hpp"
#include "trainer/network.hpp"
#include "trainer/settings.hpp"
#include "trainer/start_training.hpp"
#include "trainer/training.hpp"

struct base_net {
  static constexpr auto tensors = ckpt::tensors({{"dense1.weight", ckpt::dtype::f32, {32, 2}},
                                                 {"dense1.bias", ckpt::dtype::f32, {32}},
                                                 {"dense2.weight", ckpt::dtype::f32, {32, 32}},
                                                 {"dense2.bias", ckpt::dtype::f32, {32}},
                                                 {"head.weight", ckpt::dtype::f32, {2, 32}},
                                                 {"head.bias", ckpt::dtype::f32, {2}}});
};

struct extended_net {
  static constexpr auto tensors = ckpt::tensors({{"dense1.weight", ckpt::dtype::f32, {32, 2}},
                                                 {"dense1.bias", ckpt::dtype::f32, {32}},
                                                 {"dense2.weight", ckpt::dtype::f32, {32, 32}},
                                                 {"dense2.bias", ckpt::dtype::f32, {32}},
                                                 {"dense3.weight", ckpt::dtype::f32, {32, 32}},
                                                 {"dense3.bias", ckpt::dtype::f32, {32}},
                                                 {"head.weight", ckpt::dtype::f32, {2, 32}},
                                                 {"head.bias", ckpt::dtype::f32, {2}}});
};

/// The file may lack tensors of the network, and nothing else; Adam's moments start at zero.
constexpr auto extension = ckpt::may_lack.with_slots(ckpt::slot_rule::cold);

// Both tables are constants, so the compiler knows what will come of it.
using plan = ckpt::static_match<base_net, extended_net, extension, ckpt::adam>;
static_assert(plan::plan.loaded().size() == 6 && plan::plan.missing().size() == 2);

namespace {

using base_state = ckpt::state<base_net, ckpt::adam>;
using extended_state = ckpt::state<extended_net, ckpt::adam>;

constexpr std::size_t new_weight = ckpt::index_of<extended_net>("dense3.weight");
constexpr std::size_t new_bias = ckpt::index_of<extended_net>("dense3.bias");

trainer::settings ten_epochs() {
  trainer::settings chosen;
  chosen.epochs = 10;
  chosen.learning_rate = 0.001F;
  chosen.accuracy = true;
  return chosen;
}

template <class State>
double accuracy_of(const State& state, const trainer::samples& data) {
  const trainer::settings chosen = ten_epochs();
  trainer::network net(state, chosen.batch_size);
  return trainer::evaluate(trainer::parts(data, chosen).training, net, chosen).accuracy;
}

void claim(bool holds, const std::string& words) {
  if (!holds) trainer::stop("FAILED: " + words);
  trainer::print("OK: " + words);
}

template <class State>
std::vector<std::byte> bytes_of(const State& state, std::size_t tensor) {
  const auto bytes = state.weight_bytes(tensor);
  return {bytes.begin(), bytes.end()};
}

/// Whether tensors of one name have the same bits in both networks.
bool has_all_of(const extended_state& extended, const base_state& base) {
  for (std::size_t i = 0; i < base.model().size(); ++i) {
    const std::size_t same = ckpt::find_tensor(extended.model(), base.model()[i].name());
    if (bytes_of(extended, same) != bytes_of(base, i)) return false;
  }
  return true;
}

base_state train_base(const trainer::samples& data) {
  trainer::print("Training the base network:");
  base_state base;
  trainer::initialize(base);
  trainer::settings chosen = ten_epochs();
  trainer::ready_run(base, data, chosen).train();
  ckpt::save<ckpt::onert_plus>("finetune_base.ckpt", base).or_throw();
  return base;
}

extended_state extend(const base_state& base) {
  trainer::print("\nLoading it into the extended network:");
  extended_state extended;
  trainer::initialize(extended);
  const auto weight = bytes_of(extended, new_weight);
  const auto bias = bytes_of(extended, new_bias);

  const auto report = ckpt::load_by_name("finetune_base.ckpt", extended, extension);
  std::printf("%s", report.table().c_str());

  claim(report.ok() && report.loaded.size() == 6, "6 tensors of the base network are loaded");
  claim(has_all_of(extended, base), "they have its bits, wherever they stand");
  claim(report.missing.size() == 2 && report.missing[0].name == "dense3.weight",
        "the report says that the new layer is missing in the file");
  claim(bytes_of(extended, new_weight) == weight && bytes_of(extended, new_bias) == bias,
        "it keeps its initial values, bit for bit");
  claim(!report.training_loaded && extended.training.step == 0, "step and epoch start at 0");
  return extended;
}

void train_on(extended_state& extended, const trainer::samples& data) {
  trainer::print("\nTraining the extended network:");
  const std::vector<std::byte> weight = bytes_of(extended, new_weight);
  trainer::settings chosen = ten_epochs();
  trainer::ready_run(extended, data, chosen).train();
  claim(bytes_of(extended, new_weight) != weight, "the new layer has learnt");
  ckpt::save<ckpt::onert_plus>("finetune_extended.ckpt", extended).or_throw();
  extended_state saved;
  ckpt::load("finetune_extended.ckpt", saved).or_throw();
  claim(saved.training == extended.training && bytes_of(saved, 0) == bytes_of(extended, 0),
        "it is saved, and loads strictly");
}

void run() {
  const trainer::samples data = trainer::make_spirals();
  const base_state base = train_base(data);
  extended_state extended = extend(base);
  const double before = accuracy_of(extended, data);
  train_on(extended, data);
  const double after = accuracy_of(extended, data);
  claim(after > before && after > accuracy_of(base, data),
        "accuracy: base network " + trainer::fixed(accuracy_of(base, data), 4) + ", extended " +
            trainer::fixed(before, 4) + ", trained on " + trainer::fixed(after, 4));
}

}  // namespace

int main() {
  int code = 0;
  try {
    run();
  } catch (const std::exception& error) {
    std::puts(error.what());
    code = 1;
  }
  std::remove("finetune_base.ckpt");
  std::remove("finetune_extended.ckpt");
  return code;
}
