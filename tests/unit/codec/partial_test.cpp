#include "ckpt/codec/partial.hpp"

#include <map>
#include <set>

#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::match_outcome;
using ckpt::match_rules;
using ckpt::role;
using ckpt::tensor_spec;

namespace {

using names = std::vector<std::string>;
using model_table = std::vector<tensor_spec>;

ckpt::model_view seen(const model_table& table) {
  return {ckpt::span<const tensor_spec>(table), {}};
}

/// A name that outlives every model.
ckpt::name_view lasting(const std::string& name) {
  static std::set<std::string> all;
  return *all.insert(name).first;
}

model_table floats(const names& called) {
  model_table specs;
  for (const std::string& name : called)
    specs.push_back(tensor_spec::named(lasting(name), dtype::f32, {2, 2}));
  return specs;
}

/// A checkpoint in memory: random bytes for every weight and slot.
template <class Optimizer>
class held {
 public:
  held(const model_table& table, std::uint64_t seed) : table_(table), state(seen(table_)) {
    state.fill(seed);
    for (const test::bytes& payload : state.memory) payloads_.push_back(test::view(payload));
    view.model = seen(table_);
    view.optimizer = ckpt::view_of_optimizer<Optimizer>();
    view.payloads = payloads_;
    view.training = state.view.training;
  }
  held(const held&) = delete;
  held& operator=(const held&) = delete;

 private:
  model_table table_;
  std::vector<ckpt::bytes_view> payloads_;

 public:
  test::owned_state<ckpt::dynamic_model, Optimizer> state;
  ckpt::contents_view view;
};

/// A state to be loaded, what was in it before, and the report with its memory.
template <class Optimizer>
class target {
 public:
  target(const model_table& table, std::uint64_t seed) : table_(table), state(seen(table_)) {
    state.fill(seed);
    before = state.memory;
    training_before = state.view.training;
  }
  target(const target&) = delete;
  target& operator=(const target&) = delete;

  const ckpt::partial_report& load(const ckpt::contents_view& source,
                                   const match_rules& rules = {}) {
    memory_.assign(ckpt::match_entries_needed(source.model, seen(table_), rules), {});
    // Payloads are compared as bytes, so nothing is to be turned round on any host.
    report = ckpt::load_by_name<ckpt::byte_order::little>(source, state.view, rules,
                                                          ckpt::span<ckpt::match_entry>(memory_));
    return report;
  }

  names list(match_outcome outcome) const {
    names found;
    for (const ckpt::match_entry& entry : report.list(outcome))
      found.emplace_back(report.name(entry));
    return found;
  }

  bool is_untouched() const {
    return state.memory == before && state.view.training == training_before;
  }
  const test::bytes& old(std::size_t section, const std::string& name) const {
    return before[place(section, name)];
  }
  const test::bytes& now(std::size_t section, const std::string& name) const {
    return state.memory[place(section, name)];
  }

 private:
  std::size_t place(std::size_t section, const std::string& name) const {
    const std::size_t index = ckpt::find_tensor(seen(table_), name);
    REQUIRE(index != ckpt::npos);
    return section * table_.size() + index;
  }

  model_table table_;
  std::vector<ckpt::match_entry> memory_;

 public:
  test::owned_state<ckpt::dynamic_model, Optimizer> state;
  ckpt::partial_report report{ckpt::match_plan{}};
  std::vector<test::bytes> before;
  ckpt::training_state training_before;
};

template <class Optimizer>
test::bytes bytes_of(const held<Optimizer>& file, std::size_t section, const std::string& name) {
  const ckpt::bytes_view stored =
      file.view.bytes(section, ckpt::find_tensor(file.view.model, name));
  return test::bytes(stored.begin(), stored.end());
}

names numbered(const std::string& prefix, int first, int last) {
  names all;
  for (int i = first; i < last; ++i) all.push_back(prefix + std::to_string(i));
  return all;
}

bool is_zero(const test::bytes& payload) {
  return payload == test::bytes(payload.size());
}

}  // namespace

