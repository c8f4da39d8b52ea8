// An optimizer of your own is equal to those that come with ckpt.
#include <cstdio>

#include "ckpt/ckpt.hpp"

struct lion {
  static constexpr ckpt::name_view name = "lion";
  static constexpr std::size_t slot_count = 1;
  static constexpr std::size_t momentum = 0;

  // Optional: a slot with a dtype or shape of its own. Here the momentum is kept as bfloat16.
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight) {
    return ckpt::tensor_form(ckpt::dtype::bf16, weight.extents());
  }
};

struct net {
  static constexpr auto tensors = ckpt::tensors(
      {{"w", ckpt::dtype::f32, {16, 4}}, {"embedding", ckpt::dtype::f32, {8}, ckpt::role::frozen}});
};
static_assert(ckpt::layout<net, lion>::slot_bytes(lion::momentum, 0) == 128);
static_assert(ckpt::layout<net, lion>::slot_bytes(lion::momentum, 1) == 0);

int main() {
  ckpt::state<net, lion> state;
  state.slot<lion::momentum, 0>()[7] = ckpt::bf16{0x3F80};  // 1.0
  const auto saved = ckpt::save("own_optimizer.ckpt", state);
  if (!saved) return std::puts(saved.message().c_str()), 1;
  ckpt::state<net, lion> resumed;
  const auto loaded = ckpt::load("own_optimizer.ckpt", resumed);
  if (!loaded) return std::puts(loaded.message().c_str()), 1;
  std::printf("%u slot came back\n", loaded->slots_loaded);
  std::remove("own_optimizer.ckpt");
  return resumed.slot<lion::momentum, 0>()[7].bits == 0x3F80 ? 0 : 1;
}
