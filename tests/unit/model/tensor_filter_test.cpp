#include "ckpt/model/tensor_filter.hpp"

#include <string>
#include <type_traits>
#include <vector>

#include "fixtures.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::role;

namespace {

bool paddle_keeps(const std::string& name) {
  return ckpt::paddle_filter::keeps(ckpt::tensor_spec::named(name, dtype::f32, {1}));
}

/// A model as PaddlePaddle's trainers have it, and the tensor of a user whose name its rule takes
/// for one of its own.
struct trained {
  static constexpr auto tensors = ckpt::tensors({{"fc_0.w_0", dtype::f32, {2, 3}},
                                                 {"fc_0.w_0@GRAD", dtype::f32, {2, 3}},
                                                 {"fc_0.b_0", dtype::f64, {3}, role::frozen},
                                                 {"fc_0.w_0.trainer_1", dtype::f32, {2, 3}},
                                                 {"input", dtype::f32, {2}, role::absent},
                                                 {"head.block1.w", dtype::f32, {4}},
                                                 {"fc_1.w_0", dtype::i8, {5}}});
};

struct without_trained {
  static constexpr auto tensors = ckpt::tensors({{"fc_0.w_0", dtype::f32, {2, 3}},
                                                 {"fc_0.b_0", dtype::f64, {3}, role::frozen},
                                                 {"input", dtype::f32, {2}, role::absent},
                                                 {"fc_1.w_0", dtype::i8, {5}}});
};

template <char First>
struct not_from {
  static constexpr bool keeps(const ckpt::tensor_spec& spec) noexcept {
    return spec.name().empty() || spec.name()[0] != First;
  }
};

struct only_trainable {
  static constexpr bool keeps(const ckpt::tensor_spec& spec) noexcept {
    return spec.purpose() == role::trainable;
  }
};

struct visited {
  static constexpr auto tensors = ckpt::tensors({{"input", dtype::u8, {2}, role::absent},
                                                 {"a", dtype::u8, {1}},
                                                 {"b", dtype::u8, {2}},
                                                 {"c", dtype::u8, {3}},
                                                 {"d", dtype::u8, {4}}});
  static constexpr auto visits = ckpt::visit_order({4, 2, 4, 3, 1});
};

struct badly_visited {
  static constexpr auto tensors = visited::tensors;
  static constexpr auto visits = ckpt::visit_order({4, 2, 9, 3, 1});
};

struct input_only {
  static constexpr bool keeps(const ckpt::tensor_spec& spec) noexcept {
    return spec.name() == "input";
  }
};

struct with_member {
  int depth = 0;
  static constexpr bool keeps(const ckpt::tensor_spec&) noexcept { return true; }
};
struct not_static {
  constexpr bool keeps(const ckpt::tensor_spec&) const noexcept { return true; }
};
struct of_names {
  static constexpr bool keeps(int) noexcept { return true; }
};

/// 10,000 tensors with names of 40 characters, every tenth of them one that Paddle's rule drops.
struct large {
  static constexpr std::size_t count = 10000;
  static constexpr auto tensors = [] {
    ckpt::tensor_table<count> table{};
    for (std::size_t i = 0; i < count; ++i)
      table.specs[i] =
          i % 10 == 9
              ? ckpt::tensor_spec("encoder.layer.11.attention.self.q.block", dtype::f32, {i})
              : ckpt::tensor_spec("encoder.layer.11.attention.self.q.weight", dtype::f32, {i});
    return table;
  }();
};

}  // namespace

TEST_CASE("a part of a name is found anywhere, and only whole") {
  static_assert(ckpt::contains("fc@GRAD", "@GRAD"));
  static_assert(ckpt::contains("@GRAD", "@GRAD"));
  static_assert(!ckpt::contains("@GRA", "@GRAD"));
  static_assert(ckpt::contains("@@GRAD@RENAME", "@GRAD"));
  static_assert(ckpt::contains("", ""));
  static_assert(ckpt::contains("a", ""));
  static_assert(!ckpt::contains("", "a"));
  CHECK_FALSE(ckpt::contains(ckpt::name_view("fc@GRADx", 6), "@GRAD"));
  CHECK(ckpt::contains(ckpt::name_view("fc@GRADx", 7), "@GRAD"));
}

TEST_CASE("Paddle's rule drops a name with one of three parts, wherever they stand") {
  for (const char* const name :
       {"fc_0.w_0@GRAD", "@GRAD", "fc_0.w_0@GRAD@RENAME@0", "fc_0.w_0.trainer_0", ".trainer_",
        "w.trainer_1.x", "fc_0.w_0.block0", ".block", "emb.block12.tail", "w@GRAD.block1"}) {
    CAPTURE(name);
    CHECK_FALSE(paddle_keeps(name));
  }
  for (const char* const name :
       {"", "fc_0.w_0", "w@grad", "GRAD", "w@ GRAD", "trainer_0", "w.trainer", "w.Trainer_0",
        "block1.w", "res_block.w", "w.blok", "w.bloc", "@.trainer.bloc", "moment1_0"}) {
    CAPTURE(name);
    CHECK(paddle_keeps(name));
  }
}

