// A model whose shapes are known only at run time, in the file of onert-micro: the graph's inputs
// and activations hold an index and no bytes, and operators are visited from last to first.
#include <cstdio>

#include "ckpt/ckpt.hpp"

int main() {
  const std::uint64_t hidden = 16;  // as read from a graph
  ckpt::model_builder builder;
  builder.add("input", ckpt::dtype::f32, {1, 8}, ckpt::role::absent);
  const std::size_t w0 = builder.add("fc0.weight", ckpt::dtype::f32, {hidden, 8});
  const std::size_t b0 = builder.add("fc0.bias", ckpt::dtype::f32, {hidden});
  builder.add("activation", ckpt::dtype::f32, {1, hidden}, ckpt::role::absent);
  const std::size_t w1 = builder.add("fc1.weight", ckpt::dtype::f32, {4, hidden});
  for (const std::size_t index : {w1, w0, b0}) builder.visit(index);

  ckpt::state<ckpt::dynamic_model, ckpt::adam> state(builder.model());
  auto weight = state.weight_as<float>(w1);
  if (!weight) return std::puts(weight.error().message().c_str()), 1;
  (*weight)[5] = 1.5F;
  state.training.step = 7;

  const auto saved = ckpt::save<ckpt::onert_micro>("run_time_shapes.ckpt", state);
  if (!saved) return std::puts(saved.message().c_str()), 1;

  ckpt::state<ckpt::dynamic_model, ckpt::adam> resumed(builder.model());
  const auto loaded = ckpt::load<ckpt::onert_micro>("run_time_shapes.ckpt", resumed);
  if (!loaded) return std::puts(loaded.message().c_str()), 1;
  std::printf("%u tensors came back from an %s file\n", loaded->weights_loaded,
              std::string(ckpt::name(loaded->kind)).c_str());
  std::remove("run_time_shapes.ckpt");
  return (*resumed.weight_as<float>(w1))[5] == 1.5F && resumed.training.step == 7 ? 0 : 1;
}
