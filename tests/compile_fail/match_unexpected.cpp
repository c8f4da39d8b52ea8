#include "ckpt/model/static_match.hpp"

struct file {
  static constexpr auto tensors =
      ckpt::tensors({{"a", ckpt::dtype::f32, {4}}, {"b", ckpt::dtype::f32, {4}}});
};
struct model {
  static constexpr auto tensors = ckpt::tensors({{"a", ckpt::dtype::f32, {4}}});
};
#if CKPT_EXPECT_FAILURE
inline constexpr ckpt::match_rules allowed{};
#else
inline constexpr ckpt::match_rules allowed = ckpt::match_rules{}.excluding({"b"});
#endif

static_assert(ckpt::static_match<file, model, allowed>::plan.loaded().size() == 1);
