#include "ckpt/codec/filtered_state.hpp"
#include "ckpt/core.hpp"

struct model {
#if CKPT_EXPECT_FAILURE
  static constexpr auto tensors = ckpt::tensors({{"w@GRAD", ckpt::dtype::f32, {4}}});
#else
  static constexpr auto tensors =
      ckpt::tensors({{"w", ckpt::dtype::f32, {4}}, {"w@GRAD", ckpt::dtype::f32, {4}}});
#endif
};

static_assert(ckpt::filtered_model_t<model, ckpt::paddle_filter>::tensors.size() == 1);
