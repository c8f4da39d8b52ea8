#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {4}}});
};

#if CKPT_EXPECT_FAILURE
using format = ckpt::adam;
#else
using format = ckpt::onert;
#endif

static_assert(ckpt::layout<model, ckpt::sgd, format>::file_bytes > 0);
