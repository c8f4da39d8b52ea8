#include "ckpt/checkpoint/filtered_state.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "ckpt/ckpt.hpp"
#include "scratch.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::paddle_filter;
using ckpt::role;
using ckpt_test::scratch;

namespace {

using ckpt::dynamic_model;

/// Paddle's rule drops 1, 3 and 5.
struct trained {
  static constexpr auto tensors = ckpt::tensors({{"fc_0.w_0", dtype::f32, {2, 3}},
                                                 {"fc_0.w_0@GRAD", dtype::f32, {2, 3}},
                                                 {"fc_0.b_0", dtype::f64, {3}, role::frozen},
                                                 {"fc_0.w_0.trainer_1", dtype::f32, {5, 3}},
                                                 {"input", dtype::f32, {2}, role::absent},
                                                 {"head.block1.w", dtype::f32, {4}},
                                                 {"fc_1.w_0", dtype::i8, {5, 2}}});
};

/// What is left, written down by hand.
struct rest {
  static constexpr auto tensors = ckpt::tensors({{"fc_0.w_0", dtype::f32, {2, 3}},
                                                 {"fc_0.b_0", dtype::f64, {3}, role::frozen},
                                                 {"input", dtype::f32, {2}, role::absent},
                                                 {"fc_1.w_0", dtype::i8, {5, 2}}});
};
constexpr std::size_t kept_indices[] = {0, 2, 4, 6};

struct without_b {
  static constexpr bool keeps(const ckpt::tensor_spec& spec) noexcept { return spec.name() != "b"; }
};
struct nothing_at_all {
  static constexpr bool keeps(const ckpt::tensor_spec&) noexcept { return false; }
};

/// The visit order of a graph from which "b" is left out.
struct visited {
  static constexpr auto tensors = ckpt::tensors({{"input", dtype::u8, {2}, role::absent},
                                                 {"b", dtype::u8, {7}},
                                                 {"c", dtype::u8, {3}},
                                                 {"d", dtype::u8, {4}}});
  static constexpr auto visits = ckpt::visit_order({3, 1, 2});
};
struct visited_rest {
  static constexpr auto tensors = ckpt::tensors(
      {{"input", dtype::u8, {2}, role::absent}, {"c", dtype::u8, {3}}, {"d", dtype::u8, {4}}});
  static constexpr auto visits = ckpt::visit_order({2, 1});
};

/// Slots of other dtypes and shapes than their weights.
struct half_moments {
  static constexpr std::size_t slot_count = 2;
  static constexpr ckpt::tensor_form slot(std::size_t which, const ckpt::tensor_form& weight) {
    return which == 0 ? ckpt::tensor_form(dtype::f16, weight.extents())
                      : ckpt::tensor_form(dtype::u32, {});
  }
};

struct thirty_slots {
  static constexpr std::size_t slot_count = 30;
};

template <class Format, class State>
test::bytes saved(const scratch& directory, const State& state) {
  const std::string name = directory.at("saved.ckpt");
  const auto done = ckpt::save<Format>(name, state);
  REQUIRE_MESSAGE(done.ok(), done.message());
  return test::read_file(name);
}

/// The file that a state of `Rest`, a model without what is left out, gives with the same bytes.
template <class Format, class Rest, class Optimizer, class State>
test::bytes wanted(const scratch& directory, State& from, const std::vector<std::size_t>& kept) {
  test::owned_state<Rest, Optimizer> alone;
  for (std::size_t s = 0; s <= Optimizer::slot_count; ++s)
    for (std::size_t i = 0; i < kept.size(); ++i) {
      REQUIRE(alone.payload(s, i).size() == from.payload(s, kept[i]).size());
      std::copy(from.payload(s, kept[i]).begin(), from.payload(s, kept[i]).end(),
                alone.payload(s, i).begin());
    }
  alone.view.training = from.view.training;
  return saved<Format>(directory, alone.view);
}

/// Saves a filtered state of a static and of a run-time model and expects the file of `Rest`.
template <class Format, class Filter, class Model, class Rest, class Optimizer>
void check_files(const std::vector<std::size_t>& kept) {
  scratch directory;
  test::owned_state<Model, Optimizer> fixed;
  fixed.fill(7);
  test::owned_state<dynamic_model, Optimizer> live(ckpt::view_of<Model>());
  live.fill(7);
  const test::bytes file = wanted<Format, Rest, Optimizer>(directory, fixed, kept);

  const ckpt::filtered_state<Filter, Model, Optimizer> of_fixed(fixed.view);
  CHECK(saved<Format>(directory, of_fixed.view()) == file);
  const auto of_live = ckpt::filtered_state<Filter, dynamic_model, Optimizer>::make(live.view);
  REQUIRE(of_live.ok());
  CHECK(saved<Format>(directory, of_live->view()) == file);
}

bool is_kept(std::size_t index) {
  return std::find(std::begin(kept_indices), std::end(kept_indices), index) !=
         std::end(kept_indices);
}

template <class State>
void check_loaded(State& from, State& before, State& into) {
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t i = 0; i < 7; ++i) {
      CAPTURE(s);
      CAPTURE(i);
      CHECK(into.payload(s, i) == (is_kept(i) ? from : before).payload(s, i));
    }
}

