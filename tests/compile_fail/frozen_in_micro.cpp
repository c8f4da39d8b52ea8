#include "ckpt/core.hpp"

#if CKPT_EXPECT_FAILURE
constexpr auto purpose = ckpt::role::frozen;
#else
constexpr auto purpose = ckpt::role::absent;
#endif

struct model {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {4}, purpose}});
};

static_assert(ckpt::layout<model, ckpt::adam, ckpt::onert_micro>::file_bytes > 0);
