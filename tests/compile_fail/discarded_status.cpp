#include "ckpt/core.hpp"

#pragma GCC diagnostic error "-Wunused-result"

struct model {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::u8, {4}}});
};

void bind(ckpt::state_view<model, ckpt::sgd>& state, ckpt::bytes_span memory);

void bind(ckpt::state_view<model, ckpt::sgd>& state, ckpt::bytes_span memory) {
#if CKPT_EXPECT_FAILURE
  state.bind_weight(0, memory);
#else
  static_cast<void>(state.bind_weight(0, memory));
#endif
}
