#include "ckpt/checkpoint/state.hpp"

#include "allocations.hpp"
#include "ckpt/checkpoint/model_builder.hpp"
#include "fixtures.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;

namespace {

struct mixed {
  static constexpr auto tensors = ckpt::tensors({{"w", dtype::f32, {4, 3}},
                                                 {"b", dtype::i8, {3}},
                                                 {"d", dtype::f64, {2}},
                                                 {"frozen", dtype::f32, {2}, ckpt::role::frozen},
                                                 {"absent", dtype::f32, {2}, ckpt::role::absent},
                                                 {"none", dtype::f32, {0, 7}}});
};

bool is_aligned(const std::byte* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % 64 == 0;
}

}  // namespace

TEST_CASE("a state owns aligned, zeroed memory for every weight and slot") {
  ckpt::state<mixed, ckpt::adam> state;
  for (std::size_t i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(state.weight_bytes(i).size() == mixed::tensors.specs[i].byte_size());
    CHECK(is_aligned(state.weight_bytes(i).data()));
    for (std::size_t s = 0; s < 2; ++s) {
      const bool trainable = mixed::tensors.specs[i].purpose() == ckpt::role::trainable;
      CHECK(state.slot_bytes(s, i).size() == (trainable ? mixed::tensors.specs[i].byte_size() : 0));
      for (const std::byte b : state.slot_bytes(s, i)) CHECK(b == std::byte{0});
    }
  }
  CHECK(state.training == ckpt::training_state{});
}

TEST_CASE("the compiler knows the element type of each tensor of a static model") {
  ckpt::state<mixed, ckpt::adam> state;
  static_assert(std::is_same_v<decltype(state.weight<0>()), ckpt::span<float>>);
  static_assert(std::is_same_v<decltype(state.weight<1>()), ckpt::span<std::int8_t>>);
  static_assert(std::is_same_v<decltype(state.slot<ckpt::adam::v, 2>()), ckpt::span<double>>);
  state.weight<ckpt::index_of<mixed>("w")>()[11] = 2.5F;
  CHECK((*state.weight_as<float>(0))[11] == 2.5F);
  CHECK(state.weight_as<double>(0).error().kind == errc::wrong_dtype);
}

TEST_CASE("a state moves with its memory and views stay valid") {
  ckpt::state<mixed, ckpt::adam> first;
  first.weight<0>()[0] = 4.0F;
  first.training.step = 9;
  const float* const before = first.weight<0>().data();
  ckpt::state<mixed, ckpt::adam> second(std::move(first));
  CHECK(second.weight<0>().data() == before);
  CHECK(second.training.step == 9);
  ckpt::state<mixed, ckpt::adam> third;
  third = std::move(second);
  CHECK(third.weight<0>()[0] == 4.0F);
  static_assert(!std::is_copy_constructible_v<ckpt::state<mixed, ckpt::adam>>);
}

TEST_CASE("a state of a run-time model holds the same tensors") {
  const ckpt::dynamic_model model(ckpt::view_of<mixed>().tensors);
  const std::size_t before = test::allocated_bytes();
  {
    ckpt::state<ckpt::dynamic_model, ckpt::adam> state(model);
    ckpt::state<ckpt::dynamic_model, ckpt::adam> moved(std::move(state));
    REQUIRE(moved.weight_as<float>(0).ok());
    (*moved.slot_as<double>(ckpt::adam::m, 2))[1] = 7.0;
    CHECK((*moved.slot_as<double>(ckpt::adam::m, 2))[1] == 7.0);
    CHECK(moved.weight_bytes(0).size() == 48);
    CHECK(is_aligned(moved.slot_bytes(1, 2).data()));
  }
  CHECK(test::allocated_bytes() == before);
}

TEST_CASE("a state too large for memory is a status, or an exception from the constructor") {
  using huge = ckpt::state<ckpt::dynamic_model, ckpt::sgd>;
  for (const unsigned power : {60U, 61U, 63U}) {
    const ckpt::tensor_spec specs[] = {{dtype::f64, {std::uint64_t{1} << power}}};
    const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
    CHECK(huge::make(model).error().kind == errc::too_large);
  }
  const ckpt::tensor_spec specs[] = {{dtype::f32, {1 << 20}}};
  const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
  test::limit_allocations(1 << 20);
  const auto made = huge::make(model);
  CHECK(made.error().kind == errc::no_memory);
#if CKPT_EXCEPTIONS
  CHECK_THROWS_AS(huge{model}, ckpt::failure);
#endif
  test::limit_allocations(0);
  CHECK(huge::make(model).ok());
}

TEST_CASE("a state without tensors is fine") {
  ckpt::state<fixture::no_tensors, ckpt::adam> state;
  CHECK(test::written<ckpt::onert>(
            static_cast<ckpt::state_view<fixture::no_tensors, ckpt::adam>&>(state))
            .size() == 28);
}

TEST_CASE("a builder owns the names of a run-time model, however many come and wherever it moves") {
  ckpt::model_builder builder;
  for (int i = 0; i < 100; ++i)
    CHECK(builder.add("t" + std::to_string(i), dtype::f32, {3}) == static_cast<std::size_t>(i));
  builder.visit(7);
  const ckpt::model_builder moved(std::move(builder));
  const ckpt::dynamic_model model = moved.model();
  REQUIRE(model.size() == 100);
  CHECK(ckpt::find_tensor(model.view(), "t42") == 42);
  CHECK(std::string(model.view()[99].name()) == "t99");
  CHECK(model.view().visits[0] == 7);
  ckpt::state<ckpt::dynamic_model, ckpt::adam> state(model);
  CHECK(state.weight_bytes(99).size() == 12);
}
