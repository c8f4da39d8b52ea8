#include "ckpt/checkpoint/load_by_name.hpp"

#include "ckpt/checkpoint/save.hpp"
#include "ckpt/checkpoint/state.hpp"
#include "scratch.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::match_rules;

namespace {

struct net {
  static constexpr auto tensors = ckpt::tensors({{"encoder.w", dtype::u8, {2, 3}},
                                                 {"encoder.b", dtype::u8, {3}},
                                                 {"head.w", dtype::u8, {5}}});
};

test::bytes repeated(int value, std::size_t count) {
  return test::bytes(count, static_cast<std::byte>(value));
}

/// Contents with a weight and a velocity for each tensor, filled with one value each.
class stored {
 public:
  stored() { file.set_optimizer("momentum", {"velocity"}); }

  void add(const std::string& name, const ckpt::shape& extents, int value) {
    const ckpt::tensor_form form(dtype::u8, extents);
    const auto size = static_cast<std::size_t>(form.byte_size());
    const std::size_t index =
        file.add(name, form, ckpt::role::trainable, file.keep(repeated(value, size)));
    file.set_slot(0, index, form, file.keep(repeated(value + 100, size)));
  }

  ckpt::contents file;
};

std::vector<std::string> names(const std::vector<ckpt::named_outcome>& list) {
  std::vector<std::string> all;
  for (const ckpt::named_outcome& tensor : list) all.push_back(tensor.name);
  return all;
}

using list = std::vector<std::string>;
using net_state = ckpt::state<net, ckpt::momentum>;

std::byte first_byte(const net_state& state, std::size_t index) {
  return state.weight_bytes(index)[0];
}

}  // namespace

TEST_CASE("a whole checkpoint is loaded by name in one call") {
  stored from;
  from.add("head.w", {5}, 3);
  from.add("encoder.b", {3}, 2);
  from.add("encoder.w", {2, 3}, 1);
  from.file.training.step = 77;
  net_state state;
  const auto report = ckpt::load_by_name(from.file, state);
  REQUIRE_MESSAGE(report.ok(), report.message());
  CHECK(names(report.loaded) == list{"encoder.w", "encoder.b", "head.w"});
  CHECK(report.weight_bytes == 14);
  CHECK(report.slot_bytes == 14);
  CHECK(report.training_loaded);
  CHECK(state.training.step == 77);
  CHECK(first_byte(state, 0) == std::byte{1});
  CHECK(state.slot_bytes(0, 2)[4] == std::byte{103});
  CHECK(report.message().empty());
}

TEST_CASE("D7 one message lists all missing and all unexpected names") {
  stored from;
  for (const char* name : {"fc_0.w", "fc_0.b", "fc_1.w", "fc_1.b"}) from.add(name, {4}, 1);
  ckpt::model_builder builder;
  for (const char* name : {"fc_2.w", "fc_2.b", "fc_3.w", "fc_3.b"})
    builder.add(name, dtype::u8, {4});
  ckpt::state<ckpt::dynamic_model, ckpt::momentum> state(builder.model());
  const auto report = ckpt::load_by_name(from.file, state);
  CHECK(report.error().kind == errc::missing_tensor);
  CHECK(test::mentions(report.message(), "missing: fc_2.w, fc_2.b, fc_3.w, fc_3.b"));
  CHECK(test::mentions(report.message(), "unexpected: fc_0.w, fc_0.b, fc_1.w, fc_1.b"));
  CHECK(names(report.missing) == list{"fc_2.w", "fc_2.b", "fc_3.w", "fc_3.b"});
  CHECK(state.weight_bytes(0)[0] == std::byte{0});
  const ckpt::rename_rule renames[] = {
      {"fc_0.w", "fc_2.w"}, {"fc_0.b", "fc_2.b"}, {"fc_1.w", "fc_3.w"}, {"fc_1.b", "fc_3.b"}};
  CHECK(ckpt::load_by_name(from.file, state, match_rules{}.renaming(renames)).ok());
  CHECK(state.weight_bytes(3)[3] == std::byte{1});
}

TEST_CASE("G2 the message names the tensor with both shapes") {
  stored from;
  from.add("encoder.w", {2, 3}, 1);
  from.add("encoder.b", {3}, 2);
  from.add("head.w", {4}, 3);
  net_state state;
  const auto report = ckpt::load_by_name(from.file, state);
  CHECK(report.error().kind == errc::shape_mismatch);
  CHECK(test::mentions(report.message(), "tensor 2 of the model is 'head.w'"));
  CHECK(test::mentions(report.message(), "expected 5, found 4"));
  CHECK(test::mentions(report.message(),
                       "mismatched: head.w (u8 [4] in the file, u8 [5] in the model)"));
  REQUIRE(report.mismatched.size() == 1);
  CHECK(report.mismatched[0].found.byte_size() == 4);
  CHECK(report.mismatched[0].expected.byte_size() == 5);
  CHECK(first_byte(state, 0) == std::byte{0});
}

