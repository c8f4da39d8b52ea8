#include "ckpt/codec/filtered_state.hpp"
#include "ckpt/core.hpp"
#if !CKPT_EXPECT_FAILURE
#include "ckpt/checkpoint/filtered_state.hpp"
#endif

using filtered = ckpt::filtered_state<ckpt::paddle_filter, ckpt::dynamic_model, ckpt::adam>;

bool use(const filtered::original_type& state);
bool use(const filtered::original_type& state) {
  return filtered::make(state).ok();
}
