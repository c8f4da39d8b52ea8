#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {4}}});
};

struct optimizer {
#if !CKPT_EXPECT_FAILURE
  static constexpr std::size_t slot_count = 1;
#endif
};

ckpt::state_view<model, optimizer> state;
