#include "fixtures.hpp"
#include "golden_cases.hpp"
#include "support.hpp"

// One test for each line that a mutation could change without another test noticing.

using ckpt::dialect;
using ckpt::dtype;
using ckpt::errc;
using ckpt::role;
using fixture::three;

namespace {

test::bytes with_u32(test::bytes file, std::size_t offset, std::uint32_t value) {
  test::put_u32(file, offset, value);
  return file;
}

ckpt::status verified(const test::bytes& file) {
  return ckpt::verify(test::view(file)).error;
}

/// What sparse is when the order of its visits is not known.
struct sparse_unordered {
  static constexpr auto tensors = fixture::sparse::tensors;
};

template <class Model, class Optimizer, class Format>
auto open_as(const test::bytes& file, const ckpt::read_options& options = {}) {
  return ckpt::reader<Model, Optimizer, Format>::open(test::view(file), options);
}

}  // namespace

TEST_CASE("three bytes are enough to see another schema") {
  CHECK(verified(fixture::from_hex("ad 01 03")).kind == errc::unsupported_version);
  CHECK(verified(fixture::from_hex("ad 01")).kind == errc::truncated);
}

TEST_CASE("a damaged opt2 does not make a WOF of an Adam file") {
  const test::bytes file = with_u32(fixture::adam(), 8, 0xFFFFFFFF);
  CHECK(verified(file).kind == errc::bad_section);
}

namespace {

/// One slot four times as large as its weight.
struct wide_slot {
  static constexpr std::size_t slot_count = 1;
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight) {
    return ckpt::tensor_form(dtype::f64, weight.extents());
  }
};
struct small_weights {
  static constexpr auto tensors = ckpt::tensors({{"w", dtype::bf16, {38}}});
};

}  // namespace

TEST_CASE("a file with large slots is not taken for a WOF, though its header could be one") {
  test::owned_state<small_weights, wide_slot> state;
  state.fill(1);
  const test::bytes file = test::written<ckpt::onert>(state.view);
  REQUIRE(test::get_u32(file, 12) == 8 + 4 * test::get_u32(file, 4));
  CHECK(ckpt::verify(test::view(file), ckpt::slot_sizes::any).error.ok());
  CHECK(open_as<small_weights, ckpt::sgd, ckpt::onert>(file, ckpt::weights_only).ok());
}

TEST_CASE("a draft with one slot section is a draft d1") {
  test::owned_state<three, ckpt::momentum> state;
  state.fill(1);
  test::bytes file = test::written<ckpt::onert>(state.view);
  file.resize(file.size() - 8);
  test::put_u32(file, 12, 0);
  const ckpt::description said = ckpt::verify(test::view(file));
  CHECK(said.map.kind == dialect::draft_d1);
  CHECK(said.map.slot_count == 1);
  CHECK(said.error.ok());
}

TEST_CASE("sizes that add up to 2^64 are too large, not small again") {
  const std::uint64_t half = std::uint64_t{1} << 63;
  const ckpt::tensor_spec specs[] = {{dtype::u8, {half}}, {dtype::u8, {half}}};
  const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
  std::uint32_t words[8] = {};
  CHECK(ckpt::layout<ckpt::dynamic_model, ckpt::sgd>::make(model, words).error().kind ==
        errc::too_large);
}

TEST_CASE("an entry in the wrong place blames the tensor whose size does not fit") {
  const auto opened = open_as<three, ckpt::adam, ckpt::onert>(with_u32(fixture::adam(), 24, 44));
  CHECK(opened.error().kind == errc::size_mismatch);
  CHECK(opened.error().tensor == 0);
  CHECK(opened.error().expected == 16);
  CHECK(opened.error().found == 12);
}

TEST_CASE("onert-micro: one byte too few is a size mismatch, in known and in unknown order") {
  const test::bytes file = with_u32(fixture::sparse_file(), 24, 49);
  const auto unordered = open_as<sparse_unordered, ckpt::sgd, ckpt::onert_micro>(file);
  CHECK(unordered.error().kind == errc::size_mismatch);
  CHECK(unordered.error().tensor == 1);
  CHECK(unordered.error().found == 15);
  CHECK(open_as<fixture::sparse, ckpt::sgd, ckpt::onert_micro>(file).error().kind ==
        errc::size_mismatch);
}

