#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors({
    {"a", ckpt::dtype::f32, {4}},
#if CKPT_EXPECT_FAILURE
        {"a", ckpt::dtype::f32, {5}},
#endif
    {
      "b", ckpt::dtype::f32, {
        4
      }
    }
  });
};

static_assert(ckpt::layout<model, ckpt::sgd>::file_bytes > 0);
