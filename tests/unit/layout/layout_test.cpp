#include "ckpt/layout/layout.hpp"

#include "fixtures.hpp"
#include "golden_cases.hpp"
#include "mobilenet_v2.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;

namespace {

struct mlp {
  static constexpr auto tensors =
      ckpt::tensors({{"fc.weight", dtype::f32, {784, 10}}, {"fc.bias", dtype::f32, {10}}});
};
using mlp_layout = ckpt::layout<mlp, ckpt::adam>;
static_assert(mlp_layout::file_bytes == 20 + 3 * (8 + 31360 + 40) + 8);
static_assert(mlp_layout::offset(ckpt::index_of<mlp>("fc.bias")) == 28 + 31360);
static_assert(mlp_layout::slot_offset<ckpt::adam::v>(0) == 20 + 2 * 31408 + 8);
static_assert(mlp_layout::bounds(1).begin == 31428);
static_assert(mlp_layout::footer_offset == mlp_layout::file_bytes - 8);

// The published header of MobileNetV2 (13947860, 27895700, 41843540) and the offsets shown with it.
using mobilenet = ckpt::layout<mobilenet_v2, ckpt::adam>;
static_assert(mobilenet::bounds(1).begin == 13947860);
static_assert(mobilenet::bounds(2).begin == 27895700);
static_assert(mobilenet::footer_offset == 41843540);
static_assert(mobilenet::file_bytes == 41843548);
static_assert(ckpt::layout<mobilenet_v2, ckpt::sgd>::file_bytes == 13947868);

constexpr bool published_offsets_hold() {
  constexpr std::uint64_t published[] = {
      0x001CC, 0x037CC, 0x03ACC, 0x082CC, 0x0834C, 0x0E34C, 0x0E3CC, 0x143CC, 0x1444C, 0x1A44C,
      0x1A4CC, 0x204CC, 0x2074C, 0x2674C, 0x269CC, 0x5C9CC, 0x689CC, 0x698CC, 0x9F8CC, 0xD58CC};
  for (std::size_t i = 0; i < 20; ++i)
    if (mobilenet::offset(i) != published[i]) return false;
  return true;
}
static_assert(published_offsets_hold());

// An optimizer without slots costs nothing; one slot leaves opt2 empty.
using mlp_momentum = ckpt::layout<mlp, ckpt::momentum>;
static_assert(mlp_momentum::head<0>[2] == 0);
static_assert(ckpt::layout<mlp, ckpt::sgd>::file_bytes == 20 + 8 + 31400 + 8);

// N = 0 in both formats.
static_assert(ckpt::layout<fixture::no_tensors, ckpt::sgd, ckpt::onert_micro>::file_bytes == 28);
static_assert(ckpt::layout<fixture::no_tensors, ckpt::adam>::file_bytes == 28);

struct empty_braces {
  static constexpr auto tensors = ckpt::tensors({});
};
static_assert(ckpt::layout<empty_braces, ckpt::sgd>::file_bytes == 28);

// A slot whose shape is a function of the weight's.
using factored = ckpt::layout<mlp, ckpt::adafactor>;
static_assert(factored::slot_bytes(ckpt::adafactor::row, 0) == 784 * 4);
static_assert(factored::slot_bytes(ckpt::adafactor::column, 0) == 10 * 4);
static_assert(factored::slot_bytes(ckpt::adafactor::column, 1) == 0);

}  // namespace

TEST_CASE("the skeleton of MobileNetV2 equals the published header and table") {
  const test::bytes published = test::read_golden("header-only/mbv2_seed000_first460.bin");
  const ckpt::bytes_view head = mobilenet::view().head(0);
  REQUIRE(head.size() == published.size());
  CHECK(std::memcmp(head.data(), published.data(), head.size()) == 0);
}

