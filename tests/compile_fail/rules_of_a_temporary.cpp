#include <vector>

#include "ckpt/model/match_rules.hpp"

// More rules than a list keeps by itself must lie somewhere that outlives it.
inline std::vector<ckpt::name_view> many() {
  return {"a", "b", "c", "d", "e"};
}

inline ckpt::match_rules rules(std::vector<ckpt::name_view>& lasting) {
#if CKPT_EXPECT_FAILURE
  static_cast<void>(lasting);
  return ckpt::match_rules{}.excluding(many());
#else
  return ckpt::match_rules{}.excluding(lasting);
#endif
}