TEST_CASE("D1 weights and slots arrive by name, whatever the order of the tensors") {
  const held<ckpt::adam> file(floats({"a", "b"}), 1);
  target<ckpt::adam> to(floats({"b", "a"}), 2);
  REQUIRE(to.load(file.view).ok());
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(to.now(s, "a") == bytes_of(file, s, "a"));
    CHECK(to.now(s, "b") == bytes_of(file, s, "b"));
  }
  CHECK(to.report.weight_bytes == 32);
  CHECK(to.report.slot_bytes == 64);
  CHECK(to.report.training_loaded);
  CHECK(to.state.view.training == file.view.training);
}

TEST_CASE("D1 taking tensors by position is another call, which compares number and sizes") {
  const held<ckpt::adam> file(floats({"a", "b"}), 1);
  const model_table renamed = floats({"b", "a"});
  const ckpt::match_side by_position{seen(renamed), ckpt::view_of_optimizer<ckpt::adam>()};
  const auto named = ckpt::named_as(file.view, by_position);
  REQUIRE(named.ok());
  target<ckpt::adam> to(renamed, 2);
  REQUIRE(to.load(*named).ok());
  CHECK(to.now(0, "b") == bytes_of(file, 0, "a"));

  const model_table fewer = floats({"a"});
  CHECK(ckpt::named_as(file.view, {seen(fewer), by_position.optimizer}).error().kind ==
        errc::count_mismatch);
  CHECK(ckpt::named_as(file.view, {seen(renamed), {}}).error().kind == errc::optimizer_mismatch);
  const model_table larger{{"a", dtype::f32, {2, 2}}, {"b", dtype::f32, {5}}};
  CHECK(ckpt::named_as(file.view, {seen(larger), by_position.optimizer}).error().kind ==
        errc::size_mismatch);
}

TEST_CASE("D7 one failure lists all 4 missing and all 4 unexpected names and changes nothing") {
  const held<ckpt::sgd> file(floats({"w_0", "b_0", "w_1", "b_1"}), 1);
  target<ckpt::sgd> to(floats({"w_2", "b_2", "w_3", "b_3"}), 2);
  CHECK(to.load(file.view).error().kind == errc::missing_tensor);
  CHECK(to.list(match_outcome::missing) == names{"w_2", "b_2", "w_3", "b_3"});
  CHECK(to.list(match_outcome::unexpected) == names{"w_0", "b_0", "w_1", "b_1"});
  CHECK(to.is_untouched());

  match_rules rules;
  rules.renames = {{"w_0", "w_2"}, {"b_0", "b_2"}, {"w_1", "w_3"}, {"b_1", "b_3"}};
  REQUIRE(to.load(file.view, rules).ok());
  CHECK(to.now(0, "b_3") == bytes_of(file, 0, "b_1"));
}

TEST_CASE("G1 12 layers of 16: strict fails with the 4 names, partial loads 12 and leaves 4") {
  const held<ckpt::momentum> file(floats(numbered("layer.", 0, 12)), 1);
  target<ckpt::momentum> to(floats(numbered("layer.", 0, 16)), 2);
  CHECK(to.load(file.view).error().kind == errc::missing_tensor);
  CHECK(to.list(match_outcome::missing) == numbered("layer.", 12, 16));
  CHECK(to.is_untouched());

  REQUIRE(to.load(file.view, ckpt::may_lack).ok());
  CHECK(to.list(match_outcome::loaded) == numbered("layer.", 0, 12));
  CHECK(to.list(match_outcome::missing) == numbered("layer.", 12, 16));
  for (std::size_t s = 0; s < 2; ++s) {
    for (const std::string& name : numbered("layer.", 0, 12))
      CHECK(to.now(s, name) == bytes_of(file, s, name));
    for (const std::string& name : numbered("layer.", 12, 16))
      CHECK(to.now(s, name) == to.old(s, name));
  }
  CHECK_FALSE(to.report.training_loaded);
}

