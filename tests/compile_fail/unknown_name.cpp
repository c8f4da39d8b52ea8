#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors({{"fc.weight", ckpt::dtype::f32, {4}}});
};

#if CKPT_EXPECT_FAILURE
constexpr std::size_t weight = ckpt::index_of<model>("fc.wieght");
#else
constexpr std::size_t weight = ckpt::index_of<model>("fc.weight");
#endif

static_assert(weight == 0);
