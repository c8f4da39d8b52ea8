#include "ckpt/model/match.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ckpt/model/match_lines.hpp"
#include "ckpt/model/static_match.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::match_outcome;
using ckpt::match_rules;
using ckpt::role;
using ckpt::section;
using ckpt::shape;
using ckpt::tensor_spec;

namespace {

using names = std::vector<std::string>;

/// Two models of run time, and a plan between them with its memory.
class matched {
 public:
  matched(std::vector<tensor_spec> file, std::vector<tensor_spec> model,
          const match_rules& rules = {}, const ckpt::optimizer_view& file_optimizer = {},
          const ckpt::optimizer_view& optimizer = {})
      : file_(std::move(file)), model_(std::move(model)) {
    const ckpt::match_side from{{ckpt::span<const tensor_spec>(file_), {}}, file_optimizer};
    const ckpt::match_side to{{ckpt::span<const tensor_spec>(model_), {}}, optimizer};
    memory_.resize(ckpt::match_entries_needed(from.model, to.model, rules));
    plan = ckpt::match_by_name(from, to, rules, ckpt::span<ckpt::match_entry>(memory_));
  }

  names list(match_outcome outcome) const {
    names found;
    for (const ckpt::match_entry& entry : plan.list(outcome)) found.emplace_back(plan.name(entry));
    return found;
  }
  names loaded() const { return list(match_outcome::loaded); }
  names missing() const { return list(match_outcome::missing); }
  names unexpected() const { return list(match_outcome::unexpected); }
  names mismatched() const { return list(match_outcome::mismatched); }
  names excluded() const { return list(match_outcome::excluded); }

  ckpt::match_plan plan;

 private:
  std::vector<tensor_spec> file_;
  std::vector<tensor_spec> model_;
  std::vector<ckpt::match_entry> memory_;
};

/// A name that outlives every model.
ckpt::name_view lasting(const std::string& name) {
  static std::set<std::string> all;
  return *all.insert(name).first;
}

std::vector<tensor_spec> vectors(const names& called) {
  std::vector<tensor_spec> specs;
  for (const std::string& name : called)
    specs.push_back(tensor_spec::named(lasting(name), dtype::f32, shape{4}));
  return specs;
}

}  // namespace

TEST_CASE("the order of the tensors does not matter when they are matched by name") {
  const matched both(vectors({"a", "b", "c"}), vectors({"c", "a", "b"}));
  CHECK(both.plan.ok());
  CHECK(both.loaded() == names{"c", "a", "b"});
  CHECK(both.plan.loaded()[0].in_file == 2);
  CHECK(both.plan.loaded()[0].in_model == 0);
  CHECK(both.plan.entries().size() == 3);
}

TEST_CASE("two empty models match") {
  const matched nothing({}, {});
  CHECK(nothing.plan.ok());
  CHECK(nothing.plan.entries().empty());
}

TEST_CASE("D7 one plan lists all 4 missing and all 4 unexpected names, and a rename map mends it") {
  const names auto_named{"fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.b_0"};
  const names wanted{"fc_2.w_0", "fc_2.b_0", "fc_3.w_0", "fc_3.b_0"};
  const matched strict(vectors(auto_named), vectors(wanted));
  CHECK(strict.plan.error().kind == errc::missing_tensor);
  CHECK(strict.missing() == wanted);
  CHECK(strict.unexpected() == auto_named);

  match_rules rules;
  rules.renames = {{"fc_0.w_0", "fc_2.w_0"},
                   {"fc_0.b_0", "fc_2.b_0"},
                   {"fc_1.w_0", "fc_3.w_0"},
                   {"fc_1.b_0", "fc_3.b_0"}};
  const matched renamed(vectors(auto_named), vectors(wanted), rules);
  CHECK(renamed.plan.ok());
  CHECK(renamed.loaded() == wanted);
  CHECK(renamed.plan.name_in_file(renamed.plan.loaded()[2]) == "fc_1.w_0");
}