TEST_CASE("G1 16 layers for 12: strict fails with the 4 names, partial loads the 12") {
  const held<ckpt::momentum> file(floats(numbered("layer.", 0, 16)), 1);
  target<ckpt::momentum> to(floats(numbered("layer.", 0, 12)), 2);
  CHECK(to.load(file.view).error().kind == errc::unexpected_tensor);
  CHECK(to.list(match_outcome::unexpected) == numbered("layer.", 12, 16));
  CHECK(to.is_untouched());
  REQUIRE(to.load(file.view, ckpt::common_names).ok());
  CHECK(to.list(match_outcome::loaded).size() == 12);
  CHECK(to.now(1, "layer.11") == bytes_of(file, 1, "layer.11"));
}

TEST_CASE("G2 one tensor of another size: strict names it, skipping leaves it untouched") {
  model_table wanted;
  for (const std::string& name : numbered("t", 0, 9))
    wanted.push_back(tensor_spec::named(lasting(name), dtype::f32, {10, 10}));
  model_table stored = wanted;
  stored.insert(stored.begin() + 4, {"head", dtype::f32, {10, 10}});
  wanted.push_back({"head", dtype::f32, {15, 10}});
  const held<ckpt::sgd> file(stored, 1);
  target<ckpt::sgd> to(wanted, 2);
  const ckpt::status error = to.load(file.view, ckpt::common_names).error();
  CHECK(error.kind == errc::shape_mismatch);
  CHECK(error.tensor == 9);
  CHECK(error.found == 400);
  CHECK(error.expected == 600);
  CHECK(to.is_untouched());

  REQUIRE(to.load(file.view, ckpt::whatever_fits).ok());
  CHECK(to.report.loaded().size() == 9);
  CHECK(to.list(match_outcome::mismatched) == names{"head"});
  CHECK(to.now(0, "head") == to.old(0, "head"));
  CHECK(to.now(0, "t8") == bytes_of(file, 0, "t8"));
}

namespace {

/// Which of the letters a model has, and whether in the larger size.
std::map<std::string, bool> random_names(test::random_numbers& numbers) {
  std::map<std::string, bool> all;
  for (char letter = 'a'; letter <= 'j'; ++letter)
    if (numbers.below(2) == 0) all[std::string(1, letter)] = numbers.below(4) == 0;
  return all;
}

model_table shuffled(const std::map<std::string, bool>& model, test::random_numbers& numbers) {
  model_table table;
  for (const auto& [name, is_large] : model)
    table.push_back(tensor_spec::named(lasting(name), dtype::u8, {is_large ? 7U : 5U}));
  for (std::size_t i = table.size(); i > 1; --i)
    std::swap(table[i - 1], table[static_cast<std::size_t>(numbers.below(i))]);
  return table;
}

match_outcome outcome_by_hand(const std::map<std::string, bool>& file,
                              const std::map<std::string, bool>& model, const std::string& name) {
  if (file.count(name) == 0) return match_outcome::missing;
  if (model.count(name) == 0) return match_outcome::unexpected;
  return file.at(name) == model.at(name) ? match_outcome::loaded : match_outcome::mismatched;
}

}  // namespace

TEST_CASE("G4 1000 random pairs: every tensor is in the list where it belongs, every byte right") {
  test::random_numbers numbers(44);
  for (int round = 0; round < 1000; ++round) {
    CAPTURE(round);
    const auto stored = random_names(numbers);
    const auto wanted = random_names(numbers);
    const held<ckpt::momentum> file(shuffled(stored, numbers), 100 + numbers.next());
    target<ckpt::momentum> to(shuffled(wanted, numbers), numbers.next());
    REQUIRE(to.load(file.view, ckpt::whatever_fits).ok());

    std::map<std::string, match_outcome> expected;
    for (const auto& model : {stored, wanted})
      for (const auto& [name, is_large] : model)
        expected[name] = outcome_by_hand(stored, wanted, name);
    std::map<std::string, match_outcome> found;
    for (const ckpt::match_entry& entry : to.report.entries())
      CHECK(found.emplace(std::string(to.report.name(entry)), entry.outcome).second);
    CHECK(found == expected);
    CHECK(to.report.loaded().size() + to.report.missing().size() + to.report.mismatched().size() ==
          wanted.size());
    CHECK(to.report.loaded().size() + to.report.unexpected().size() +
              to.report.mismatched().size() ==
          stored.size());
    for (const auto& [name, is_large] : wanted)
      for (std::size_t s = 0; s < 2; ++s)
        CHECK(to.now(s, name) == (expected.at(name) == match_outcome::loaded
                                      ? bytes_of(file, s, name)
                                      : to.old(s, name)));
  }
}

