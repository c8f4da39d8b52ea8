#include "ckpt/core.hpp"

// A buffer is not a literal: its array is longer than the name in it.
std::size_t length(char (&buffer)[32]);

std::size_t length(char (&buffer)[32]) {
#if CKPT_EXPECT_FAILURE
  return ckpt::tensor_spec(buffer, ckpt::dtype::f32, {4}).name().size();
#else
  const ckpt::name_view name(buffer, 3);
  return ckpt::tensor_spec::named(name, ckpt::dtype::f32, {4}).name().size();
#endif
}