TEST_CASE("each kind of leftover is refused by itself, and allowed by its own rule") {
  const matched missing(vectors({"a"}), vectors({"a", "b"}));
  CHECK(missing.plan.error().kind == errc::missing_tensor);
  CHECK(missing.plan.error().tensor == 1);
  CHECK(matched(vectors({"a"}), vectors({"a", "b"}), ckpt::may_lack).plan.ok());
  CHECK(matched(vectors({"a"}), vectors({"a", "b"}), ckpt::common_names).plan.ok());

  const matched unexpected(vectors({"z", "a"}), vectors({"a"}));
  CHECK(unexpected.plan.error().kind == errc::unexpected_tensor);
  CHECK(unexpected.plan.error().part == section::weights);
  CHECK(unexpected.plan.error().tensor == 0);
  CHECK_FALSE(matched(vectors({"z", "a"}), vectors({"a"}), ckpt::may_lack).plan.ok());
  CHECK(matched(vectors({"z", "a"}), vectors({"a"}), ckpt::common_names).plan.ok());

  const std::vector<tensor_spec> narrow{{"a", dtype::f32, {100}}};
  const std::vector<tensor_spec> wide{{"a", dtype::f32, {150}}};
  CHECK_FALSE(matched(narrow, wide, ckpt::common_names).plan.ok());
  CHECK(matched(narrow, wide, ckpt::whatever_fits).plan.ok());
}

TEST_CASE("G2 a tensor of another size is named with the bytes found and expected") {
  const matched both({{"head", dtype::f32, {100}}}, {{"head", dtype::f32, {150}}});
  CHECK(both.plan.error().kind == errc::shape_mismatch);
  CHECK(both.plan.error().found == 400);
  CHECK(both.plan.error().expected == 600);
  CHECK(both.plan.error().tensor == 0);
  CHECK(both.plan.found(both.plan.mismatched()[0]).byte_size() == 400);
  CHECK(both.plan.expected(both.plan.mismatched()[0]).byte_size() == 600);
}

TEST_CASE("the same bytes in another dtype or shape are a mismatch") {
  const matched types({{"a", dtype::f32, {4}}}, {{"a", dtype::i32, {4}}});
  CHECK(types.plan.error().kind == errc::dtype_mismatch);
  const matched shapes({{"a", dtype::f32, {2, 3}}}, {{"a", dtype::f32, {3, 2}}});
  CHECK(shapes.plan.error().kind == errc::shape_mismatch);
  const matched ranks({{"a", dtype::f32, {}}}, {{"a", dtype::f32, {1}}});
  CHECK(ranks.plan.error().kind == errc::shape_mismatch);
}

TEST_CASE("the longest prefix counts, and a rule for the whole name counts more") {
  match_rules rules;
  rules.prefixes = {{"", "x."}, {"model.", ""}, {"model.head.", "classifier."}};
  rules.renames = {{"model.head.b", "bias"}};
  const matched both(vectors({"model.a", "model.head.w", "model.head.b", "other"}),
                     vectors({"a", "classifier.w", "bias", "x.other"}), rules);
  CHECK(both.plan.ok());
  CHECK(both.loaded() == names{"a", "classifier.w", "bias", "x.other"});
}

TEST_CASE("a prefix that is a whole name leaves a name without characters, which nobody has") {
  const matched both(vectors({"model."}), vectors({"a"}),
                     ckpt::common_names.renaming_prefixes({{"model.", ""}}));
  CHECK(both.plan.ok());
  CHECK(both.unexpected() == names{"model."});
}

TEST_CASE("filters see the names of the model and leave tensors of both sides out") {
  const matched both(
      vectors({"backbone.a", "backbone.b", "head.w", "head.old"}),
      vectors({"head.w", "head.new", "encoder.a", "encoder.b"}),
      match_rules{}.renaming_prefixes({{"backbone.", "encoder."}}).excluding({"head.*"}));
  CHECK(both.plan.ok());
  CHECK(both.loaded() == names{"encoder.a", "encoder.b"});
  CHECK(both.excluded() == names{"head.w", "head.new", "head.old"});

  const matched part(vectors({"a.x", "a.y", "b"}), vectors({"a.x", "a.y", "c"}),
                     match_rules{}.including({"a.*"}).excluding({"*.y"}));
  CHECK(part.plan.ok());
  CHECK(part.loaded() == names{"a.x"});
  CHECK(part.excluded() == names{"a.y", "c", "b"});
}