namespace {

/// Compares the tables that the compiler computed with those of a real file.
template <class Model, class Optimizer, class Format>
void check_skeleton(const char* file) {
  using layout = ckpt::layout<Model, Optimizer, Format>;
  CAPTURE(file);
  const test::bytes golden = test::read_golden(file);
  CHECK(layout::file_bytes == golden.size());
  for (std::size_t s = 0; s <= Optimizer::slot_count; ++s) {
    const ckpt::bytes_view head = layout::view().head(s);
    const auto begin = static_cast<std::size_t>(layout::bounds(s).begin);
    REQUIRE(begin + head.size() <= golden.size());
    CHECK(std::memcmp(head.data(), golden.data() + begin, head.size()) == 0);
  }
}

}  // namespace

TEST_CASE("the compiler derives header and tables of every real file") {
#define CHECK_ONERT_SGD(model, file) check_skeleton<golden::model, ckpt::sgd, ckpt::onert>(file);
#define CHECK_ONERT_ADAM(model, file) check_skeleton<golden::model, ckpt::adam, ckpt::onert>(file);
#define CHECK_MICRO_SGD(model, file) \
  check_skeleton<golden::model, ckpt::sgd, ckpt::onert_micro>(file);
#define CHECK_MICRO_ADAM(model, file) \
  check_skeleton<golden::model, ckpt::adam, ckpt::onert_micro>(file);
  GOLDEN_ONERT_SGD(CHECK_ONERT_SGD)
  GOLDEN_ONERT_ADAM(CHECK_ONERT_ADAM)
  GOLDEN_MICRO_SGD(CHECK_MICRO_SGD)
  GOLDEN_MICRO_ADAM(CHECK_MICRO_ADAM)
}

namespace {

/// Everything that a layout of this model and optimizer says, static and at run time.
template <class Model, class Optimizer, class Format>
void check_twins() {
  using fixed = ckpt::layout<Model, Optimizer, Format>;
  using live = ckpt::layout<ckpt::dynamic_model, Optimizer, Format>;
  const ckpt::model_view view = ckpt::view_of<Model>();
  const ckpt::dynamic_model model(view.tensors, view.visits);
  std::vector<std::uint32_t> words(live::words_needed(model));
  const auto made = live::make(model, words);
  REQUIRE_MESSAGE(made.ok(), test::words(made.error().message()));
  CHECK(made->file_bytes() == fixed::file_bytes);
  CHECK(made->footer_offset() == fixed::footer_offset);
  const ckpt::layout_view a = fixed::view();
  const ckpt::layout_view b = made->view();
  for (std::size_t s = 0; s <= Optimizer::slot_count; ++s) {
    REQUIRE(a.head(s).size() == b.head(s).size());
    CHECK(ckpt::detail::equal(a.head(s), b.head(s).data()));
    CHECK(a.sections[s].end == b.sections[s].end);
  }
  for (std::size_t i = 0; i < model.size(); ++i) {
    CHECK(made->offset(i) == fixed::offset(i));
    CHECK(made->bytes(i) == fixed::bytes(i));
  }
}

}  // namespace

TEST_CASE("static and run-time layouts of a model are equal byte for byte") {
  check_twins<mlp, ckpt::adam, ckpt::onert>();
  check_twins<mlp, ckpt::adafactor, ckpt::onert>();
  check_twins<mlp, ckpt::rmsprop, ckpt::onert>();
  check_twins<mobilenet_v2, ckpt::adam, ckpt::onert>();
  check_twins<fixture::no_tensors, ckpt::sgd, ckpt::onert>();
#define TWINS_MICRO(model, file) check_twins<golden::model, ckpt::adam, ckpt::onert_micro>();
#define TWINS_ONERT(model, file) check_twins<golden::model, ckpt::lamb, ckpt::onert>();
  GOLDEN_MICRO_SGD(TWINS_MICRO)
  GOLDEN_MICRO_ADAM(TWINS_MICRO)
  GOLDEN_ONERT_SGD(TWINS_ONERT)
  GOLDEN_ONERT_ADAM(TWINS_ONERT)
}

