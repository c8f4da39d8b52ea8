// For firmware: the core alone. No heap, no exceptions, no file system; all memory is static, and
// its size is a constant of the program.
#include <cstdio>

#include "ckpt/core.hpp"

struct net {
  static constexpr auto tensors =
      ckpt::tensors({{"w", ckpt::dtype::f32, {16, 4}}, {"b", ckpt::dtype::f32, {16}}});
};
using layout = ckpt::layout<net, ckpt::adam>;
static_assert(layout::file_bytes <= 1024, "the checkpoint outgrew its flash sector");

// The buffers of the training code, and the flash sector.
static float w[3][64], b[3][16];
static std::byte sector[layout::file_bytes];

static bool bind(ckpt::state_view<net, ckpt::adam>& state) {
  bool ok = state.bind_weight(0, w[0], 64).ok() && state.bind_weight(1, b[0], 16).ok();
  for (std::size_t slot = 0; slot < 2; ++slot)
    ok = ok && state.bind_slot(slot, 0, w[slot + 1], 64).ok() &&
         state.bind_slot(slot, 1, b[slot + 1], 16).ok();
  return ok;
}

int main() {
  ckpt::state_view<net, ckpt::adam> state;
  if (!bind(state)) return 1;
  w[0][5] = 3.0F;
  state.training.step = 41;
  const auto written = ckpt::writer<net, ckpt::adam>().write_to(state, ckpt::bytes_span(sector));
  if (!written) return std::puts(written.error().message().c_str()), 1;

  w[0][5] = 0.0F;  // the power goes
  state.training = {};
  const auto opened = ckpt::reader<net, ckpt::adam>::open(ckpt::bytes_view(sector));
  if (!opened || !opened->load_into(state)) return 1;
  std::printf("%zu bytes of flash, resumed at step %llu\n", sizeof(sector),
              static_cast<unsigned long long>(state.training.step));
  return w[0][5] == 3.0F && state.training.step == 41 ? 0 : 1;
}