TEST_CASE("a pattern fits from end to end, and a star takes anything or nothing") {
  CHECK(ckpt::fits_pattern("head", "head"));
  CHECK_FALSE(ckpt::fits_pattern("head", "head.w"));
  CHECK(ckpt::fits_pattern("*", ""));
  CHECK_FALSE(ckpt::fits_pattern("", "a"));
  CHECK(ckpt::fits_pattern("head.*", "head."));
  CHECK(ckpt::fits_pattern("*.layer.*.weight", "bert.layer.11.out.weight"));
  CHECK_FALSE(ckpt::fits_pattern("*.layer.*.weight", "bert.layer.weight"));
  CHECK(ckpt::fits_pattern("*ab*ab", "abaab"));
  CHECK_FALSE(ckpt::fits_pattern("*ab*ab", "abaa"));
  CHECK(ckpt::fits_pattern("a**b", "ab"));
}

TEST_CASE("a pattern full of stars takes no longer than its length times the name's") {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  const std::string name(20000, 'a');
  CHECK_FALSE(ckpt::fits_pattern(pattern + "b", name));
}

TEST_CASE("picking takes the tensors that are named and looks at no other") {
  const matched one(vectors({"x", "y", "z"}), vectors({"x", "w"}), ckpt::picking({{"z", "x"}}));
  CHECK(one.plan.ok());
  CHECK(one.plan.loaded().size() == 1);
  CHECK(one.plan.loaded()[0].in_file == 2);
  CHECK(one.excluded() == names{"w", "x", "y"});

  const matched both(vectors({"y", "z"}), vectors({"x", "w"}), ckpt::picking({{"z", "x"}}));
  CHECK(both.plan.ok());
  CHECK(both.loaded() == names{"x"});
  CHECK(both.excluded() == names{"w", "y"});
  CHECK(matched(vectors({"y"}), vectors({"x"}), ckpt::picking({{"z", "x"}})).plan.error().kind ==
        errc::missing_tensor);
  CHECK(matched(vectors({"z"}), vectors({"y"}), ckpt::picking({{"z", "x"}})).plan.error().kind ==
        errc::unexpected_tensor);
}

TEST_CASE("G6 two tensors that get one name are refused, and the error says which") {
  const matched in_file(vectors({"w", "a", "w"}), vectors({"w", "a"}), ckpt::whatever_fits);
  CHECK(in_file.plan.error().kind == errc::duplicate_name);
  CHECK(in_file.plan.error().part == section::weights);
  CHECK(in_file.plan.error().expected == 0);
  CHECK(in_file.plan.error().found == 2);
  CHECK(in_file.plan.entries().empty());

  const matched in_model(vectors({"w", "a"}), vectors({"a", "w", "w"}), ckpt::whatever_fits);
  CHECK(in_model.plan.error().kind == errc::duplicate_name);
  CHECK(in_model.plan.error().part == section::none);
  CHECK(in_model.plan.error().tensor == 2);

  const matched by_rule(vectors({"a.w", "b.w"}), vectors({"w"}),
                        ckpt::common_names.renaming_prefixes({{"a.", ""}, {"b.", ""}}));
  CHECK(by_rule.plan.error().kind == errc::duplicate_name);
  CHECK(by_rule.plan.error().tensor == 1);
}

TEST_CASE("names of one hash are told apart") {
  const matched both(vectors({"costarring", "declinate", "altarage", "liquid"}),
                     vectors({"liquid", "macallums", "zinke", "costarring"}), ckpt::common_names);
  REQUIRE(ckpt::detail::hash_of({"costarring", {}}) == ckpt::detail::hash_of({"liquid", {}}));
  CHECK(both.loaded() == names{"liquid", "costarring"});
  CHECK(both.missing() == names{"macallums", "zinke"});
  CHECK(both.unexpected() == names{"declinate", "altarage"});
}

TEST_CASE("a tensor without a name cannot be matched by name") {
  const matched in_file({{dtype::f32, {4}}}, vectors({"a"}), ckpt::whatever_fits);
  CHECK(in_file.plan.error().kind == errc::no_names);
  CHECK(in_file.plan.error().part == section::weights);
  const matched in_model(vectors({"a"}), {{"a", dtype::f32, {4}}, {dtype::f32, {4}}});
  CHECK(in_model.plan.error().kind == errc::no_names);
  CHECK(in_model.plan.error().part == section::none);
  CHECK(in_model.plan.error().tensor == 1);
}

