#include "ckpt/model/static_match.hpp"

struct file {
  static constexpr auto tensors = ckpt::tensors({{"a", ckpt::dtype::f32, {4}}});
};
struct model {
#if CKPT_EXPECT_FAILURE
  static constexpr auto tensors = ckpt::tensors({{"a", ckpt::dtype::f32, {5}}});
#else
  static constexpr auto tensors = ckpt::tensors({{"a", ckpt::dtype::f32, {4}}});
#endif
};

static_assert(ckpt::static_match<file, model>::plan.loaded().size() == 1);
