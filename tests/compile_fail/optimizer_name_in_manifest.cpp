#include "ckpt/core.hpp"

struct optimizer {
#if CKPT_EXPECT_FAILURE
  static constexpr ckpt::name_view name = "tr\xE4gheit";
#else
  static constexpr ckpt::name_view name = "tr\xC3\xA4gheit";
#endif
  static constexpr std::size_t slot_count = 1;
};

// Of a model that is known only at run time, too.
static_assert(ckpt::layout<ckpt::dynamic_model, optimizer, ckpt::onert_plus>::slot_count == 1);