TEST_CASE("absent tensors are in no list, named or not") {
  const matched both({{"a", dtype::f32, {4}}, {"input", dtype::f32, {1}, role::absent}},
                     {{dtype::f32, {8}, role::absent}, {"a", dtype::f32, {4}}});
  CHECK(both.plan.ok());
  CHECK(both.plan.entries().size() == 1);
  const matched wanted({{"a", dtype::f32, {4}, role::absent}}, vectors({"a"}));
  CHECK(wanted.plan.error().kind == errc::missing_tensor);
  const matched refused(vectors({"a"}), {{"a", dtype::f32, {4}, role::absent}});
  CHECK(refused.plan.error().kind == errc::unexpected_tensor);
}

TEST_CASE("rules that cannot be meant are refused") {
  const auto refused = [](const match_rules& rules) {
    return matched(vectors({"a", "b"}), vectors({"a", "b"}), rules).plan.error().kind ==
           errc::invalid_rules;
  };
  CHECK(refused(match_rules{}.renaming({{"a", "b"}, {"a", "c"}})));
  CHECK(refused(match_rules{}.renaming_prefixes({{"a", "b"}, {"a", "c"}})));
  CHECK(refused(match_rules{}.including({"a", "wieght"})));
  CHECK(refused(match_rules{}.taking_rows({{"c", 0, 1}})));
  CHECK(refused(match_rules{}.taking_rows({{"a", 2, 1}})));
  CHECK_FALSE(refused(match_rules{}.including({"a", "*"}).excluding({"c"})));
  CHECK_FALSE(refused(match_rules{}.renaming({{"z", "y"}})));
}

TEST_CASE("memory that is too small is refused before it is touched") {
  const auto specs = vectors({"a", "b"});
  const ckpt::match_side side{{ckpt::span<const tensor_spec>(specs), {}}};
  ckpt::match_entry memory[3];
  const auto plan = ckpt::match_by_name(side, side, {}, ckpt::span<ckpt::match_entry>(memory));
  CHECK(plan.error().kind == errc::buffer_too_small);
  CHECK(plan.error().expected == 4 * sizeof(ckpt::match_entry));
  CHECK(plan.entries().empty());
  CHECK(memory[0].in_file == ckpt::no_tensor);
}