namespace {

/// An independent statement of the layout: plain sums, in the words of the format's description.
struct expected_layout {
  std::vector<std::vector<std::uint64_t>> tables;
  std::vector<std::uint64_t> begins;
  std::uint64_t footer = 0;
};

expected_layout lay_out(const ckpt::model_view& model, const ckpt::optimizer_view& optimizer,
                        bool micro) {
  expected_layout expected;
  std::uint64_t at = 20;
  for (std::size_t s = 0; s <= optimizer.slot_count; ++s) {
    expected.begins.push_back(s == 0 ? 0 : at);
    at += 4 * model.size();
    std::vector<std::uint64_t> table(model.size(), 0);
    const std::size_t visits = micro && !model.visits.empty() ? model.visits.size() : model.size();
    for (std::size_t k = 0; k < visits; ++k) {
      const std::size_t i = micro && !model.visits.empty() ? model.visits[k] : k;
      const ckpt::tensor_spec& tensor = model[i];
      if (micro && tensor.purpose() == ckpt::role::absent) continue;
      table[i] = at;
      if (s == 0 && tensor.purpose() != ckpt::role::absent) at += tensor.form().byte_size();
      if (s > 0) at += optimizer.slot_bytes(s - 1, tensor);
    }
    expected.tables.push_back(table);
  }
  expected.footer = at;
  return expected;
}

ckpt::tensor_spec random_tensor(test::random_numbers& numbers, bool may_freeze) {
  const auto type = static_cast<dtype>(numbers.below(ckpt::dtype_count));
  std::uint64_t extents[ckpt::max_rank] = {};
  const auto rank = static_cast<std::size_t>(numbers.below(5));
  for (std::size_t i = 0; i < rank; ++i) extents[i] = numbers.below(4);
  const std::uint64_t dice = numbers.below(6);
  auto purpose = ckpt::role::trainable;
  if (dice == 0) purpose = ckpt::role::absent;
  if (dice == 1 && may_freeze) purpose = ckpt::role::frozen;
  return ckpt::tensor_spec(type, ckpt::shape(extents, rank), purpose);
}

std::vector<std::uint32_t> random_visits(test::random_numbers& numbers,
                                         const std::vector<ckpt::tensor_spec>& specs) {
  std::vector<std::uint32_t> visits;
  for (std::size_t i = specs.size(); i-- > 0;) {
    if (specs[i].purpose() == ckpt::role::absent) continue;
    visits.push_back(static_cast<std::uint32_t>(i));
    if (numbers.below(4) == 0) visits.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = visits.size(); i > 1; --i)
    std::swap(visits[i - 1], visits[static_cast<std::size_t>(numbers.below(i))]);
  return visits;
}

template <class Optimizer, class Format>
void check_random_layout(std::uint64_t seed) {
  constexpr bool micro = Format::kind == ckpt::dialect::onert_micro;
  using layout = ckpt::layout<ckpt::dynamic_model, Optimizer, Format>;
  CAPTURE(seed);
  test::random_numbers numbers(seed);
  std::vector<ckpt::tensor_spec> specs(static_cast<std::size_t>(numbers.below(12)));
  for (auto& spec : specs) spec = random_tensor(numbers, !micro || Optimizer::slot_count == 0);
  if (micro && Optimizer::slot_count > 0 && !specs.empty())
    specs[0] = ckpt::tensor_spec(dtype::f32, {2}, ckpt::role::absent);
  const std::vector<std::uint32_t> visits = random_visits(numbers, specs);
  const ckpt::dynamic_model model(specs, visits);
  std::vector<std::uint32_t> words(layout::words_needed(model));
  const auto made = layout::make(model, words);
  REQUIRE_MESSAGE(made.ok(), test::words(made.error().message()));
  const expected_layout expected =
      lay_out(model.view(), ckpt::view_of_optimizer<Optimizer>(), micro);
  CHECK(made->footer_offset() == expected.footer);
  for (std::size_t s = 0; s <= Optimizer::slot_count; ++s) {
    CHECK(made->bounds(s).begin == expected.begins[s]);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const std::uint64_t offset = s == 0 ? made->offset(i) : made->slot_offset(s - 1, i);
      CHECK(offset == expected.tables[s][i]);
    }
  }
}

}  // namespace

