#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {4}}});
};

#if CKPT_EXPECT_FAILURE
using optimizer = ckpt::amsgrad;
#else
using optimizer = ckpt::adam;
#endif

static_assert(ckpt::layout<model, optimizer>::file_bytes > 0);