TEST_CASE("more than four rules are a list of the caller's") {
  const std::vector<ckpt::rename_rule> many{
      {"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}};
  match_rules rules;
  rules.renames = many;
  const matched both(vectors({"e", "d", "c", "b", "a"}), vectors({"1", "2", "3", "4", "5"}), rules);
  CHECK(both.plan.ok());
  CHECK(both.plan.loaded()[4].in_file == 0);
  const ckpt::name_view left_out[] = {"1", "2", "3", "4", "5"};
  CHECK(matched(vectors({"6"}), vectors({"1", "5", "6"}), match_rules{}.excluding(left_out))
            .plan.ok());
}

TEST_CASE("rows of the file's tensor are compared with what the model wants") {
  const std::vector<tensor_spec> file{{"emb", dtype::f32, {10, 3}}};
  const std::vector<tensor_spec> model{{"emb", dtype::f32, {4, 3}}};
  const auto kind = [&](std::uint64_t first, std::uint64_t last) {
    return matched(file, model, match_rules{}.taking_rows({{"emb", first, last}}))
        .plan.error()
        .kind;
  };
  CHECK(kind(0, 4) == errc::ok);
  CHECK(kind(6, 10) == errc::ok);
  CHECK(kind(7, 11) == errc::shape_mismatch);
  CHECK(kind(0, 3) == errc::shape_mismatch);
  CHECK(kind(~std::uint64_t{0} - 3, ~std::uint64_t{0} + 0) == errc::shape_mismatch);
  const std::vector<tensor_spec> scalar{{"emb", dtype::f32, {}}};
  CHECK(matched(scalar, scalar, match_rules{}.taking_rows({{"emb", 0, 1}})).plan.error().kind ==
        errc::shape_mismatch);
  CHECK(matched(model, model, match_rules{}.taking_rows({{"emb", 2, 4}})).plan.error().kind ==
        errc::shape_mismatch);
}

namespace {

struct half_momentum {
  static constexpr std::size_t slot_count = 1;
  static constexpr ckpt::name_view slot_names[] = {"velocity"};
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight) {
    return ckpt::tensor_form(dtype::f16, weight.extents());
  }
};

struct swapped_adam {
  static constexpr std::size_t slot_count = 2;
  static constexpr ckpt::name_view slot_names[] = {"v", "m"};
};

struct nameless_pair {
  static constexpr std::size_t slot_count = 2;
};

matched with_slots(const std::vector<tensor_spec>& file, const std::vector<tensor_spec>& model,
                   const ckpt::optimizer_view& from, const ckpt::optimizer_view& to,
                   const match_rules& rules = {}) {
  return matched(file, model, rules, from, to);
}

}  // namespace

TEST_CASE("slots are found by name where both optimizers name them, otherwise by position") {
  constexpr auto adam = ckpt::view_of_optimizer<ckpt::adam>();
  constexpr auto swapped = ckpt::view_of_optimizer<swapped_adam>();
  constexpr auto nameless = ckpt::view_of_optimizer<nameless_pair>();
  static_assert(ckpt::slot_in_file(adam, swapped, 0) == 1);
  static_assert(ckpt::slot_in_file(nameless, swapped, 0) == 0);
  const auto specs = vectors({"a"});
  CHECK(with_slots(specs, specs, adam, swapped).plan.ok());
  CHECK(with_slots(specs, specs, adam, nameless).plan.ok());
  const auto other = with_slots(specs, specs, adam, ckpt::view_of_optimizer<ckpt::adafactor>());
  CHECK(other.plan.error().kind == errc::optimizer_mismatch);
  CHECK(other.plan.error().part == ckpt::slot_section(0));
}

TEST_CASE("D8 another number of slots is refused unless the slots need not follow") {
  const auto specs = vectors({"a"});
  const auto sgd = ckpt::view_of_optimizer<ckpt::sgd>();
  const auto adam = ckpt::view_of_optimizer<ckpt::adam>();
  const auto momentum = ckpt::view_of_optimizer<ckpt::momentum>();
  const auto fewer = with_slots(specs, specs, momentum, adam);
  CHECK(fewer.plan.error().kind == errc::optimizer_mismatch);
  CHECK(fewer.plan.error().expected == 2);
  CHECK(fewer.plan.error().found == 1);
  CHECK(with_slots(specs, specs, sgd, adam).plan.error().kind == errc::no_optimizer_state);
  CHECK(with_slots(specs, specs, adam, sgd).plan.error().kind == errc::optimizer_mismatch);
  for (const auto slots : {ckpt::slot_rule::cold, ckpt::slot_rule::untouched}) {
    CHECK(with_slots(specs, specs, momentum, adam, match_rules{}.with_slots(slots)).plan.ok());
    CHECK(with_slots(specs, specs, adam, sgd, match_rules{}.with_slots(slots)).plan.ok());
  }
}

TEST_CASE("N3 a slot in another dtype is a mismatch with both sizes, never a cast") {
  const auto specs = vectors({"a"});
  const auto half = ckpt::view_of_optimizer<half_momentum>();
  const auto full = ckpt::view_of_optimizer<ckpt::momentum>();
  const auto both = with_slots(specs, specs, half, full);
  CHECK(both.plan.error().kind == errc::dtype_mismatch);
  CHECK(both.plan.error().part == ckpt::slot_section(0));
  CHECK(both.plan.error().found == 8);
  CHECK(both.plan.error().expected == 16);
  CHECK(both.plan.found(both.plan.mismatched()[0]).type() == dtype::f16);
  CHECK(with_slots(specs, specs, full, half).plan.error().kind == errc::dtype_mismatch);
  CHECK(with_slots(specs, specs, half, half).plan.ok());
  CHECK(with_slots(specs, specs, half, full, match_rules{}.with_slots(ckpt::slot_rule::cold))
            .plan.ok());
}

TEST_CASE("a tensor that is frozen in the file has no slots to give, one frozen here needs none") {
  const std::vector<tensor_spec> frozen{{"a", dtype::f32, {4}, role::frozen}};
  const auto adam = ckpt::view_of_optimizer<ckpt::adam>();
  const auto thawed = with_slots(frozen, vectors({"a"}), adam, adam);
  CHECK(thawed.plan.error().kind == errc::role_mismatch);
  CHECK(with_slots(vectors({"a"}), frozen, adam, adam).plan.ok());
  CHECK(with_slots(frozen, frozen, adam, adam).plan.ok());
  const auto half = ckpt::view_of_optimizer<half_momentum>();
  const auto full = ckpt::view_of_optimizer<ckpt::momentum>();
  CHECK(with_slots(vectors({"a"}), frozen, half, full).plan.ok());
}

TEST_CASE("a slot is cut with its weight unless it has the wanted form as it is") {
  const auto adafactor = ckpt::view_of_optimizer<ckpt::adafactor>();
  const std::vector<tensor_spec> file{{"a", dtype::f32, {10, 10}}};
  const std::vector<tensor_spec> model{{"a", dtype::f32, {5, 10}}};
  CHECK(with_slots(file, model, adafactor, adafactor, match_rules{}.taking_rows({{"a", 5, 10}}))
            .plan.ok());
}

TEST_CASE("the table of a plan has a line for each tensor and a summary") {
  const std::vector<tensor_spec> file{{"backbone.w", dtype::f32, {4, 3}},
                                      {"head", dtype::f32, {10}},
                                      {"emb", dtype::i8, {9, 2}},
                                      {"old", dtype::f64, {}}};
  const std::vector<tensor_spec> model{{"head", dtype::f32, {15}},
                                       {"encoder.w", dtype::f32, {4, 3}},
                                       {"emb", dtype::i8, {2, 2}},
                                       {"new", dtype::bf16, {7}}};
  const matched both(file, model,
                     ckpt::whatever_fits.renaming_prefixes({{"backbone.", "encoder."}})
                         .taking_rows({{"emb", 3, 5}}));
  names lines;
  ckpt::for_each_line(both.plan, [&](ckpt::name_view line) { lines.emplace_back(line); });
  CHECK(lines == names{"loaded      encoder.w  f32 [4, 3], called backbone.w in the file",
                       "loaded      emb        i8 [2, 2], from row 3",
                       "missing     new        bf16 [7]", "unexpected  old        f64 []",
                       "mismatched  head       f32 [10] in the file, f32 [15] in the model",
                       "2 loaded, 1 missing, 1 unexpected, 1 mismatched, 0 excluded"});
  const auto slots =
      with_slots(vectors({"a"}), vectors({"a"}), ckpt::view_of_optimizer<half_momentum>(),
                 ckpt::view_of_optimizer<ckpt::momentum>());
  ckpt::text row;
  ckpt::append_row(row, slots.plan, slots.plan.mismatched()[0], 1);
  CHECK(test::words(row) ==
        "mismatched  a  slot velocity: f16 [4] in the file, f32 [4] in the model");
}

namespace {

/// What the documentation of match_rules says, in the slowest and plainest way.
class oracle {
 public:
  oracle(const std::map<std::string, int>& file, const std::map<std::string, int>& model,
         const std::map<std::string, std::string>& renames,
         const std::map<std::string, std::string>& prefixes, const std::string& excluded_prefix) {
    std::map<std::string, int> arrived;
    for (const auto& [name, size] : file) {
      const std::string to = renamed(name, renames, prefixes);
      is_ambiguous = is_ambiguous || arrived.count(to) != 0;
      arrived[to] = size;
      from[to] = name;
    }
    for (const auto& [name, size] : arrived)
      place(name,
            model.count(name) == 0   ? match_outcome::unexpected
            : model.at(name) == size ? match_outcome::loaded
                                     : match_outcome::mismatched,
            excluded_prefix);
    for (const auto& [name, size] : model)
      if (arrived.count(name) == 0) place(name, match_outcome::missing, excluded_prefix);
  }

  static std::string renamed(const std::string& name,
                             const std::map<std::string, std::string>& renames,
                             const std::map<std::string, std::string>& prefixes) {
    if (renames.count(name) != 0) return renames.at(name);
    for (std::size_t size = name.size() + 1; size-- > 0;)
      if (prefixes.count(name.substr(0, size)) != 0)
        return prefixes.at(name.substr(0, size)) + name.substr(size);
    return name;
  }

  bool is_ambiguous = false;
  std::map<std::string, std::string> from;  // name in the file by name in the model
  std::map<match_outcome, std::set<std::string>> lists;

 private:
  void place(const std::string& name, match_outcome outcome, const std::string& excluded_prefix) {
    const bool is_left_out =
        !excluded_prefix.empty() && name.compare(0, excluded_prefix.size(), excluded_prefix) == 0;
    lists[is_left_out ? match_outcome::excluded : outcome].insert(name);
  }
};

std::map<std::string, int> random_model(test::random_numbers& numbers) {
  std::map<std::string, int> model;
  const std::uint64_t count = numbers.below(12);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name;
    const std::uint64_t letters = 1 + numbers.below(4);
    for (std::uint64_t k = 0; k < letters; ++k) name += "ab."[numbers.below(3)];
    model[name] = static_cast<int>(numbers.below(8) == 0 ? 2 : 1);
  }
  return model;
}

std::vector<tensor_spec> shuffled(const std::map<std::string, int>& model,
                                  test::random_numbers& numbers) {
  std::vector<tensor_spec> specs;
  for (const auto& [name, size] : model)
    specs.push_back(tensor_spec::named(name, dtype::u8, {static_cast<std::uint64_t>(size)}));
  for (std::size_t i = specs.size(); i > 1; --i)
    std::swap(specs[i - 1], specs[static_cast<std::size_t>(numbers.below(i))]);
  return specs;
}

std::map<std::string, std::string> random_rules(test::random_numbers& numbers) {
  std::map<std::string, std::string> rules;
  const std::uint64_t count = numbers.below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto from = random_model(numbers);
    const auto to = random_model(numbers);
    if (!from.empty() && !to.empty()) rules[from.begin()->first] = to.begin()->first;
  }
  return rules;
}

