// From one format to another, and to what other programs read.
#include <cstdio>

#include "ckpt/ckpt.hpp"
#include "ckpt/interop.hpp"

struct mlp {
  static constexpr auto tensors = ckpt::tensors(
      {{"fc.weight", ckpt::dtype::f32, {784, 10}}, {"fc.bias", ckpt::dtype::f32, {10}}});
};

int main() {
  ckpt::state<mlp, ckpt::adam> state;
  state.weight<1>()[3] = 0.25F;
  state.training = {/*step=*/120, /*epoch=*/2};
  if (!ckpt::save("plain.ckpt", state)) return 1;

  // A plain file has no names; the model gives them.
  const auto plain = ckpt::open_contents("plain.ckpt", {ckpt::view_of<mlp>(), {}});
  if (!plain) return std::puts(plain.message().c_str()), 1;
  if (!ckpt::safetensors::save("all.safetensors", plain->view())) return 1;

  // Weights, slots, step and epoch come back: the same file again, byte for byte.
  const auto back = ckpt::safetensors::open("all.safetensors");
  if (!back) return std::puts(back.message().c_str()), 1;
  if (!ckpt::save_contents<ckpt::v2>("all.ckpt", back->view())) return 1;

  // Adam to SGD drops the slots; that has to be said.
  ckpt::convert_rules without_slots;
  without_slots.drop_extra_slots = true;
  const auto sgd = ckpt::arranged_contents::by_name(
      back->view(), ckpt::view_of<mlp>(), ckpt::view_of_optimizer<ckpt::sgd>(), without_slots);
  if (!sgd.ok() || !ckpt::save_contents<ckpt::onert>("sgd.ckpt", sgd->view())) return 1;

  // What other programs have saved loads by name.
  ckpt::state<mlp, ckpt::adam> fresh;
  const auto loaded = ckpt::load_by_name(*back, fresh);
  if (!loaded.ok()) return std::puts(loaded.message().c_str()), 1;
  for (const char* const name : {"plain.ckpt", "all.safetensors", "all.ckpt", "sgd.ckpt"})
    std::remove(name);
  return fresh.weight<1>()[3] == 0.25F && fresh.training.step == 120 ? 0 : 1;
}
