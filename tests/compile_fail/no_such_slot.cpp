#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {4}}});
};

#if CKPT_EXPECT_FAILURE
constexpr std::size_t slot = 2;
#else
constexpr std::size_t slot = ckpt::adam::v;
#endif

static_assert(ckpt::layout<model, ckpt::adam>::slot_offset<slot>(0) > 0);