std::vector<ckpt::rename_rule> as_rules(const std::map<std::string, std::string>& rules) {
  std::vector<ckpt::rename_rule> list;
  for (const auto& [from, to] : rules) list.push_back({from, to});
  return list;
}

void check_sorted(const ckpt::match_plan& plan) {
  const auto before = [](const ckpt::match_entry& a, const ckpt::match_entry& b) {
    return std::make_tuple(a.outcome, a.in_model, a.in_file) <
           std::make_tuple(b.outcome, b.in_model, b.in_file);
  };
  CHECK(std::is_sorted(plan.entries().begin(), plan.entries().end(), before));
}

/// Every tensor of either side is in exactly one list.
void check_complete(const ckpt::match_plan& plan) {
  std::set<std::uint32_t> of_file;
  std::set<std::uint32_t> of_model;
  std::size_t listed = 0;
  for (std::size_t k = 0; k < ckpt::match_outcome_count; ++k) {
    for (const ckpt::match_entry& entry : plan.list(static_cast<match_outcome>(k))) {
      ++listed;
      if (entry.in_file != ckpt::no_tensor) CHECK(of_file.insert(entry.in_file).second);
      if (entry.in_model != ckpt::no_tensor) CHECK(of_model.insert(entry.in_model).second);
    }
  }
  CHECK(listed == plan.entries().size());
  CHECK(of_file.size() == plan.file().model.size());
  CHECK(of_model.size() == plan.model().model.size());
}

}  // namespace

