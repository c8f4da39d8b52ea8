#include <unordered_map>

#include "fixtures.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::role;
using ckpt::shape;

namespace {

ckpt::name_view name_of(const std::string& characters) {
  return {characters.data(), characters.size()};
}

}  // namespace

TEST_CASE("every dtype has a width, a name and an element type") {
  const std::size_t widths[] = {4, 8, 2, 2, 1, 1, 2, 2, 4, 4, 8, 8, 1};
  for (std::size_t i = 0; i < ckpt::dtype_count; ++i) {
    CAPTURE(i);
    CHECK(ckpt::byte_width(static_cast<dtype>(i)) == widths[i]);
    CHECK(ckpt::name(static_cast<dtype>(i)) != "unknown");
  }
  static_assert(sizeof(ckpt::element_t<dtype::bf16>) == 2);
  static_assert(ckpt::holds<float>(dtype::f32));
  static_assert(!ckpt::holds<float>(dtype::i32));
  static_assert(ckpt::holds<const std::uint8_t>(dtype::boolean));
  static_assert(!ckpt::holds<ckpt::f16>(dtype::bf16));
}

TEST_CASE("a shape of rank 0 is one element, an extent of 0 is none") {
  CHECK(shape{}.element_count() == 1);
  CHECK(shape{}.rank() == 0);
  CHECK(shape{3, 0, 5}.element_count() == 0);
  CHECK(shape{1, 2, 3, 4, 5, 6, 7, 8}.element_count() == 40320);
  CHECK(shape{1, 2, 3, 4, 5, 6, 7, 8}.is_valid());
}

TEST_CASE("nine dimensions or a negative extent make a shape invalid, not another one") {
  CHECK_FALSE(shape{1, 1, 1, 1, 1, 1, 1, 1, 1}.is_valid());
  const int extents[] = {2, -3};
  CHECK_FALSE(shape(extents, 2).is_valid());
  CHECK(shape(extents, 1).is_valid());
  CHECK(shape(extents, 2).element_count() == ckpt::overflowed);
}

TEST_CASE("B18 a product of extents that wraps is an overflow") {
  constexpr std::uint64_t half = (std::uint64_t{1} << 63) - 1;
  constexpr std::uint64_t word = std::uint64_t{1} << 32;
  CHECK(shape{half, 2}.element_count() == ckpt::overflowed - 1);
  CHECK(ckpt::tensor_form(dtype::f32, {half, 2}).byte_size() == ckpt::overflowed);
  CHECK(shape{word, word}.element_count() == ckpt::overflowed);
  CHECK(shape{word, word, 0}.element_count() == 0);
  CHECK(ckpt::tensor_form(dtype::f64, {std::uint64_t{1} << 61}).byte_size() == ckpt::overflowed);
}

TEST_CASE("index_of is a constant for static models and npos for unknown names at run time") {
  static_assert(ckpt::index_of<fixture::three>("c") == 2);
  const std::string unknown = "d";
  CHECK(ckpt::index_of<fixture::three>(ckpt::name_view(unknown.data(), 1)) == ckpt::npos);
  CHECK(ckpt::find_tensor(ckpt::view_of<fixture::no_tensors>(), "a") == ckpt::npos);
}

namespace {

/// 2^`pairs` names of one hash: at each place either of two pieces leads to the same value of it.
std::vector<std::string> colliding_names(std::size_t pairs) {
  std::vector<std::string> names(1);
  std::uint32_t value = ckpt::detail::hash("");
  for (std::size_t k = 0; k < pairs; ++k) {
    std::unordered_map<std::uint32_t, std::string> seen;
    test::random_numbers numbers(k);
    for (;;) {
      std::string piece = std::to_string(numbers.next());
      const std::uint32_t next = ckpt::detail::hash(name_of(piece), value);
      const auto [found, is_new] = seen.emplace(next, piece);
      if (is_new) continue;
      for (std::size_t n = 0, count = names.size(); n < count; ++n) {
        names.push_back(names[n] + piece);
        names[n] += found->second;
      }
      value = next;
      break;
    }
  }
  return names;
}

}  // namespace

TEST_CASE("names that were made to have one hash do not make the search for equal ones slow") {
  std::vector<std::string> names = colliding_names(14);
  names.emplace_back("w");
  std::vector<ckpt::tensor_spec> specs;
  for (const std::string& name : names)
    specs.push_back(ckpt::tensor_spec::named(name_of(name), dtype::u8, {1}));
  REQUIRE(ckpt::detail::hash(specs[0].name()) == ckpt::detail::hash(specs[16383].name()));
  std::vector<std::uint32_t> scratch(specs.size());
  const ckpt::model_view model{specs, {}};
  CHECK(ckpt::check_names(model, scratch.data()).ok());
  specs[16384] = specs[5000];
  const ckpt::status twice = ckpt::check_names(model, scratch.data());
  CHECK(twice.kind == errc::duplicate_name);
  CHECK(twice.tensor == 16384);
}

TEST_CASE("of equal names the second is to blame, and tensors without one are left aside") {
  const ckpt::tensor_spec specs[] = {
      {dtype::u8, {1}},      {"b", dtype::u8, {1}},  {"ab", dtype::u8, {1}}, {dtype::u8, {1}},
      {"a", dtype::u8, {1}}, {"ab", dtype::u8, {1}}, {"ab", dtype::u8, {1}}};
  std::uint32_t scratch[7] = {};
  const ckpt::status twice =
      ckpt::check_names({ckpt::span<const ckpt::tensor_spec>(specs), {}}, scratch);
  CHECK(twice.kind == errc::duplicate_name);
  CHECK(twice.tensor == 5);
}

