#include "ckpt/checkpoint/convert.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "ckpt/checkpoint/open_contents.hpp"
#include "ckpt/format/onert_micro.hpp"
#include "ckpt/format/v2.hpp"
#include "ckpt/io/memory.hpp"
#include "ckpt/model/optimizers.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::role;

namespace {

struct network {
  static constexpr auto tensors = ckpt::tensors(
      {{"a", dtype::f32, {3}}, {"fixed", dtype::u8, {5}, role::frozen}, {"b", dtype::f32, {3}}});
};
struct turned {
  static constexpr auto tensors = ckpt::tensors(
      {{"b", dtype::f32, {3}}, {"a", dtype::f32, {3}}, {"fixed", dtype::u8, {5}, role::frozen}});
};
struct graph {  // as onert-micro counts: an input comes first
  static constexpr auto tensors = ckpt::tensors({{"input", dtype::f32, {1, 3}, role::absent},
                                                 {"b", dtype::f32, {3}},
                                                 {"a", dtype::f32, {3}}});
};
struct pair {
  static constexpr auto tensors = ckpt::tensors({{"a", dtype::f32, {3}}, {"b", dtype::f32, {3}}});
};
/// Adam with its slots the other way round.
struct adam_turned {
  static constexpr std::size_t slot_count = 2;
  static constexpr ckpt::name_view slot_names[] = {"v", "m"};
};

template <class Format>
std::vector<std::byte> file_of(const ckpt::contents_view& contents) {
  const auto layout = ckpt::contents_layout<Format>::make(contents);
  REQUIRE(layout.ok());
  std::vector<std::byte> file;
  ckpt::vector_sink sink(file);
  REQUIRE(ckpt::write_contents<Format>(contents, layout->view(), sink).ok());
  CHECK(file.size() == layout->view().file_bytes);
  return file;
}

/// A state whose every byte is different from its neighbours, as a file.
template <class Model, class Optimizer, class Format>
std::vector<std::byte> sample_file() {
  test::owned_state<Model, Optimizer> state;
  state.fill(7);
  state.view.training = {12, 3};
  const auto bytes = test::written<Format>(state.view);
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

template <class Model, class Optimizer>
ckpt::result<ckpt::arranged_contents> arranged(const ckpt::contents& from,
                                               const ckpt::convert_rules& rules = {}) {
  return ckpt::arranged_contents::by_name(from.view(), ckpt::view_of<Model>(),
                                          ckpt::view_of_optimizer<Optimizer>(), rules);
}

}  // namespace

TEST_CASE("a checkpoint goes through every format and comes back byte for byte") {
  const auto first = sample_file<network, ckpt::adam, ckpt::onert>();
  const auto plain = ckpt::contents_of(first, {ckpt::view_of<network>(), {}});
  REQUIRE(plain.ok());
  const auto named = file_of<ckpt::onert_plus>(plain->view());
  CHECK(named == sample_file<network, ckpt::adam, ckpt::onert_plus>());
  const auto read = ckpt::contents_of(named);
  REQUIRE(read.ok());
  const auto second = file_of<ckpt::v2>(read->view());
  CHECK(second == sample_file<network, ckpt::adam, ckpt::v2>());
  const auto again = ckpt::contents_of(second);
  REQUIRE(again.ok());
  CHECK(file_of<ckpt::onert>(again->view()) == first);
}

TEST_CASE("D1 slots follow their weight by name into another order of tensors and of slots") {
  const auto file = sample_file<network, ckpt::adam, ckpt::v2>();
  const auto from = ckpt::contents_of(file);
  REQUIRE(from.ok());
  const auto made = arranged<turned, adam_turned>(*from);
  REQUIRE(made.ok());
  CHECK(made->view().bytes(1, 1).data() == from->view().bytes(2, 0).data());
  CHECK(made->view().bytes(2, 0).data() == from->view().bytes(1, 2).data());
  const auto back_file = file_of<ckpt::v2>(made->view());
  const auto there = ckpt::contents_of(back_file);
  REQUIRE(there.ok());
  const auto back = arranged<network, ckpt::adam>(*there);
  REQUIRE(back.ok());
  CHECK(file_of<ckpt::v2>(back->view()) == file);
}

TEST_CASE("SGD becomes Adam with zero slots, and Adam SGD without, only when that is said") {
  const auto sgd_file = sample_file<network, ckpt::sgd, ckpt::v2>();
  const auto sgd = ckpt::contents_of(sgd_file);
  REQUIRE(sgd.ok());
  CHECK(arranged<network, ckpt::adam>(*sgd).error().kind == errc::no_optimizer_state);
  ckpt::convert_rules rules;
  rules.zero_missing_slots = true;
  const auto adam = arranged<network, ckpt::adam>(*sgd, rules);
  REQUIRE(adam.ok());
  for (const std::byte byte : adam->view().bytes(2, 2)) CHECK(byte == std::byte{0});
  const auto adam_file = file_of<ckpt::v2>(adam->view());
  const auto full = ckpt::contents_of(adam_file);
  REQUIRE(full.ok());
  CHECK(arranged<network, ckpt::sgd>(*full).error().kind == errc::optimizer_mismatch);
  rules.drop_extra_slots = true;
  const auto dropped = arranged<network, ckpt::sgd>(*full, rules);
  REQUIRE(dropped.ok());
  CHECK(file_of<ckpt::v2>(dropped->view()) == sgd_file);
}

TEST_CASE("an index map leads from onert to onert-micro and back") {
  const auto file = sample_file<pair, ckpt::adam, ckpt::onert>();
  const auto from = ckpt::contents_of(file, {ckpt::view_of<pair>(), {}});
  REQUIRE(from.ok());
  const std::array<std::uint32_t, 3> there = {ckpt::no_tensor, 1, 0};
  const auto optimizer = ckpt::view_of_optimizer<ckpt::adam>();
  const auto micro =
      ckpt::arranged_contents::by_index(from->view(), ckpt::view_of<graph>(), optimizer, there);
  REQUIRE(micro.ok());
  const auto micro_file = file_of<ckpt::onert_micro>(micro->view());
  const auto found = ckpt::contents_of(micro_file, {ckpt::view_of<graph>(), {}});
  REQUIRE(found.ok());
  const std::array<std::uint32_t, 2> back = {2, 1};
  const auto plain =
      ckpt::arranged_contents::by_index(found->view(), ckpt::view_of<pair>(), optimizer, back);
  REQUIRE(plain.ok());
  CHECK(file_of<ckpt::onert>(plain->view()) == file);

  const std::array<std::uint32_t, 2> twice = {1, 1};
  const auto view = found->view();
  CHECK(ckpt::arranged_contents::by_index(view, ckpt::view_of<pair>(), optimizer, twice)
            .error()
            .kind == errc::duplicate_name);
  const std::array<std::uint32_t, 2> beyond = {1, 9};
  CHECK(ckpt::arranged_contents::by_index(view, ckpt::view_of<pair>(), optimizer, beyond)
            .error()
            .kind == errc::no_such_tensor);
}

TEST_CASE("what the target has no place for is not lost without a word") {
  const auto file = sample_file<network, ckpt::adam, ckpt::v2>();
  const auto from = ckpt::contents_of(file);
  REQUIRE(from.ok());
  CHECK(arranged<pair, ckpt::adam>(*from).error().kind == errc::unexpected_tensor);
  struct frozen_model {
    ckpt::tensor_spec specs[3] = {ckpt::tensor_spec("a", dtype::f32, {3}, role::frozen),
                                  ckpt::tensor_spec("fixed", dtype::u8, {5}, role::frozen),
                                  ckpt::tensor_spec("b", dtype::f32, {3})};
  };
  const frozen_model frozen;
  const ckpt::dynamic_model model(frozen.specs);
  const auto made = ckpt::arranged_contents::by_name(from->view(), model.view(),
                                                     ckpt::view_of_optimizer<ckpt::adam>());
  CHECK(made.error().kind == errc::role_mismatch);
  CHECK(made.error().tensor == 0);
}

TEST_CASE("the training state that a format cannot hold stops the conversion") {
  const auto file = sample_file<network, ckpt::sgd, ckpt::v2>();
  auto from = ckpt::contents_of(file);
  REQUIRE(from.ok());
  from->training.shuffle_seed = 5;
  const auto contents = from->view();
  const auto saved = ckpt::save_contents<ckpt::onert>("never_written.ckpt", contents);
  CHECK(saved.error().kind == errc::unstorable_values);
  ckpt::convert_rules rules;
  rules.drop_training_state = true;
  const auto made = arranged<network, ckpt::sgd>(*from, rules);
  REQUIRE(made.ok());
  CHECK(file_of<ckpt::onert>(made->view()) == sample_file<network, ckpt::sgd, ckpt::onert>());
}

TEST_CASE("more slots than a format holds are refused before anything is written") {
  const auto file = sample_file<network, ckpt::amsgrad, ckpt::v2>();
  const auto from = ckpt::contents_of(file);
  REQUIRE(from.ok());
  const auto saved = ckpt::save_contents<ckpt::onert>("never_written.ckpt", from->view());
  CHECK(saved.error().kind == errc::optimizer_mismatch);
}
