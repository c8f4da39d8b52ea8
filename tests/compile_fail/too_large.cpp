#include "ckpt/core.hpp"

#if CKPT_EXPECT_FAILURE
constexpr std::uint64_t elements = std::uint64_t{1} << 30;
#else
constexpr std::uint64_t elements = (std::uint64_t{1} << 30) - 7;
#endif

struct model {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {elements}}});
};

static_assert(ckpt::layout<model, ckpt::sgd>::file_bytes > 0);