TEST_CASE("a model of run-time shapes needs no names") {
  const ckpt::tensor_spec specs[] = {{dtype::f32, {2, 3}}, {dtype::i8, {}, role::frozen}};
  const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
  std::uint32_t scratch[2] = {};
  CHECK(ckpt::check_model(model.view(), scratch).ok());
  CHECK(model.view()[0].byte_size() == 24);
  CHECK(model.view()[1].name().empty());
}

TEST_CASE("G6 two tensors of one name are refused, whatever their hashes") {
  std::vector<std::string> names;
  for (int i = 0; i < 2000; ++i) names.push_back("layer." + std::to_string(i));
  std::vector<ckpt::tensor_spec> specs;
  for (const std::string& name : names)
    specs.push_back(ckpt::tensor_spec::named(name, dtype::f32, shape{1}));
  std::vector<std::uint32_t> scratch(specs.size());
  ckpt::model_view model{ckpt::span<const ckpt::tensor_spec>(specs), {}};
  CHECK(ckpt::check_names(model, scratch.data()).ok());
  specs[1999] = ckpt::tensor_spec("layer.7", dtype::f32, {1});
  const ckpt::status found = ckpt::check_names(model, scratch.data());
  CHECK(found.kind == errc::duplicate_name);
  CHECK(found.tensor == 1999);
}

TEST_CASE("a visit order must name what exists and is stored, and all of it") {
  const auto specs = fixture::sparse::tensors;
  std::uint32_t scratch[5] = {};
  const auto check = [&](std::vector<std::uint32_t> order) {
    const ckpt::model_view model{ckpt::span<const ckpt::tensor_spec>(specs),
                                 ckpt::span<const std::uint32_t>(order)};
    return ckpt::check_visits(model, scratch).kind;
  };
  CHECK(check({3, 1}) == errc::ok);
  CHECK(check({1, 3, 1}) == errc::ok);
  CHECK(check({3}) == errc::invalid_visits);
  CHECK(check({3, 1, 0}) == errc::invalid_visits);
  CHECK(check({3, 1, 5}) == errc::invalid_visits);
}

TEST_CASE("slots follow the weight, and only trainable tensors have them") {
  const auto adam = ckpt::view_of_optimizer<ckpt::adam>();
  CHECK(adam.slot_bytes(0, {"w", dtype::f32, {4, 3}}) == 48);
  CHECK(adam.slot_bytes(1, {"w", dtype::f32, {4, 3}, role::frozen}) == 0);
  CHECK(adam.slot_bytes(1, {"w", dtype::f32, {4, 3}, role::absent}) == 0);
  CHECK(adam.slot_names[1] == "v");
  CHECK(ckpt::view_of_optimizer<ckpt::sgd>().slot_count == 0);
  CHECK(ckpt::view_of_optimizer<ckpt::momentum>().slot_count == 1);
  CHECK(ckpt::view_of_optimizer<ckpt::adagrad>().slot_count == 1);
  CHECK(ckpt::view_of_optimizer<ckpt::rmsprop>().slot_count == 1);
  CHECK(ckpt::view_of_optimizer<ckpt::rmsprop_centred>().slot_count == 2);
  CHECK(ckpt::view_of_optimizer<ckpt::amsgrad>().slot_count == 3);
  CHECK(ckpt::view_of_optimizer<ckpt::lamb>().slot_count == 2);
  CHECK(ckpt::view_of_optimizer<ckpt::adamw>().slot_count == 2);
  CHECK(ckpt::view_of_optimizer<ckpt::adamw>().name == "adamw");
  CHECK(ckpt::view_of_optimizer<ckpt::adam>().name == "adam");
}

TEST_CASE("adafactor keeps rows and columns of a matrix and everything of a vector") {
  const auto adafactor = ckpt::view_of_optimizer<ckpt::adafactor>();
  const ckpt::tensor_spec matrix{"w", dtype::f32, {2, 5, 7}};
  CHECK(adafactor.slot_form(0, matrix).extents() == shape{2, 5});
  CHECK(adafactor.slot_form(1, matrix).extents() == shape{2, 7});
  const ckpt::tensor_spec vector{"b", dtype::f32, {7}};
  CHECK(adafactor.slot_bytes(0, vector) == 28);
  CHECK(adafactor.slot_bytes(1, vector) == 0);
  CHECK(adafactor.slot_bytes(0, {"s", dtype::f32, {}}) == 4);
}

/// A user's own optimizer: moments in half precision, a counter a tensor.
struct half_moments {
  static constexpr std::size_t slot_count = 2;
  static constexpr ckpt::tensor_form slot(std::size_t which, const ckpt::tensor_form& weight) {
    return which == 0 ? ckpt::tensor_form(dtype::f16, weight.extents())
                      : ckpt::tensor_form(dtype::u32, {});
  }
};

struct with_state {
  int counter = 0;
  static constexpr std::size_t slot_count = 1;
};

TEST_CASE("a user's own optimizer is equal to ours") {
  static_assert(ckpt::is_optimizer_v<half_moments>);
  const auto own = ckpt::view_of_optimizer<half_moments>();
  CHECK(own.slot_bytes(0, {"w", dtype::f32, {4, 3}}) == 24);
  CHECK(own.slot_bytes(1, {"w", dtype::f32, {4, 3}}) == 4);
  static_assert(!ckpt::is_optimizer_v<with_state>);
  static_assert(!ckpt::is_optimizer_v<int>);
}
