#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {4}}});
};

struct optimizer {
  static constexpr std::size_t slot_count = 1;
  // Latin-1, which a manifest does not know.
  static constexpr ckpt::name_view slot_names[] = {"tr\xE4gheit"};
};

#if CKPT_EXPECT_FAILURE
using format = ckpt::v2;
#else
using format = ckpt::onert;
#endif

static_assert(ckpt::layout<model, optimizer, format>::file_bytes > 0);
