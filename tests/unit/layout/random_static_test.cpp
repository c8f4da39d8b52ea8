#include <utility>

#include "support.hpp"

// Models that the compiler draws by lot: their static layouts must equal the run-time ones. The
// draw is a constant expression, so each model is as static as one written by hand.
namespace {

using ckpt::dtype;
using ckpt::role;

constexpr std::size_t tensor_limit = 6;
constexpr std::size_t model_count = 360;

/// splitmix64, for the compiler.
class lots {
 public:
  constexpr explicit lots(std::uint64_t seed) : state_(seed) {}
  constexpr std::uint64_t below(std::uint64_t limit) {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  std::uint64_t state_;
};

constexpr ckpt::tensor_spec draw_tensor(lots& lot, bool may_freeze) {
  const auto type = static_cast<dtype>(lot.below(ckpt::dtype_count));
  std::uint64_t extents[4] = {};
  const auto rank = static_cast<std::size_t>(lot.below(5));
  for (std::size_t i = 0; i < rank; ++i) extents[i] = lot.below(5);
  const std::uint64_t dice = lot.below(6);
  const role purpose = dice == 0                 ? role::absent
                       : dice == 1 && may_freeze ? role::frozen
                                                 : role::trainable;
  return ckpt::tensor_spec(type, ckpt::shape(extents, rank), purpose);
}

template <std::uint64_t Seed, bool MayFreeze>
struct drawn_model {
  static constexpr std::size_t count = 1 + Seed % tensor_limit;
  static constexpr auto draw() {
    ckpt::tensor_table<count> table{};
    lots lot(Seed);
    for (std::size_t i = 0; i < count; ++i) table.specs[i] = draw_tensor(lot, MayFreeze);
    return table;
  }
  static constexpr auto tensors = draw();
};

bool same_head(const ckpt::layout_view& a, const ckpt::layout_view& b, std::size_t section) {
  const ckpt::bytes_view left = a.head(section);
  const ckpt::bytes_view right = b.head(section);
  return left.size() == right.size() && ckpt::detail::equal(left, right.data()) &&
         a.sections[section].begin == b.sections[section].begin &&
         a.sections[section].end == b.sections[section].end;
}

template <class Model, class Optimizer, class Format>
bool twins_agree() {
  using live = ckpt::layout<ckpt::dynamic_model, Optimizer, Format>;
  const ckpt::dynamic_model model(ckpt::view_of<Model>().tensors);
  std::uint32_t words[5 + 3 * tensor_limit] = {};
  const auto made = live::make(model, ckpt::span<std::uint32_t>(words));
  if (!made.ok()) return false;
  const ckpt::layout_view a = ckpt::layout<Model, Optimizer, Format>::view();
  const ckpt::layout_view b = made->view();
  bool agree = a.file_bytes == b.file_bytes && a.footer == b.footer;
  for (std::size_t s = 0; s < a.sections.size(); ++s) agree = agree && same_head(a, b, s);
  return agree;
}

template <std::uint64_t Seed>
std::size_t count_agreeing() {
  using free = drawn_model<Seed, true>;
  using thawed = drawn_model<Seed, false>;
  return std::size_t{twins_agree<free, ckpt::sgd, ckpt::onert>()} +
         std::size_t{twins_agree<free, ckpt::adam, ckpt::onert>()} +
         std::size_t{twins_agree<free, ckpt::rmsprop, ckpt::onert>()} +
         std::size_t{twins_agree<free, ckpt::adafactor, ckpt::onert>()} +
         std::size_t{twins_agree<free, ckpt::sgd, ckpt::onert_micro>()} +
         std::size_t{twins_agree<thawed, ckpt::adam, ckpt::onert_micro>()};
}

template <std::uint64_t... Seed>
std::size_t count_all(std::integer_sequence<std::uint64_t, Seed...>) {
  constexpr std::size_t (*checks[])() = {&count_agreeing<Seed>...};
  std::size_t agreeing = 0;
  for (const auto check : checks) agreeing += check();
  return agreeing;
}

}  // namespace

TEST_CASE("static layouts of two thousand drawn models equal the run-time ones") {
  CHECK(count_all(std::make_integer_sequence<std::uint64_t, model_count>{}) == 6 * model_count);
}
