// Reading without copying: the file is mapped, and only what is touched is read.
#include <cstdio>

#include "ckpt/ckpt.hpp"

struct mlp {
  static constexpr auto tensors = ckpt::tensors(
      {{"fc.weight", ckpt::dtype::f32, {784, 10}}, {"fc.bias", ckpt::dtype::f32, {10}}});
};

int main() {
  ckpt::state<mlp, ckpt::adam> state;
  for (float& element : state.weight<0>()) element = 0.5F;
  const auto saved = ckpt::save("mapped_reading.ckpt", state);
  if (!saved) return std::puts(saved.message().c_str()), 1;

  float sum = 0;
  {
    const auto mapped = ckpt::map<mlp, ckpt::adam>("mapped_reading.ckpt");
    if (!mapped) return std::puts(mapped.message().c_str()), 1;
    // A view is typed and checked: another dtype or a misaligned place is an error, not a crash.
    const auto weight = (*mapped)->weight_as<float>(ckpt::index_of<mlp>("fc.weight"));
    if (!weight) return std::puts(weight.error().message().c_str()), 1;
    for (const float element : *weight) sum += element;
  }
  std::printf("the weights add up to %.1f\n", static_cast<double>(sum));
  std::remove("mapped_reading.ckpt");
  return sum == 3920.0F ? 0 : 1;
}