TEST_CASE("G6 a name that comes twice is refused and nothing is touched") {
  const held<ckpt::sgd> file(floats({"w", "x", "w"}), 1);
  target<ckpt::sgd> to(floats({"w", "x"}), 2);
  const ckpt::status error = to.load(file.view, ckpt::whatever_fits).error();
  CHECK(error.kind == errc::duplicate_name);
  CHECK(file.view.model[error.tensor].name() == "w");
  CHECK(to.is_untouched());
}

TEST_CASE("G8 everything but the head, under other names") {
  const held<ckpt::adam> file(floats({"backbone.0.w", "backbone.0.b", "head.w", "head.b"}), 1);
  target<ckpt::adam> to(floats({"head.w", "head.b", "encoder.0.w", "encoder.0.b"}), 2);
  const auto& report =
      to.load(file.view,
              match_rules{}.renaming_prefixes({{"backbone.", "encoder."}}).excluding({"head.*"}));
  REQUIRE(report.ok());
  CHECK(to.list(match_outcome::loaded) == names{"encoder.0.w", "encoder.0.b"});
  CHECK(to.list(match_outcome::excluded) == names{"head.w", "head.b"});
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(to.now(s, "encoder.0.w") == bytes_of(file, s, "backbone.0.w"));
    CHECK(to.now(s, "encoder.0.b") == bytes_of(file, s, "backbone.0.b"));
    CHECK(to.now(s, "head.w") == to.old(s, "head.w"));
    CHECK(to.now(s, "head.b") == to.old(s, "head.b"));
  }
  CHECK_FALSE(report.training_loaded);
  CHECK(to.state.view.training == to.training_before);
}

TEST_CASE("G10 tensors without elements are loaded by name like others") {
  for (std::size_t empty = 0; empty < 3; ++empty) {
    CAPTURE(empty);
    model_table table = floats({"x", "y", "z"});
    table[empty] = tensor_spec("nothing", dtype::f32, {0, 4});
    const held<ckpt::adam> file(table, 1);
    std::swap(table[0], table[2]);
    target<ckpt::adam> to(table, 2);
    REQUIRE(to.load(file.view).ok());
    CHECK(to.report.loaded().size() == 3);
    for (const tensor_spec& tensor : table)
      for (std::size_t s = 0; s < 3; ++s)
        CHECK(to.now(s, std::string(tensor.name())) ==
              bytes_of(file, s, std::string(tensor.name())));
  }
}

namespace {

template <dtype Type>
struct narrow_momentum {
  static constexpr std::size_t slot_count = 1;
  static constexpr ckpt::name_view slot_names[] = {"velocity"};
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight) {
    return ckpt::tensor_form(Type, weight.extents());
  }
};

template <class From, class To>
void check_not_cast(std::uint64_t found, std::uint64_t expected) {
  const held<From> file(floats({"a"}), 1);
  target<To> to(floats({"a"}), 2);
  const ckpt::status error = to.load(file.view).error();
  CHECK(error.kind == errc::dtype_mismatch);
  CHECK(error.part == ckpt::slot_section(0));
  CHECK(error.found == found);
  CHECK(error.expected == expected);
  CHECK(to.is_untouched());
  REQUIRE(to.load(file.view, ckpt::whatever_fits).ok());
  CHECK(to.report.mismatched().size() == 1);
  CHECK(to.is_untouched());
}

}  // namespace

TEST_CASE("N3 a moment in half precision is never cast to f32, nor the reverse") {
  using half = narrow_momentum<dtype::f16>;
  using brain = narrow_momentum<dtype::bf16>;
  check_not_cast<half, ckpt::momentum>(8, 16);
  check_not_cast<ckpt::momentum, half>(16, 8);
  check_not_cast<brain, ckpt::momentum>(8, 16);
  check_not_cast<half, brain>(8, 8);
  const held<half> file(floats({"a"}), 1);
  target<half> to(floats({"a"}), 2);
  REQUIRE(to.load(file.view).ok());
  CHECK(to.now(1, "a") == bytes_of(file, 1, "a"));
}

