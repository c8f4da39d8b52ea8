// A model that the compiler knows: declare it, train, save, load.
#include <cstdio>

#include "ckpt/ckpt.hpp"

struct mlp {
  static constexpr auto tensors = ckpt::tensors(
      {{"fc.weight", ckpt::dtype::f32, {784, 10}}, {"fc.bias", ckpt::dtype::f32, {10}}});
};

// The whole file is known before the program runs.
using layout = ckpt::layout<mlp, ckpt::adam>;
static_assert(layout::file_bytes == 20 + 3 * (8 + 31360 + 40) + 8);
static_assert(layout::offset(ckpt::index_of<mlp>("fc.bias")) == 28 + 31360);

int main() {
  ckpt::state<mlp, ckpt::adam> state;
  constexpr std::size_t bias = ckpt::index_of<mlp>("fc.bias");
  state.weight<bias>()[3] = 0.25F;
  state.slot<ckpt::adam::m, bias>()[3] = 0.5F;
  state.training = {/*step=*/120, /*epoch=*/2};

  const auto saved = ckpt::save("static_model.ckpt", state);
  if (!saved) return std::puts(saved.message().c_str()), 1;
  std::printf("saved %llu bytes\n", static_cast<unsigned long long>(saved->file_bytes));

  ckpt::state<mlp, ckpt::adam> resumed;
  const auto loaded = ckpt::load("static_model.ckpt", resumed);
  if (!loaded) return std::puts(loaded.message().c_str()), 1;
  std::printf("resumed at step %llu, epoch %llu\n",
              static_cast<unsigned long long>(resumed.training.step),
              static_cast<unsigned long long>(resumed.training.epoch));
  std::remove("static_model.ckpt");
  return resumed.weight<bias>()[3] == 0.25F && resumed.slot<ckpt::adam::m, bias>()[3] == 0.5F &&
                 resumed.training == state.training
             ? 0
             : 1;
}
