#include "ckpt/codec/partial.hpp"
#include "ckpt/model/optimizers.hpp"

struct model {
  static constexpr auto tensors = ckpt::tensors({{"a", ckpt::dtype::f32, {4}}});
};
using plan = ckpt::static_match<model, model, ckpt::strict_rules, ckpt::adam>;

#if CKPT_EXPECT_FAILURE
using state = ckpt::state_view<model, ckpt::momentum>;
#else
using state = ckpt::state_view<model, ckpt::adam>;
#endif

bool load(const ckpt::contents_view& file, state& to);

bool load(const ckpt::contents_view& file, state& to) {
  return ckpt::load_by_plan<plan>(file, to).ok();
}