namespace {

struct swapped_adam {
  static constexpr std::size_t slot_count = 2;
  static constexpr ckpt::name_view slot_names[] = {"v", "m"};
};

}  // namespace

TEST_CASE("slots go to the slots of the same name") {
  const held<ckpt::adam> file(floats({"a", "b"}), 1);
  target<swapped_adam> to(floats({"b", "a"}), 2);
  REQUIRE(to.load(file.view).ok());
  CHECK(to.now(1, "a") == bytes_of(file, 2, "a"));
  CHECK(to.now(2, "a") == bytes_of(file, 1, "a"));
  CHECK(to.now(1, "b") == bytes_of(file, 2, "b"));
}

TEST_CASE("cold slots are zeroed only where the weight is loaded") {
  const held<ckpt::sgd> file(floats({"a"}), 1);
  target<ckpt::adam> to(floats({"b", "a"}), 2);
  CHECK(to.load(file.view, ckpt::may_lack).error().kind == errc::no_optimizer_state);
  CHECK(to.is_untouched());
  REQUIRE(to.load(file.view, ckpt::may_lack.with_slots(ckpt::slot_rule::cold)).ok());
  CHECK(to.report.cold_bytes == 32);
  CHECK(to.report.slot_bytes == 0);
  CHECK(to.now(0, "a") == bytes_of(file, 0, "a"));
  CHECK(is_zero(to.now(1, "a")));
  CHECK(is_zero(to.now(2, "a")));
  for (std::size_t s = 0; s < 3; ++s) CHECK(to.now(s, "b") == to.old(s, "b"));
}

TEST_CASE("D8 weights alone load from a file of any optimizer, and its slots stay aside") {
  const held<ckpt::momentum> file(floats({"a"}), 1);
  target<ckpt::adam> to(floats({"a"}), 2);
  const ckpt::status error = to.load(file.view).error();
  CHECK(error.kind == errc::optimizer_mismatch);
  CHECK(error.expected == 2);
  CHECK(error.found == 1);
  CHECK(to.is_untouched());
  REQUIRE(to.load(file.view, match_rules{}.with_slots(ckpt::slot_rule::untouched)).ok());
  CHECK(to.now(0, "a") == bytes_of(file, 0, "a"));
  CHECK(to.now(1, "a") == to.old(1, "a"));
  CHECK_FALSE(to.report.training_loaded);
}

TEST_CASE("step and epoch come with a whole state, or as asked for") {
  const held<ckpt::sgd> file(floats({"a", "b"}), 1);
  const auto taken = [&](const names& model, const match_rules& rules) {
    target<ckpt::sgd> to(floats(model), 2);
    REQUIRE(to.load(file.view, rules).ok());
    CHECK(to.report.training_loaded == (to.state.view.training == file.view.training));
    CHECK(to.report.training_loaded == (to.state.view.training != to.training_before));
    return to.report.training_loaded;
  };
  CHECK(taken({"b", "a"}, match_rules{}));
  CHECK(taken({"b"}, ckpt::common_names));
  CHECK(taken({"b", "a"}, match_rules{}.with_slots(ckpt::slot_rule::cold)));
  CHECK_FALSE(taken({"b", "a"}, match_rules{}.with_slots(ckpt::slot_rule::untouched)));
  CHECK_FALSE(taken({"a", "c"}, ckpt::common_names));
  CHECK_FALSE(taken({"a", "b"}, match_rules{}.excluding({"b"})));
  CHECK_FALSE(taken({"a", "b"}, match_rules{}.taking_rows({{"a", 0, 2}})));
  CHECK(taken({"a", "c"}, ckpt::common_names.with_training(ckpt::training_rule::always)));
  CHECK_FALSE(taken({"a", "b"}, match_rules{}.with_training(ckpt::training_rule::never)));
}