TEST_CASE("G6 the message names the tensor that comes twice") {
  stored from;
  from.add("w", {4}, 1);
  from.add("x", {4}, 1);
  from.add("w", {4}, 1);
  net_state state;
  const auto report = ckpt::load_by_name(from.file, state, ckpt::whatever_fits);
  CHECK(report.error().kind == errc::duplicate_name);
  CHECK(test::mentions(report.message(), "tensor 2 of the file is 'w'"));
}

TEST_CASE("G8 fine-tuning is one line, and its table shows what was done") {
  stored from;
  from.add("backbone.w", {2, 3}, 1);
  from.add("backbone.b", {3}, 2);
  from.add("head.w", {9}, 3);
  net_state state;
  state.weight<2>()[0] = 55;
  const auto report = ckpt::load_by_name(
      from.file, state,
      match_rules{}.renaming_prefixes({{"backbone.", "encoder."}}).excluding({"head.*"}));
  REQUIRE_MESSAGE(report.ok(), report.message());
  CHECK(first_byte(state, 1) == std::byte{2});
  CHECK(first_byte(state, 2) == std::byte{55});
  CHECK(ckpt::to_table(report) ==
        "loaded      encoder.w  u8 [2, 3], called backbone.w in the file\n"
        "loaded      encoder.b  u8 [3], called backbone.b in the file\n"
        "excluded    head.w     u8 [5]\n"
        "2 loaded, 0 missing, 0 unexpected, 0 mismatched, 1 excluded\n");
  CHECK(report.loaded[0].name_in_file == "backbone.w");
}

TEST_CASE("after twenty names a message says how many more there are") {
  stored from;
  for (int i = 0; i < 25; ++i) from.add("t" + std::to_string(i), {4}, 1);
  ckpt::state<ckpt::dynamic_model, ckpt::momentum> state;
  const auto report = ckpt::load_by_name(from.file, state);
  CHECK(test::mentions(report.message(), ", t19 and 5 more"));
  CHECK(report.unexpected.size() == 25);
}

namespace {

struct reordered {
  static constexpr auto tensors = ckpt::tensors({{"head.w", dtype::u8, {5}},
                                                 {"encoder.w", dtype::u8, {2, 3}},
                                                 {"encoder.b", dtype::u8, {3}}});
};

/// Values by which tensor, section and element can be told.
template <class State>
void number(State& state) {
  for (std::size_t i = 0; i < state.model().size(); ++i) {
    for (std::byte& b : state.weight_bytes(i)) b = static_cast<std::byte>(10 + i);
    for (std::byte& b : state.slot_bytes(0, i)) b = static_cast<std::byte>(20 + i);
  }
  state.training = {/*step=*/9, /*epoch=*/1};
}

}  // namespace

TEST_CASE("D1 a file that knows its names is loaded into a model of another order") {
  const ckpt_test::scratch dir;
  net_state saved;
  number(saved);
  REQUIRE(ckpt::save<ckpt::onert_plus>(dir.at("a.ckpt"), saved).ok());
  ckpt::state<reordered, ckpt::momentum> state;
  const auto report = ckpt::load_by_name(dir.at("a.ckpt"), state);
  REQUIRE_MESSAGE(report.ok(), report.message());
  CHECK(state.weight_bytes(0)[0] == std::byte{12});
  CHECK(state.slot_bytes(0, 1)[5] == std::byte{20});
  CHECK(state.training.step == 9);
}

TEST_CASE("a file without names gets them from the model that the caller names") {
  const ckpt_test::scratch dir;
  net_state saved;
  number(saved);
  REQUIRE(ckpt::save(dir.at("a.ckpt"), saved).ok());
  ckpt::state<reordered, ckpt::momentum> state;
  const auto nameless = ckpt::load_by_name(dir.at("a.ckpt"), state);
  CHECK(nameless.error().kind != errc::ok);
  CHECK(test::mentions(nameless.message(), "a.ckpt"));
  CHECK(state.weight_bytes(0)[0] == std::byte{0});

  const ckpt::open_options known{ckpt::view_of<net>(), ckpt::view_of_optimizer<ckpt::momentum>()};
  const auto report = ckpt::load_by_name(dir.at("a.ckpt"), state, {}, known);
  REQUIRE_MESSAGE(report.ok(), report.message());
  CHECK(state.weight_bytes(0)[0] == std::byte{12});
  CHECK(state.slot_bytes(0, 2)[0] == std::byte{21});
}

TEST_CASE("a file that cannot be opened is named, and no list is made") {
  net_state state;
  const auto report = ckpt::load_by_name("no/such/file.ckpt", state);
  CHECK(report.error().kind == errc::not_found);
  CHECK(test::mentions(report.message(), "no/such/file.ckpt"));
  CHECK(report.missing.empty());
}

#if CKPT_EXCEPTIONS
TEST_CASE("a load by name that fails throws on request, with all names") {
  stored from;
  from.add("encoder.w", {2, 3}, 1);
  net_state state;
  try {
    ckpt::load_by_name(from.file, state).or_throw();
    FAIL("nothing was thrown");
  } catch (const ckpt::failure& failed) {
    CHECK(failed.reason().kind == errc::missing_tensor);
    CHECK(test::mentions(failed.what(), "missing: encoder.b, head.w"));
  }
}
#endif
