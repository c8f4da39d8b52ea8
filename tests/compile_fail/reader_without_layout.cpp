#include "ckpt/core.hpp"

using reader = ckpt::reader<ckpt::dynamic_model, ckpt::sgd>;

bool opens(ckpt::bytes_view file, const reader::layout_type& layout);

bool opens(ckpt::bytes_view file, [[maybe_unused]] const reader::layout_type& layout) {
#if CKPT_EXPECT_FAILURE
  return reader::open(file).ok();
#else
  return reader::open(layout, file).ok();
#endif
}