TEST_CASE("the user's values come with step and epoch, if there is room for them") {
  ckpt::value_storage<64> stored;
  REQUIRE(stored.set_integer("seed", 7).ok());
  held<ckpt::sgd> file(floats({"a"}), 1);
  file.view.values = stored;
  target<ckpt::sgd> to(floats({"a"}), 2);
  ckpt::value_storage<8> small;
  to.state.view.user_values = &small;
  CHECK(to.load(file.view).error().kind == errc::buffer_too_small);
  CHECK(to.is_untouched());
  ckpt::value_storage<64> enough;
  to.state.view.user_values = &enough;
  REQUIRE(to.load(file.view).ok());
  CHECK(*enough.integer("seed") == 7);
  to.state.view.user_values = &small;
  CHECK(to.load(file.view, match_rules{}.with_training(ckpt::training_rule::never)).ok());
}

TEST_CASE("a tensor that would be loaded and is not bound is named before anything is touched") {
  const held<ckpt::adam> file(floats({"a", "b"}), 1);
  const model_table table = floats({"a", "b"});
  test::owned_state<ckpt::dynamic_model, ckpt::adam> source(seen(table));
  std::byte* pointers[6] = {};
  const ckpt::dynamic_model live{ckpt::span<const tensor_spec>(table)};
  ckpt::state_view<ckpt::dynamic_model, ckpt::adam> state(live, pointers);
  test::bytes memory(5 * 16);
  for (std::size_t k = 0; k < 5; ++k) {
    const ckpt::bytes_span part(memory.data() + 16 * k, 16);
    REQUIRE((k < 2 ? state.bind_weight(k, part) : state.bind_slot(k / 2 - 1, k % 2, part)).ok());
  }
  ckpt::match_entry entries[4];
  const auto load = [&](const match_rules& rules) {
    return ckpt::load_by_name(file.view, state, rules, ckpt::span<ckpt::match_entry>(entries));
  };
  const ckpt::partial_report failed = load({});
  CHECK(failed.error().kind == errc::unbound_tensor);
  CHECK(failed.error().part == ckpt::slot_section(1));
  CHECK(failed.error().tensor == 1);
  CHECK(failed.loaded().size() == 2);
  CHECK(is_zero(memory));
  CHECK(load(match_rules{}.excluding({"b"})).ok());
  CHECK(load(match_rules{}.with_slots(ckpt::slot_rule::untouched)).ok());
}

TEST_CASE("contents that contradict themselves are refused") {
  held<ckpt::momentum> file(floats({"a", "b"}), 1);
  target<ckpt::momentum> to(floats({"a", "b"}), 2);
  ckpt::bytes_view payloads[4];
  for (std::size_t k = 0; k < 4; ++k) payloads[k] = file.view.payloads[k];
  file.view.payloads = ckpt::span<const ckpt::bytes_view>(payloads, 3);
  CHECK(to.load(file.view).error().kind == errc::count_mismatch);
  file.view.payloads = ckpt::span<const ckpt::bytes_view>(payloads, 4);
  payloads[3] = payloads[3].part(0, 15);
  CHECK(to.load(file.view, ckpt::whatever_fits).error().kind == errc::size_mismatch);
  CHECK(to.is_untouched());
}

TEST_CASE("elements are turned round for a big-endian host, each by its own width") {
  const model_table table{{"w", dtype::f32, {2}}, {"h", dtype::f64, {1}}, {"b", dtype::u8, {3}}};
  const held<narrow_momentum<dtype::f16>> file(table, 1);
  test::owned_state<ckpt::dynamic_model, narrow_momentum<dtype::f16>> to(seen(table));
  ckpt::match_entry entries[6];
  const auto report = ckpt::load_by_name<ckpt::byte_order::big>(
      file.view, to.view, match_rules{}, ckpt::span<ckpt::match_entry>(entries));
  REQUIRE(report.ok());
  const auto turned = [](test::bytes payload, std::size_t width) {
    ckpt::reverse_elements(ckpt::bytes_span(payload.data(), payload.size()), width);
    return payload;
  };
  CHECK(to.payload(0, 0) == turned(bytes_of(file, 0, "w"), 4));
  CHECK(to.payload(0, 1) == turned(bytes_of(file, 0, "h"), 8));
  CHECK(to.payload(0, 2) == bytes_of(file, 0, "b"));
  CHECK(to.payload(1, 0) == turned(bytes_of(file, 1, "w"), 2));
  CHECK(to.payload(0, 0) != bytes_of(file, 0, "w"));
}