TEST_CASE("onert-micro: what is stored must be what the model stores") {
  const auto more = open_as<sparse_unordered, ckpt::sgd, ckpt::onert_micro>(
      with_u32(fixture::sparse_file(), 20, 40));
  CHECK(more.error().kind == errc::unexpected_tensor);
  CHECK(more.error().tensor == 0);
  const auto less = open_as<sparse_unordered, ckpt::sgd, ckpt::onert_micro>(
      with_u32(fixture::sparse_file(), 24, 0));
  CHECK(less.error().kind == errc::missing_tensor);
  CHECK(less.error().tensor == 1);
  CHECK(less.error().expected == 16);
}

TEST_CASE("onert-micro: two tensors at one place overlap") {
  const test::bytes file = with_u32(fixture::sparse_file(), 24, 40);
  CHECK(open_as<sparse_unordered, ckpt::sgd, ckpt::onert_micro>(file).error().kind ==
        errc::size_mismatch);
  std::uint32_t words[5] = {};
  ckpt::read_options sorted;
  sorted.scratch = ckpt::span<std::uint32_t>(words);
  CHECK(open_as<sparse_unordered, ckpt::sgd, ckpt::onert_micro>(file, sorted).error().kind ==
        errc::size_mismatch);
}

TEST_CASE("onert-micro: bytes of no tensor are unclaimed") {
  test::bytes file = fixture::sparse_file();
  test::put_u32(file, 24, 0);
  test::put_u32(file, 32, 0);
  CHECK(verified(file).kind == errc::unclaimed_bytes);
}

TEST_CASE("onert-micro: a slot section is as large as the weights and in the same order") {
  test::owned_state<fixture::sparse, ckpt::adam> state;
  state.fill(3);
  const test::bytes file = test::written<ckpt::onert_micro>(state.view);
  REQUIRE(verified(file).ok());
  const std::uint32_t opt1 = test::get_u32(file, 4);
  CHECK(verified(with_u32(file, opt1 + 4, test::get_u32(file, opt1 + 4) + 4)).kind ==
        errc::bad_order);
  test::bytes longer = file;
  longer.insert(longer.end() - 8, 8, std::byte{0});
  test::put_u32(longer, 12, test::get_u32(file, 12) + 8);
  CHECK(verified(longer).kind == errc::slot_size_mismatch);
}

namespace {

/// A tensor without elements that is visited before its neighbour, so that both begin together.
struct empty_first {
  static constexpr auto tensors = ckpt::tensors(
      {{"in", dtype::f32, {1}, role::absent}, {"w", dtype::f32, {4}}, {"z", dtype::f32, {0}}});
  static constexpr auto visits = ckpt::visit_order({2, 1});
};
struct empty_unordered {
  static constexpr auto tensors = empty_first::tensors;
};

/// A micro model without an absent tensor, visited backwards.
struct nothing_absent {
  static constexpr auto tensors = ckpt::tensors({{"a", dtype::f32, {2}}, {"b", dtype::f32, {3}}});
  static constexpr auto visits = ckpt::visit_order({1, 0});
};

}  // namespace

TEST_CASE("G10 a tensor without elements takes nothing from a neighbour at the same place") {
  test::owned_state<empty_first, ckpt::adam> state;
  state.fill(1);
  const test::bytes file = test::written<ckpt::onert_micro>(state.view);
  CHECK(open_as<empty_first, ckpt::sgd, ckpt::onert_micro>(file, ckpt::weights_only).ok());
  CHECK(open_as<empty_first, ckpt::adam, ckpt::onert>(file).ok());
  CHECK(open_as<empty_unordered, ckpt::adam, ckpt::onert>(file).ok());
  std::uint32_t words[3] = {};
  ckpt::read_options sorted;
  sorted.scratch = ckpt::span<std::uint32_t>(words);
  CHECK(open_as<empty_unordered, ckpt::adam, ckpt::onert>(file, sorted).ok());
}