TEST_CASE("thousands of random models are laid out as the format's description says") {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    check_random_layout<ckpt::sgd, ckpt::onert>(seed);
    check_random_layout<ckpt::momentum, ckpt::onert>(seed);
    check_random_layout<ckpt::adam, ckpt::onert>(seed);
    check_random_layout<ckpt::adafactor, ckpt::onert>(seed);
    check_random_layout<ckpt::sgd, ckpt::onert_micro>(seed);
    check_random_layout<ckpt::adam, ckpt::onert_micro>(seed);
  }
}

TEST_CASE("J1 a run-time model beyond 4 GiB is refused with the numbers") {
  const std::uint64_t quarters = std::uint64_t{3} << 27;  // 1.5 GiB of f32
  const ckpt::tensor_spec specs[] = {
      {dtype::f32, {quarters}}, {dtype::f32, {quarters}}, {dtype::f32, {quarters}}};
  const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
  std::uint32_t words[64] = {};
  const auto made = ckpt::layout<ckpt::dynamic_model, ckpt::sgd>::make(model, words);
  CHECK(made.error().kind == errc::too_large);
  CHECK(made.error().expected == 0xFFFFFFFF);
  CHECK(made.error().found == 32 + 3 * 4 * quarters);
}

TEST_CASE("the largest offset that fits is accepted and the next is not") {
  const auto try_bytes = [](std::uint64_t bytes) {
    const ckpt::tensor_spec specs[] = {{dtype::u8, {bytes}}};
    const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
    std::uint32_t words[8] = {};
    return ckpt::layout<ckpt::dynamic_model, ckpt::sgd>::make(model, words).error().kind;
  };
  CHECK(try_bytes(0xFFFFFFFF - 24) == errc::ok);
  CHECK(try_bytes(0xFFFFFFFF - 23) == errc::too_large);
}

TEST_CASE("B18 a run-time model whose sizes wrap 64 bits is refused") {
  const ckpt::tensor_spec specs[] = {
      {dtype::f32, {2}}, {dtype::f32, {std::uint64_t{1} << 32, std::uint64_t{1} << 32}}};
  const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
  std::uint32_t words[16] = {};
  const auto made = ckpt::layout<ckpt::dynamic_model, ckpt::sgd>::make(model, words);
  CHECK(made.error().kind == errc::too_large);
  CHECK(made.error().tensor == 1);
}

TEST_CASE("a run-time layout says when its memory is too small or its model is not valid") {
  const ckpt::tensor_spec twice[] = {{"w", dtype::f32, {1}}, {"w", dtype::f32, {2}}};
  const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(twice)};
  using layout = ckpt::layout<ckpt::dynamic_model, ckpt::adam>;
  std::uint32_t words[16] = {};
  CHECK(layout::words_needed(model) == 5 + 3 * 2);
  CHECK(layout::make(model, ckpt::span<std::uint32_t>(words, 10)).error().kind ==
        errc::buffer_too_small);
  CHECK(layout::make(model, words).error().kind == errc::duplicate_name);
  const int extents[] = {-1};
  const ckpt::tensor_spec negative[] = {{dtype::f32, ckpt::shape(extents, 1)}};
  const ckpt::dynamic_model broken{ckpt::span<const ckpt::tensor_spec>(negative)};
  CHECK(layout::make(broken, words).error().kind == errc::invalid_shape);
  const ckpt::tensor_spec frozen[] = {{dtype::f32, {1}, ckpt::role::frozen}};
  const ckpt::dynamic_model cold{ckpt::span<const ckpt::tensor_spec>(frozen)};
  using micro = ckpt::layout<ckpt::dynamic_model, ckpt::adam, ckpt::onert_micro>;
  CHECK(micro::make(cold, words).error().kind == errc::unstorable_model);
}
