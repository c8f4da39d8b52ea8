#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {4}}});
};

#if CKPT_EXPECT_FAILURE
using optimizer = ckpt::momentum;
#else
using optimizer = ckpt::sgd;
#endif

static_assert(ckpt::layout<model, optimizer, ckpt::onert_micro>::file_bytes > 0);