TEST_CASE("onert-micro without an absent tensor is read in any order, and with slots refused") {
  test::owned_state<nothing_absent, ckpt::sgd> state;
  state.fill(1);
  const test::bytes file = test::written<ckpt::onert_micro>(state.view);
  CHECK(verified(file).ok());
  CHECK(open_as<nothing_absent, ckpt::adam, ckpt::onert>(file, ckpt::weights_only).ok());
  const ckpt::model_view model = ckpt::view_of<nothing_absent>();
  const auto check = [&model](const ckpt::optimizer_view& optimizer) {
    return ckpt::onert_micro::check(model, optimizer).kind;
  };
  CHECK(check(ckpt::view_of_optimizer<ckpt::adam>()) == errc::unstorable_model);
  CHECK(check(ckpt::view_of_optimizer<ckpt::sgd>()) == errc::ok);
}

TEST_CASE("four bytes an element keep the order of the visits") {
  const test::bytes file = test::read_golden("onert-micro/sgd_fc_i8_quirk.ckpt");
  ckpt::read_options wide;
  wide.four_byte_elements = true;
  CHECK(open_as<golden::sgd_fc_i8_quirk, ckpt::sgd, ckpt::onert_micro>(file, wide).ok());
  const std::uint32_t order[] = {2, 1};
  const auto specs = golden::sgd_fc_i8_quirk::tensors;
  const ckpt::dynamic_model model(ckpt::span<const ckpt::tensor_spec>(specs.specs),
                                  ckpt::span<const std::uint32_t>(order));
  using layout = ckpt::layout<ckpt::dynamic_model, ckpt::sgd, ckpt::onert_micro>;
  std::vector<std::uint32_t> words(layout::words_needed(model));
  const auto made = layout::make(model, words);
  REQUIRE(made.ok());
  using reader = ckpt::reader<ckpt::dynamic_model, ckpt::sgd, ckpt::onert_micro>;
  CHECK_FALSE(reader::open(*made, test::view(file), wide).ok());
}

TEST_CASE("the report counts what was there and nobody asked for") {
  const test::bytes file = fixture::adam();
  test::owned_state<three, ckpt::adam> state;
  const auto full = open_as<three, ckpt::adam, ckpt::onert>(file)->load_into(state.view);
  CHECK(full->slots_ignored == 0);
  const auto cold =
      open_as<three, ckpt::adam, ckpt::onert>(file, ckpt::cold_slots)->load_into(state.view);
  CHECK(cold->slots_ignored == 2);
  CHECK(cold->slots_cold == 2);
}

TEST_CASE("a cold start needs memory for the slots that it clears") {
  const test::bytes file = fixture::adam();
  ckpt::state_view<three, ckpt::adam> state;
  test::bytes weights[3] = {test::bytes(16), test::bytes(8), test::bytes(4)};
  for (std::size_t i = 0; i < 3; ++i)
    REQUIRE(state.bind_weight(i, ckpt::bytes_span(weights[i].data(), weights[i].size())).ok());
  const auto opened = open_as<three, ckpt::adam, ckpt::onert>(file, ckpt::cold_slots);
  REQUIRE(opened.ok());
  CHECK(opened->load_into(state).error().kind == errc::unbound_tensor);
  const auto weights_only = open_as<three, ckpt::adam, ckpt::onert>(file, ckpt::weights_only);
  CHECK(weights_only->load_into(state).ok());
}

TEST_CASE("a run-time state of another model is refused by number and by size") {
  const auto specs_of = [](std::uint64_t count) {
    return std::vector<ckpt::tensor_spec>(1, ckpt::tensor_spec(dtype::f32, {count}));
  };
  const auto large = specs_of(1000);
  const auto small = specs_of(1);
  const std::vector<ckpt::tensor_spec> none;
  using layout = ckpt::layout<ckpt::dynamic_model, ckpt::sgd>;
  std::vector<std::uint32_t> words(16);
  const auto made = layout::make(ckpt::dynamic_model(large), words);
  REQUIRE(made.ok());
  test::owned_state<ckpt::dynamic_model, ckpt::sgd> right(ckpt::model_view{large, {}});
  test::bytes file(static_cast<std::size_t>(made->file_bytes()));
  const ckpt::writer<ckpt::dynamic_model, ckpt::sgd> write(*made);
  REQUIRE(write.write_to(right.view, ckpt::bytes_span(file.data(), file.size())).ok());
  const auto opened = ckpt::reader<ckpt::dynamic_model, ckpt::sgd>::open(*made, test::view(file));
  REQUIRE(opened.ok());
  test::owned_state<ckpt::dynamic_model, ckpt::sgd> other(ckpt::model_view{small, {}});
  CHECK(opened->load_into(other.view).error().kind == errc::size_mismatch);
  CHECK(write.check(other.view).kind == errc::size_mismatch);
  test::owned_state<ckpt::dynamic_model, ckpt::sgd> empty(ckpt::model_view{none, {}});
  CHECK(opened->load_into(empty.view).error().kind == errc::count_mismatch);
  CHECK(write.check(empty.view).kind == errc::count_mismatch);
}

