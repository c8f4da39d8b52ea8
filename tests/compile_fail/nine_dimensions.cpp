#include "ckpt/core.hpp"

struct model {
#if CKPT_EXPECT_FAILURE
  static constexpr auto tensors =
      ckpt::tensors({{"w", ckpt::dtype::f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}}});
#else
  static constexpr auto tensors =
      ckpt::tensors({{"w", ckpt::dtype::f32, {1, 1, 1, 1, 1, 1, 1, 1}}});
#endif
};

static_assert(ckpt::layout<model, ckpt::sgd>::file_bytes > 0);
