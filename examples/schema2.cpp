// Schema 2: any number of slots, all of the training state, values of your own.
#include <cstdio>

#include "ckpt/ckpt.hpp"

struct mlp {
  static constexpr auto tensors = ckpt::tensors(
      {{"fc.weight", ckpt::dtype::f32, {784, 10}}, {"fc.bias", ckpt::dtype::f32, {10}}});
};

// Four slots a tensor, each with its own dtype and shape; the layout is a constant all the same.
using layout = ckpt::layout<mlp, ckpt::adam8bit, ckpt::v2>;
static_assert(layout::slot_bytes(ckpt::adam8bit::m, 0) == 7840);
static_assert(layout::slot_bytes(ckpt::adam8bit::m_scale, 0) == 16);  // one f32 in 2048 elements

int main() {
  ckpt::value_storage<256> values;
  ckpt::state<mlp, ckpt::adam8bit> state;
  state.training.step = 120;
  state.training.sample_cursor = 3840;
  state.training.shuffle_seed = 42;
  state.training.learning_rate = 1e-3;
  state.user_values = &values;
  if (!values.set_text("data", "mnist, shard 3") || !values.set_integer("workers", 4)) return 1;
  const auto saved = ckpt::save<ckpt::v2>("schema2.ckpt", state);
  if (!saved) return std::puts(saved.message().c_str()), 1;

  ckpt::value_storage<256> found;
  ckpt::state<mlp, ckpt::adam8bit> resumed;
  resumed.user_values = &found;
  const auto loaded = ckpt::load<ckpt::v2>("schema2.ckpt", resumed);
  if (!loaded) return std::puts(loaded.message().c_str()), 1;
  if (resumed.training != state.training || *found.integer("workers") != 4) return 1;

  // A format without room for all of this refuses, instead of forgetting it.
  ckpt::state<mlp, ckpt::sgd> plain;
  plain.training.shuffle_seed = 42;
  if (ckpt::save("schema1.ckpt", plain).error().kind != ckpt::errc::unstorable_values) return 1;
  std::remove("schema2.ckpt");
  return 0;
}