TEST_CASE("G4 the lists are disjoint, complete and sorted: 1000 random pairs against an oracle") {
  test::random_numbers numbers(4);
  int ambiguous = 0;
  for (int round = 0; round < 1000; ++round) {
    CAPTURE(round);
    const auto file = random_model(numbers);
    const auto model = random_model(numbers);
    const auto renames = random_rules(numbers);
    const auto prefixes = random_rules(numbers);
    const std::string left_out = numbers.below(2) == 0 ? "" : "a.";
    const oracle expected(file, model, renames, prefixes, left_out);
    const auto rename_list = as_rules(renames);
    const auto prefix_list = as_rules(prefixes);
    const std::string pattern = left_out + "*";
    match_rules rules = ckpt::whatever_fits;
    rules.renames = rename_list;
    rules.prefixes = prefix_list;
    if (!left_out.empty()) rules.exclude = ckpt::name_view(pattern);
    const matched both(shuffled(file, numbers), shuffled(model, numbers), rules);
    if (expected.is_ambiguous) {
      CHECK(both.plan.error().kind == errc::duplicate_name);
      ++ambiguous;
      continue;
    }
    REQUIRE(both.plan.ok());
    check_sorted(both.plan);
    check_complete(both.plan);
    for (std::size_t k = 0; k < ckpt::match_outcome_count; ++k) {
      const auto outcome = static_cast<match_outcome>(k);
      std::set<std::string> found;
      for (const ckpt::match_entry& entry : both.plan.list(outcome)) {
        const std::string own(both.plan.name(entry));
        const std::string name =
            entry.in_model != ckpt::no_tensor ? own : oracle::renamed(own, renames, prefixes);
        found.insert(name);
        if (entry.in_file != ckpt::no_tensor)
          CHECK(std::string(both.plan.name_in_file(entry)) == expected.from.at(name));
      }
      const auto wanted = expected.lists.find(outcome);
      CHECK(found == (wanted == expected.lists.end() ? std::set<std::string>{} : wanted->second));
    }
  }
  CHECK(ambiguous > 20);
  CHECK(ambiguous < 700);
}