TEST_CASE("OneFlow: load_variables leaves what the file does not name and refuses what it does") {
  const held<ckpt::sgd> file(floats({"dense1", "dense2"}), 1);
  target<ckpt::sgd> extended(floats({"dense1", "dense2", "dense3"}), 2);
  CHECK(extended.load(file.view, ckpt::may_lack).ok());
  CHECK(extended.now(0, "dense3") == extended.old(0, "dense3"));
  target<ckpt::sgd> reduced(floats({"dense1"}), 2);
  CHECK(reduced.load(file.view, ckpt::may_lack).error().kind == errc::unexpected_tensor);
}

TEST_CASE("OneFlow: load_variables with ignore_mismatch skips names, but no other shape") {
  const held<ckpt::sgd> file(floats({"dense1", "dense2"}), 1);
  target<ckpt::sgd> to(floats({"dense1", "dense3"}), 2);
  CHECK(to.load(file.view, ckpt::common_names).ok());
  CHECK(to.now(0, "dense1") == bytes_of(file, 0, "dense1"));
  const model_table wider{{"dense1", dtype::f32, {2, 3}}};
  target<ckpt::sgd> other(wider, 2);
  CHECK(other.load(file.view, ckpt::common_names).error().kind == errc::shape_mismatch);
  CHECK(other.is_untouched());
}

TEST_CASE("OneFlow: variables of two files are merged under new keys") {
  const held<ckpt::sgd> first(floats({"x", "y", "z"}), 1);
  const held<ckpt::sgd> second(floats({"x", "y", "z"}), 2);
  target<ckpt::sgd> to(floats({"x", "y", "other"}), 3);
  REQUIRE(to.load(first.view, ckpt::picking({{"z", "x"}})).ok());
  REQUIRE(to.load(second.view, ckpt::picking({{"x", "y"}})).ok());
  CHECK(to.now(0, "x") == bytes_of(first, 0, "z"));
  CHECK(to.now(0, "y") == bytes_of(second, 0, "x"));
  CHECK(to.now(0, "other") == to.old(0, "other"));
}

TEST_CASE("OneFlow: one variable is loaded") {
  const held<ckpt::sgd> file(floats({"x", "y"}), 1);
  target<ckpt::sgd> to(floats({"y", "x"}), 2);
  REQUIRE(to.load(file.view, match_rules{}.including({"y"})).ok());
  CHECK(to.now(0, "y") == bytes_of(file, 0, "y"));
  CHECK(to.now(0, "x") == to.old(0, "x"));
}

TEST_CASE("OneFlow: a slice by leading rows is loaded, and its slots with it") {
  const model_table stored{{"emb", dtype::f32, {10, 3}}, {"b", dtype::f32, {3}}};
  const model_table wanted{{"emb", dtype::f32, {4, 3}}, {"b", dtype::f32, {3}}};
  const held<ckpt::adam> file(stored, 1);
  target<ckpt::adam> to(wanted, 2);
  CHECK(to.load(file.view).error().kind == errc::shape_mismatch);
  CHECK(to.is_untouched());
  REQUIRE(to.load(file.view, match_rules{}.taking_rows({{"emb", 5, 9}})).ok());
  for (std::size_t s = 0; s < 3; ++s) {
    const test::bytes all = bytes_of(file, s, "emb");
    CHECK(to.now(s, "emb") == test::bytes(all.begin() + 5 * 12, all.begin() + 9 * 12));
    CHECK(to.now(s, "b") == bytes_of(file, s, "b"));
  }
}

TEST_CASE("slices of no rows, and of tensors whose rows are empty") {
  const model_table stored{{"a", dtype::f32, {3, 2}}, {"b", dtype::f32, {3, 0}}};
  const model_table wanted{{"a", dtype::f32, {0, 2}}, {"b", dtype::f32, {2, 0}}};
  const held<ckpt::adam> file(stored, 1);
  target<ckpt::adam> to(wanted, 2);
  CHECK(to.load(file.view, match_rules{}.taking_rows({{"a", 3, 3}, {"b", 1, 3}})).ok());
}