/// Saves one filtered state and loads another.
template <class Model, class... Given>
void check_round_trip(const Given&... given) {
  using state_type = test::owned_state<Model, ckpt::adam>;
  using filtered = ckpt::filtered_state<paddle_filter, Model, ckpt::adam>;
  scratch directory;
  state_type from(given...);
  from.fill(1);
  from.view.training.sample_cursor = 11;
  state_type into(given...);
  into.fill(2);
  state_type before(given...);
  before.fill(2);
  const auto out = filtered::make(from.view);
  REQUIRE(out.ok());
  REQUIRE(ckpt::save<ckpt::v2>(directory.at("a.ckpt"), out->view()).ok());

  auto in = filtered::make(into.view);
  REQUIRE(in.ok());
  REQUIRE(ckpt::load<ckpt::v2>(directory.at("a.ckpt"), in->view()).ok());
  check_loaded(from, before, into);
  CHECK(into.view.training == before.view.training);
  in->take_back(into.view);
  CHECK(into.view.training == from.view.training);
}

}  // namespace

TEST_CASE("the file of a filtered state is that of a model without what is left out") {
  check_files<ckpt::onert, paddle_filter, trained, rest, ckpt::adam>({0, 2, 4, 6});
  check_files<ckpt::onert, paddle_filter, trained, rest, ckpt::sgd>({0, 2, 4, 6});
  check_files<ckpt::onert_plus, paddle_filter, trained, rest, ckpt::adam>({0, 2, 4, 6});
  check_files<ckpt::v2, paddle_filter, trained, rest, ckpt::amsgrad>({0, 2, 4, 6});
}

TEST_CASE("slots with forms of their own follow their tensors") {
  check_files<ckpt::v2, paddle_filter, trained, rest, ckpt::adafactor>({0, 2, 4, 6});
  check_files<ckpt::v2, paddle_filter, trained, rest, half_moments>({0, 2, 4, 6});
}

TEST_CASE("the visits of onert-micro are those of the kept tensors") {
  check_files<ckpt::onert_micro, without_b, visited, visited_rest, ckpt::adam>({0, 2, 3});
  check_files<ckpt::onert_micro, without_b, visited, visited_rest, ckpt::sgd>({0, 2, 3});
  check_files<ckpt::onert_micro_plus, without_b, visited, visited_rest, ckpt::adam>({0, 2, 3});
}

TEST_CASE("loading touches only what the filter keeps, and training comes back when asked") {
  check_round_trip<trained>();
  check_round_trip<dynamic_model>(ckpt::view_of<trained>());
}

TEST_CASE("a load that fails changes neither tensors nor training") {
  scratch directory;
  test::owned_state<trained, ckpt::adam> state;
  state.fill(3);
  ckpt::filtered_state<paddle_filter, trained, ckpt::adam> kept(state.view);
  REQUIRE(ckpt::save(directory.at("whole.ckpt"), state.view).ok());
  const std::vector<test::bytes> before = state.memory;
  kept.view().training.step = 99;
  CHECK(ckpt::load(directory.at("whole.ckpt"), kept.view()).error().kind == errc::count_mismatch);
  CHECK(kept.view().training.step == 99);
  CHECK(state.memory == before);
}

TEST_CASE("a filtered state shares the user's values and takes training as it was") {
  scratch directory;
  ckpt::value_storage<256> values;
  test::owned_state<trained, ckpt::adam> state;
  state.fill(4);
  state.view.user_values = &values;
  ckpt::filtered_state<paddle_filter, trained, ckpt::adam> kept(state.view);
  CHECK(kept.view().user_values == &values);
  CHECK(kept.view().training == state.view.training);
  ++state.view.training.step;
  CHECK(kept.view().training != state.view.training);
}