TEST_CASE("100,000 tensors, all of them renamed, are matched in a moment") {
  const std::size_t count = 100000;
  names from;
  names to;
  for (std::size_t i = 0; i < count; ++i) {
    from.push_back("file." + std::to_string(i));
    to.push_back("model." + std::to_string((i * 7919) % count));
  }
  std::vector<ckpt::rename_rule> renames;
  for (std::size_t i = 0; i < count; ++i) renames.push_back({from[i], to[i]});
  match_rules rules;
  rules.renames = renames;
  names model = to;
  std::sort(model.begin(), model.end());
  const matched both(vectors(from), vectors(model), rules);
  CHECK(both.plan.ok());
  CHECK(both.plan.loaded().size() == count);
}

namespace {

struct base_net {
  static constexpr auto tensors = ckpt::tensors({{"backbone.w", dtype::f32, {4, 3}},
                                                 {"backbone.b", dtype::f32, {4}},
                                                 {"head.w", dtype::f32, {10}}});
};
struct tuned_net {
  static constexpr auto tensors = ckpt::tensors({{"head.w", dtype::f32, {15}},
                                                 {"encoder.b", dtype::f32, {4}},
                                                 {"encoder.w", dtype::f32, {4, 3}}});
};
constexpr match_rules fine_tuning =
    match_rules{}.renaming_prefixes({{"backbone.", "encoder."}}).excluding({"head.*"});
struct no_tensors {
  static constexpr auto tensors = ckpt::tensors();
};

}  // namespace

TEST_CASE("the plan between two static models is a constant") {
  using plan = ckpt::static_match<base_net, tuned_net, fine_tuning, ckpt::adam>;
  static_assert(plan::plan.ok());
  static_assert(plan::plan.loaded().size() == 2);
  static_assert(plan::entries[0].in_file == 1 && plan::entries[0].in_model == 1);
  static_assert(plan::entries[1].in_file == 0 && plan::entries[1].in_model == 2);
  static_assert(plan::plan.excluded().size() == 1);
  static_assert(ckpt::static_match<base_net, base_net>::plan.loaded().size() == 3);
  static_assert(ckpt::static_match<no_tensors, no_tensors>::plan.entries().empty());

  const auto table = [](const auto& tensors) {
    return std::vector<tensor_spec>(tensors.data(), tensors.data() + tensors.size());
  };
  const auto adam = ckpt::view_of_optimizer<ckpt::adam>();
  const matched live(table(base_net::tensors), table(tuned_net::tensors), fine_tuning, adam, adam);
  REQUIRE(live.plan.entries().size() == plan::plan.entries().size());
  for (std::size_t i = 0; i < plan::entries.size(); ++i) {
    CHECK(live.plan.entries()[i].in_file == plan::entries[i].in_file);
    CHECK(live.plan.entries()[i].in_model == plan::entries[i].in_model);
    CHECK(live.plan.entries()[i].outcome == plan::entries[i].outcome);
  }
}