TEST_CASE("a slot of rows is cut with its weight, a slot of columns is taken whole") {
  const model_table stored{{"a", dtype::f32, {6, 4}}};
  const model_table wanted{{"a", dtype::f32, {2, 4}}};
  const held<ckpt::adafactor> file(stored, 1);
  target<ckpt::adafactor> to(wanted, 2);
  REQUIRE(to.load(file.view, match_rules{}.taking_rows({{"a", 4, 6}})).ok());
  const test::bytes rows = bytes_of(file, 1, "a");
  CHECK(to.now(1, "a") == test::bytes(rows.begin() + 16, rows.begin() + 24));
  CHECK(to.now(2, "a") == bytes_of(file, 2, "a"));
}

namespace {

struct base_net {
  static constexpr auto tensors = ckpt::tensors({{"backbone.w", dtype::u8, {4, 3}},
                                                 {"backbone.b", dtype::u8, {4}},
                                                 {"head.w", dtype::u8, {10}}});
};
struct tuned_net {
  static constexpr auto tensors = ckpt::tensors({{"head.w", dtype::u8, {15}},
                                                 {"encoder.b", dtype::u8, {4}},
                                                 {"encoder.w", dtype::u8, {4, 3}}});
};
constexpr match_rules fine_tuning =
    match_rules{}.renaming_prefixes({{"backbone.", "encoder."}}).excluding({"head.*"});
using plan = ckpt::static_match<base_net, tuned_net, fine_tuning, ckpt::adam>;

model_table table_of(const ckpt::model_view& model) {
  return model_table(model.begin(), model.end());
}

}  // namespace

TEST_CASE("a plan of the compiler loads the same as one of run time") {
  const held<ckpt::adam> file(table_of(ckpt::view_of<base_net>()), 1);
  test::owned_state<tuned_net, ckpt::adam> by_plan;
  test::owned_state<tuned_net, ckpt::adam> by_name;
  by_plan.fill(2);
  by_name.fill(2);
  const auto planned = ckpt::load_by_plan<plan>(file.view, by_plan.view);
  REQUIRE(planned.ok());
  CHECK(planned.loaded().size() == 2);
  ckpt::match_entry entries[6];
  const auto named = ckpt::load_by_name(file.view, by_name.view, fine_tuning,
                                        ckpt::span<ckpt::match_entry>(entries));
  REQUIRE(named.ok());
  CHECK(by_plan.memory == by_name.memory);
  CHECK(by_plan.payload(2, 2) == bytes_of(file, 2, "backbone.w"));
}

TEST_CASE("a plan of the compiler refuses a file of another model") {
  const auto error = [](const model_table& stored) {
    const held<ckpt::adam> file(stored, 1);
    test::owned_state<tuned_net, ckpt::adam> to;
    to.fill(2);
    const auto before = to.memory;
    const auto report = ckpt::load_by_plan<plan>(file.view, to.view);
    CHECK((report.ok() || to.memory == before));
    return report.error().kind;
  };
  model_table stored = table_of(ckpt::view_of<base_net>());
  CHECK(error(stored) == errc::ok);
  std::swap(stored[0], stored[1]);
  CHECK(error(stored) == errc::name_mismatch);
  stored = table_of(ckpt::view_of<base_net>());
  stored[2] = {"head.w", dtype::i8, {10}};
  CHECK(error(stored) == errc::dtype_mismatch);
  stored[2] = {"head.w", dtype::u8, {11}};
  CHECK(error(stored) == errc::shape_mismatch);
  stored[2] = {"head.w", dtype::u8, {10}, role::frozen};
  CHECK(error(stored) == errc::role_mismatch);
  stored.pop_back();
  CHECK(error(stored) == errc::count_mismatch);
  const held<ckpt::momentum> other(table_of(ckpt::view_of<base_net>()), 1);
  test::owned_state<tuned_net, ckpt::adam> to;
  CHECK(ckpt::load_by_plan<plan>(other.view, to.view).error().kind == errc::optimizer_mismatch);
}
