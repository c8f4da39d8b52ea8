#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors(
      {{"input", ckpt::dtype::f32, {4}, ckpt::role::absent}, {"w", ckpt::dtype::f32, {4}}});
#if CKPT_EXPECT_FAILURE
  static constexpr auto visits = ckpt::visit_order({0, 1});
#else
  static constexpr auto visits = ckpt::visit_order({1});
#endif
};

static_assert(ckpt::layout<model, ckpt::sgd, ckpt::onert_micro>::file_bytes > 0);
