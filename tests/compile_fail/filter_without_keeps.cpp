#include "ckpt/codec/filtered_state.hpp"
#include "ckpt/core.hpp"

struct model {
  static constexpr auto tensors =
      ckpt::tensors({{"w", ckpt::dtype::f32, {4}}, {"w@GRAD", ckpt::dtype::f32, {4}}});
};

struct filter {
#if CKPT_EXPECT_FAILURE
  static constexpr bool keep(const ckpt::tensor_spec&) noexcept {
    return true;
  }
#else
  static constexpr bool keeps(const ckpt::tensor_spec&) noexcept {
    return true;
  }
#endif
};

void use(const ckpt::state_view<model, ckpt::adam>& state);
void use(const ckpt::state_view<model, ckpt::adam>& state) {
  const ckpt::filtered_state<filter, model, ckpt::adam> kept(state);
  static_cast<void>(kept);
}
