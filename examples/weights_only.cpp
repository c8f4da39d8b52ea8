// Fine-tuning and changing the optimizer: a strict load refuses, an explicit choice works.
#include <cstdio>

#include "ckpt/ckpt.hpp"

struct mlp {
  static constexpr auto tensors = ckpt::tensors(
      {{"fc.weight", ckpt::dtype::f32, {784, 10}}, {"fc.bias", ckpt::dtype::f32, {10}}});
};

int main() {
  ckpt::state<mlp, ckpt::sgd> trained;
  trained.weight<1>()[0] = 2.0F;
  trained.training = {/*step=*/500, /*epoch=*/5};
  const auto saved = ckpt::save("weights_only.ckpt", trained);
  if (!saved) return std::puts(saved.message().c_str()), 1;

  // Adam needs m and v, and this file has none: nothing is loaded and nothing is touched.
  ckpt::state<mlp, ckpt::adam> state;
  const auto strict = ckpt::load("weights_only.ckpt", state);
  if (strict) return std::puts("a file without slots must not pass for a full state"), 1;
  std::printf("%s\n", strict.message().c_str());

  // Go on at step 500 with Adam's moments at zero.
  const auto cold = ckpt::load("weights_only.ckpt", state, ckpt::cold_slots);
  if (!cold || state.training.step != 500 || cold->slots_cold != 2) return 1;

  // Take the weights and start over: step and epoch stay as they are.
  ckpt::state<mlp, ckpt::adam> fresh;
  const auto weights = ckpt::load("weights_only.ckpt", fresh, ckpt::weights_only);
  if (!weights || fresh.training.step != 0 || fresh.weight<1>()[0] != 2.0F) return 1;
  std::printf("weights of step %llu loaded, counting from 0\n",
              static_cast<unsigned long long>(weights->training.step));
  std::remove("weights_only.ckpt");
  return 0;
}