TEST_CASE("Paddle's rule takes a user's block for its own; the default keeps it") {
  static_assert(!ckpt::paddle_filter::keeps({"head.block1.w", dtype::f32, {4}}));
  static_assert(ckpt::keep_all::keeps({"head.block1.w", dtype::f32, {4}}));
  using dropped = ckpt::filtered_model_t<trained, ckpt::paddle_filter>;
  CHECK(ckpt::find_tensor(ckpt::view_of<dropped>(), "head.block1.w") == ckpt::npos);
  using kept = ckpt::filtered_model_t<trained, ckpt::keep_all>;
  static_assert(ckpt::index_of<kept>("head.block1.w") == 5);
}

TEST_CASE("a filter is an empty struct that can be asked about a tensor") {
  static_assert(ckpt::is_filter_v<ckpt::keep_all>);
  static_assert(ckpt::is_filter_v<ckpt::paddle_filter>);
  static_assert(ckpt::is_filter_v<only_trainable>);
  static_assert(!ckpt::is_filter_v<with_member>);
  static_assert(!ckpt::is_filter_v<not_static>);
  static_assert(!ckpt::is_filter_v<of_names>);
  static_assert(!ckpt::is_filter_v<int>);
}

TEST_CASE("the filtered model has the kept tensors as they are, in their order") {
  using kept = ckpt::filtered_model_t<trained, ckpt::paddle_filter>;
  static_assert(ckpt::is_static_model_v<kept>);
  static_assert(!ckpt::detail::has_visits<kept>::value);
  constexpr ckpt::model_view found = ckpt::view_of<kept>();
  constexpr ckpt::model_view wanted = ckpt::view_of<without_trained>();
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i].name() == wanted[i].name());
    CHECK(ckpt::have_same_form(found[i], wanted[i]));
    CHECK(found[i].purpose() == wanted[i].purpose());
    CHECK(found[i].stored_bytes(0) == wanted[i].stored_bytes(0));
    CHECK(found[i].stored_bytes(1) == wanted[i].stored_bytes(1));
  }
}

TEST_CASE("the layout of a filtered model is that of a model without the others") {
  using kept = ckpt::filtered_model_t<trained, ckpt::paddle_filter>;
  using found = ckpt::layout<kept, ckpt::adam, ckpt::v2>;
  using wanted = ckpt::layout<without_trained, ckpt::adam, ckpt::v2>;
  static_assert(found::file_bytes == wanted::file_bytes);
  for (std::size_t s = 0; s < 3; ++s) {
    CAPTURE(s);
    CHECK(test::bytes(found::view().head(s).begin(), found::view().head(s).end()) ==
          test::bytes(wanted::view().head(s).begin(), wanted::view().head(s).end()));
  }
}

TEST_CASE("keep_all leaves the model itself, and a run-time model has one type whatever is kept") {
  static_assert(std::is_same_v<ckpt::filtered_model_t<trained, ckpt::keep_all>, trained>);
  static_assert(std::is_same_v<ckpt::filtered_model_t<ckpt::dynamic_model, ckpt::keep_all>,
                               ckpt::dynamic_model>);
  static_assert(std::is_same_v<ckpt::filtered_model_t<ckpt::dynamic_model, ckpt::paddle_filter>,
                               ckpt::dynamic_model>);
}

TEST_CASE("visits are those of the kept tensors, by their new indices and as often") {
  using kept = ckpt::filtered_model_t<visited, not_from<'b'>>;
  static_assert(kept::tensors.size() == 4);
  static_assert(kept::visits.size() == 4);
  const std::vector<std::uint32_t> found(kept::visits.data(),
                                         kept::visits.data() + kept::visits.size());
  CHECK(found == std::vector<std::uint32_t>{3, 3, 2, 1});
  static_assert(ckpt::detail::visits_are_valid<kept>());
  // Without the absent tensor in front everything moves up.
  using stored = ckpt::filtered_model_t<visited, only_trainable>;
  CHECK(stored::visits.data()[0] == 3);
  CHECK(stored::visits.data()[4] == 0);
}

TEST_CASE("where nothing is left to visit, the filtered model has no visits") {
  using kept = ckpt::filtered_model_t<visited, input_only>;
  static_assert(kept::tensors.size() == 1);
  static_assert(!ckpt::detail::has_visits<kept>::value);
}

TEST_CASE("a visit of a tensor that does not exist stays one") {
  using kept = ckpt::filtered_model_t<badly_visited, not_from<'b'>>;
  static_assert(kept::visits.size() == 4);
  static_assert(!ckpt::detail::visits_are_valid<kept>());
}

TEST_CASE("of a model without tensors a filter keeps all there is") {
  using kept = ckpt::filtered_model_t<fixture::no_tensors, ckpt::paddle_filter>;
  static_assert(kept::tensors.size() == 0);
  static_assert(ckpt::layout<kept, ckpt::sgd>::file_bytes == 28);
}

TEST_CASE("a filter of a filtered model keeps what both keep") {
  using once = ckpt::filtered_model_t<trained, ckpt::paddle_filter>;
  using twice = ckpt::filtered_model_t<once, only_trainable>;
  static_assert(twice::tensors.size() == 2);
  static_assert(ckpt::index_of<twice>("fc_1.w_0") == 1);
}

TEST_CASE("the compiler filters a model of 10,000 tensors") {
  using kept = ckpt::filtered_model_t<large, ckpt::paddle_filter>;
  static_assert(kept::tensors.size() == 9000);
  for (std::size_t i = 0; i < 9000; ++i) {
    CAPTURE(i);
    REQUIRE(kept::tensors.specs[i].extents() == ckpt::shape{i + i / 9});
  }
}