TEST_CASE("a kept tensor that is not bound is reported, one that is left out need not be bound") {
  scratch directory;
  test::owned_state<trained, ckpt::adam> owner;
  const auto bind = [&](ckpt::state_view<trained, ckpt::adam>& state, std::size_t index) {
    const auto span_of = [&](std::size_t s) {
      return ckpt::bytes_span(owner.payload(s, index).data(), owner.payload(s, index).size());
    };
    REQUIRE(state.bind_weight(index, span_of(0)).ok());
    for (std::size_t s = 0; s < 2; ++s) REQUIRE(state.bind_slot(s, index, span_of(1 + s)).ok());
  };
  using filtered = ckpt::filtered_state<paddle_filter, trained, ckpt::adam>;
  ckpt::state_view<trained, ckpt::adam> partly;
  bind(partly, 0);
  bind(partly, 2);
  const auto lacking = ckpt::save(directory.at("a.ckpt"), filtered(partly).view());
  CHECK(lacking.error().kind == errc::unbound_tensor);
  CHECK(lacking.error().tensor == 3);
  CHECK(test::mentions(lacking.message(), "'fc_1.w_0'"));
  bind(partly, 6);
  CHECK(ckpt::save(directory.at("a.ckpt"), filtered(partly).view()).ok());
  CHECK(ckpt::save(directory.at("a.ckpt"), partly).error().kind == errc::unbound_tensor);
}

TEST_CASE("a tensor without bytes that is bound is so in the filtered state, too") {
  std::byte place{};
  ckpt::state_view<trained, ckpt::adam> state;
  REQUIRE(state.bind_weight(4, ckpt::bytes_span(&place, 0)).ok());
  const ckpt::filtered_state<paddle_filter, trained, ckpt::adam> kept(state);
  CHECK(kept.view().pointers()[2] == &place);
  CHECK(kept.view().pointers()[0] == nullptr);
}

TEST_CASE("with keep_all the filtered state is the state itself") {
  using whole = ckpt::filtered_state<ckpt::keep_all, trained, ckpt::adam>;
  static_assert(sizeof(whole) == sizeof(void*));
  static_assert(std::is_same_v<whole::view_type, ckpt::state_view<trained, ckpt::adam>>);
  test::owned_state<trained, ckpt::adam> state;
  state.fill(6);
  whole kept(state.view);
  CHECK(&kept.view() == &state.view);
  CHECK(&whole::make(state.view)->view() == &state.view);
  const ckpt::training_state before = state.view.training;
  kept.take_back(state.view);
  CHECK(state.view.training == before);

  const auto& only_to_save = state.view;
  const auto saves = whole::make(only_to_save);
  CHECK(&saves->view() == &only_to_save);
  static_assert(std::is_const_v<std::remove_reference_t<decltype(saves->view())>>);

  test::owned_state<dynamic_model, ckpt::adam> live(ckpt::view_of<trained>());
  using live_whole = ckpt::filtered_state<ckpt::keep_all, dynamic_model, ckpt::adam>;
  const std::size_t allocated = test::allocated_bytes();
  CHECK(&live_whole::make(live.view)->view() == &live.view);
  CHECK(test::allocated_bytes() == allocated);
}

TEST_CASE("the default keeps the user's block that Paddle's rule drops") {
  scratch directory;
  test::owned_state<trained, ckpt::adam> state;
  state.fill(8);
  const auto all = ckpt::filtered_state<ckpt::keep_all, trained, ckpt::adam>::make(state.view);
  const test::bytes whole = saved<ckpt::onert_plus>(directory, all->view());
  const auto names = [](const test::bytes& file) {
    return std::string(reinterpret_cast<const char*>(file.data()), file.size());
  };
  CHECK(test::mentions(names(whole), "head.block1.w"));
  const ckpt::filtered_state<paddle_filter, trained, ckpt::adam> kept(state.view);
  const test::bytes filtered = saved<ckpt::onert_plus>(directory, kept.view());
  CHECK_FALSE(test::mentions(names(filtered), "head.block1.w"));
  CHECK(test::mentions(names(filtered), "fc_1.w_0"));
}

TEST_CASE("a state that can only be saved is filtered, too, and so is one that owns its memory") {
  scratch directory;
  ckpt::state<trained, ckpt::sgd> owner;
  owner.weight<0>()[3] = 2.5F;
  owner.training.step = 5;
  ckpt::const_state_view<trained, ckpt::sgd> read_only;
  for (std::size_t i = 0; i < 7; ++i) REQUIRE(read_only.bind_weight(i, owner.weight_bytes(i)).ok());
  read_only.training = owner.training;
  const ckpt::filtered_state<paddle_filter, trained, ckpt::sgd, const std::byte> saves(read_only);
  ckpt::filtered_state<paddle_filter, trained, ckpt::sgd> kept(owner);
  CHECK(kept.view().weight_bytes(3).data() == owner.weight_bytes(6).data());
  CHECK(saved<ckpt::onert>(directory, saves.view()) == saved<ckpt::onert>(directory, kept.view()));
  kept.view().training.step = 6;
  kept.take_back(owner);
  CHECK(owner.training.step == 6);
}