TEST_CASE("a reader that was never opened gives nothing") {
  const ckpt::reader<three, ckpt::adam> closed;
  CHECK(closed.weight_bytes(0).empty());
  CHECK(closed.slot_bytes(1, 2).empty());
  CHECK(closed.weight_as<std::uint8_t>(0).error().kind == errc::no_such_tensor);
  test::owned_state<three, ckpt::adam> state;
  state.fill(1);
  const auto before = state.memory;
  const ckpt::training_state training = state.view.training;
  CHECK(closed.load_into(state.view).error().kind == errc::truncated);
  CHECK(state.memory == before);
  CHECK(state.view.training == training);
  ckpt::const_state_view<three, ckpt::adam> views;
  CHECK_FALSE(closed.bind_to(views).ok());
}

TEST_CASE("typed access to a misaligned tensor of a state is refused") {
  const ckpt::tensor_spec specs[] = {{dtype::f32, {2}}};
  const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
  std::byte* pointers[1] = {reinterpret_cast<std::byte*>(pointers)};
  ckpt::state_view<ckpt::dynamic_model, ckpt::sgd> state(model, pointers);
  CHECK(state.weight_bytes(0).empty());
  alignas(8) std::byte memory[16] = {};
  REQUIRE(state.bind_weight(0, ckpt::bytes_span(memory + 1, 8)).ok());
  CHECK(state.weight_as<float>(0).error().kind == errc::unaligned);
  REQUIRE(state.bind_weight(0, ckpt::bytes_span(memory + 4, 8)).ok());
  CHECK(state.weight_as<float>(0).ok());
}

TEST_CASE("a file of onert-micro in unknown order is checked in time n log n") {
  // With quadratic time this test would take minutes.
  constexpr std::size_t count = 60000;
  std::vector<ckpt::tensor_spec> specs(count, ckpt::tensor_spec(dtype::u8, {4}));
  specs[0] = ckpt::tensor_spec(dtype::u8, {4}, role::absent);
  std::vector<std::uint32_t> backwards;
  for (std::size_t i = count - 1; i > 0; --i) backwards.push_back(static_cast<std::uint32_t>(i));
  using layout = ckpt::layout<ckpt::dynamic_model, ckpt::sgd, ckpt::onert_micro>;
  using reader = ckpt::reader<ckpt::dynamic_model, ckpt::sgd, ckpt::onert_micro>;
  const ckpt::dynamic_model visited(specs, backwards);
  const ckpt::dynamic_model unordered(specs);
  std::vector<std::uint32_t> words(layout::words_needed(visited));
  std::vector<std::uint32_t> other_words(words.size());
  const auto made = layout::make(visited, words);
  const auto other = layout::make(unordered, other_words);
  REQUIRE(made.ok());
  REQUIRE(other.ok());
  test::owned_state<ckpt::dynamic_model, ckpt::sgd> state(visited.view());
  test::bytes file(static_cast<std::size_t>(made->file_bytes()));
  const ckpt::writer<ckpt::dynamic_model, ckpt::sgd, ckpt::onert_micro> write(*made);
  REQUIRE(write.write_to(state.view, ckpt::bytes_span(file.data(), file.size())).ok());
  std::vector<std::uint32_t> scratch(count);
  ckpt::read_options options;
  options.scratch = scratch;
  CHECK(reader::open(*other, test::view(file), options).ok());
  // A damaged entry where the order is known: found and blamed just as fast.
  test::put_u32(file, 20 + 4 * 30000, test::get_u32(file, 20 + 4 * 30000) + 1);
  CHECK(reader::open(*made, test::view(file)).error().tensor == 30000);
}
