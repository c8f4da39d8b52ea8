#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {4}}});
};

struct optimizer {
  static constexpr std::size_t slot_count = 1;
#if CKPT_EXPECT_FAILURE
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_spec& weight) {
    return weight.form();
  }
#else
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight) {
    return weight;
  }
#endif
};

static_assert(ckpt::layout<model, optimizer>::file_bytes > 0);
