// Names and checksums in a file that onert still reads; loading by name into another order.
#include <cstdio>

#include "ckpt/ckpt.hpp"

struct saved_model {
  static constexpr auto tensors = ckpt::tensors(
      {{"backbone.kernel", ckpt::dtype::f32, {8, 4}}, {"head", ckpt::dtype::f32, {4}}});
};
struct new_model {  // the head has grown, everything has moved
  static constexpr auto tensors = ckpt::tensors(
      {{"head", ckpt::dtype::f32, {6}}, {"encoder.kernel", ckpt::dtype::f32, {8, 4}}});
};

// Names and shapes are constants of the program as offsets are; only checksums are not.
using layout = ckpt::layout<saved_model, ckpt::adam, ckpt::onert_plus>;
static_assert(layout::offset(0) % 64 == 0, "payload sections are aligned");

int main() {
  ckpt::state<saved_model, ckpt::adam> trained;
  trained.weight<0>()[5] = 0.5F;
  trained.training.step = 10;
  const auto saved = ckpt::save<ckpt::onert_plus>("named.ckpt", trained);
  if (!saved) return std::puts(saved.message().c_str()), 1;

  // A load compares every payload with its checksum, whatever format the reader is for.
  ckpt::state<saved_model, ckpt::adam> resumed;
  const auto loaded = ckpt::load("named.ckpt", resumed);
  if (!loaded || !loaded->checksums_verified) return 1;

  // By position, another model is refused: the first tensor has another name.
  ckpt::state<new_model, ckpt::adam> state;
  const auto refused = ckpt::load("named.ckpt", state);
  if (refused || refused.error().kind != ckpt::errc::name_mismatch) return 1;

  // By name: rename, leave out, and see what was done.
  const auto report = ckpt::load_by_name(
      "named.ckpt", state,
      ckpt::match_rules{}.renaming_prefixes({{"backbone.", "encoder."}}).excluding({"head"}));
  if (!report.ok()) return std::puts(report.message().c_str()), 1;
  std::fputs(report.table().c_str(), stdout);
  std::remove("named.ckpt");
  return state.weight<1>()[5] == 0.5F && state.training.step == 0 ? 0 : 1;
}
