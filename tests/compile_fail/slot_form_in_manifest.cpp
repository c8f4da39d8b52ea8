#include "ckpt/core.hpp"

// The slot of a frozen tensor is not stored, but a manifest says what it would be.
struct model {
  static constexpr auto tensors =
      ckpt::tensors({{"w", ckpt::dtype::f32, {4}},
                     {"frozen", ckpt::dtype::u8, {std::uint64_t{1} << 62}, ckpt::role::frozen}});
};

struct optimizer {
  static constexpr std::size_t slot_count = 1;
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight) {
#if CKPT_EXPECT_FAILURE
    return {ckpt::dtype::f64, weight.extents()};
#else
    return {ckpt::dtype::f16, weight.extents()};
#endif
  }
};

static_assert(ckpt::layout<model, optimizer, ckpt::v2>::file_bytes > 0);