TEST_CASE("a filtered state of a static model takes no memory of the heap") {
  using filtered = ckpt::filtered_state<paddle_filter, trained, ckpt::adam>;
  static_assert(std::is_nothrow_constructible_v<filtered, const filtered::original_type&>);
  static_assert(std::is_trivially_copyable_v<filtered>);
  test::owned_state<trained, ckpt::adam> state;
  test::watch_allocations();
  const auto kept = filtered::make(state.view);
  CHECK(test::peak_allocation() == 0);
  CHECK(kept.ok());
}

TEST_CASE("a filtered state of a run-time model moves, and gives its memory back") {
  using filtered = ckpt::filtered_state<without_b, dynamic_model, ckpt::adam>;
  static_assert(!std::is_copy_constructible_v<filtered>);
  scratch directory;
  test::owned_state<dynamic_model, ckpt::adam> live(ckpt::view_of<visited>());
  live.fill(9);
  const std::size_t before = test::allocated_bytes();
  {
    auto made = filtered::make(live.view);
    REQUIRE(made.ok());
    filtered moved(std::move(*made));
    auto other = filtered::make(live.view);
    REQUIRE(other.ok());
    *other = std::move(moved);
    CHECK(other->view().model().size() == 3);
    CHECK(other->view().model().visits[0] == 2);
    CHECK(other->view().weight_bytes(2).data() == live.payload(0, 3).data());
    CHECK(other->view().training == live.view.training);
    CHECK(ckpt::save<ckpt::onert_micro>(directory.at("a.ckpt"), other->view()).ok());
  }
  CHECK(test::allocated_bytes() == before);
}

TEST_CASE("where memory is short for a run-time model, that is a status, whatever it is for") {
  using filtered = ckpt::filtered_state<paddle_filter, dynamic_model, thirty_slots>;
  const std::vector<ckpt::tensor_spec> specs(1000, ckpt::tensor_spec(dtype::f32, {1}));
  const std::vector<std::uint32_t> visits(50000);
  std::vector<std::byte*> pointers(31000);
  const ckpt::state_view<dynamic_model, thirty_slots> live(dynamic_model(specs, visits),
                                                           pointers.data());
  const std::size_t before = test::allocated_bytes();
  // Numbers, specs, visits, pointers: each needs more than what comes before it.
  const std::size_t sizes[] = {4 * 1001, 1001 * sizeof(ckpt::tensor_spec), 4 * 50001,
                               31001 * sizeof(std::byte*)};
  for (const std::size_t size : sizes) {
    CAPTURE(size);
    test::limit_allocations(size - 1);
    const auto made = filtered::make(live);
    test::limit_allocations(0);
    CHECK(made.error().kind == errc::no_memory);
    CHECK(made.error().expected == size);
  }
  CHECK(test::allocated_bytes() == before);
  CHECK(filtered::make(live).ok());
}

TEST_CASE("a filter that keeps no tensor of a run-time model is refused") {
  test::owned_state<dynamic_model, ckpt::adam> live(ckpt::view_of<trained>());
  using filtered = ckpt::filtered_state<nothing_at_all, dynamic_model, ckpt::adam>;
  CHECK(filtered::make(live.view).error().kind == errc::invalid_rules);
  const ckpt::state_view<dynamic_model, ckpt::adam> empty;
  const auto made = filtered::make(empty);
  REQUIRE(made.ok());
  CHECK(made->view().model().size() == 0);
}

TEST_CASE("an invalid visit order is still refused after filtering") {
  scratch directory;
  const std::vector<std::uint32_t> order = {3, 1, 2, 90};
  test::owned_state<dynamic_model, ckpt::sgd> live(
      ckpt::model_view{ckpt::view_of<visited>().tensors, order});
  const auto made = ckpt::filtered_state<without_b, dynamic_model, ckpt::sgd>::make(live.view);
  REQUIRE(made.ok());
  const auto done = ckpt::save<ckpt::onert_micro>(directory.at("a.ckpt"), made->view());
  CHECK(done.error().kind == errc::invalid_visits);
}
