#include <algorithm>

#include "fixtures.hpp"
#include "format/handmade.hpp"
#include "golden_cases.hpp"
#include "support.hpp"

using ckpt::dialect;
using ckpt::dtype;
using ckpt::errc;
using ckpt::role;

namespace {

/// Payloads of odd sizes, none at all first, in the middle and last, one frozen and one absent.
struct odd {
  static constexpr auto tensors = ckpt::tensors({{"none", dtype::f64, {2, 0}},
                                                 {"a", dtype::u8, {3}},
                                                 {"frozen", dtype::u8, {5}, role::frozen},
                                                 {"nothing", dtype::u8, {0}},
                                                 {"gone", dtype::f32, {7}, role::absent},
                                                 {"b", dtype::u8, {61}},
                                                 {"c", dtype::f32, {}},
                                                 {"last", dtype::i8, {1, 0}}});
};

struct graph {
  static constexpr auto tensors = ckpt::tensors({{"input", dtype::f32, {1, 2}, role::absent},
                                                 {"w", dtype::f32, {2, 2}},
                                                 {"hidden", dtype::f32, {1, 2}, role::absent},
                                                 {"b", dtype::f32, {2}}});
  static constexpr auto visits = ckpt::visit_order({3, 1, 3});
};

constexpr std::uint64_t up_to_64(std::uint64_t value) {
  return (value + 63) / 64 * 64;
}

/// Whether a layout with a manifest differs from the plain one only in the gap, the alignment and
/// the pad of SGD: every section begins where the last one ends, its table is as long, its first
/// payload is at the next multiple of 64, and from there all offsets differ by one constant.
template <class Model, class Optimizer>
constexpr bool differs_only_in_gap() {
  using plain = ckpt::layout<Model, Optimizer, ckpt::onert>;
  using plus = ckpt::layout<Model, Optimizer, ckpt::onert_plus>;
  constexpr std::uint64_t count = Model::tensors.size();
  constexpr std::uint64_t manifest =
      ckpt::manifest::measure(ckpt::view_of<Model>(), ckpt::view_of_optimizer<Optimizer>())
          .total_bytes();
  std::uint64_t end = 0;
  for (std::size_t s = 0; s <= Optimizer::slot_count; ++s) {
    const ckpt::section_bounds was = plain::bounds(s);
    const ckpt::section_bounds is = plus::bounds(s);
    if (is.begin != end || is.table - is.begin != was.table - was.begin) return false;
    const std::uint64_t gap = s == 0 ? manifest : 0;
    if (is.payload != up_to_64(is.table + 4 * count + gap)) return false;
    if (is.end - is.payload != was.end - was.payload) return false;
    end = is.end;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = (s == 0 ? 5 : 0) + i;
      const std::uint32_t before =
          ckpt::little_word(s == 0   ? plain::template head<0>[at]
                            : s == 1 ? plain::template head<(Optimizer::slot_count > 0)>[at]
                                     : plain::template head<Optimizer::slot_count>[at]);
      const std::uint32_t after =
          ckpt::little_word(s == 0   ? plus::template head<0>[at]
                            : s == 1 ? plus::template head<(Optimizer::slot_count > 0)>[at]
                                     : plus::template head<Optimizer::slot_count>[at]);
      if (after - is.payload != before - was.payload) return false;
    }
  }
  const std::uint64_t pad = Optimizer::slot_count == 0 && count > 2 ? 4 * count - 8 : 0;
  return plus::footer_offset == end + pad && plus::file_bytes == end + pad + 8;
}

/// Magic, schema, the reserved byte and N are those of the plain header; opt1, opt2 and other say
/// where the sections have gone.
template <class Model, class Optimizer>
constexpr bool has_plain_header() {
  using plain = ckpt::layout<Model, Optimizer, ckpt::onert>;
  using plus = ckpt::layout<Model, Optimizer, ckpt::onert_plus>;
  const auto word = [](std::size_t k) { return ckpt::little_word(plus::template head<0>[k]); };
  const std::uint64_t opt2 =
      Optimizer::slot_count == 2 ? plus::bounds(Optimizer::slot_count).begin : 0;
  return plus::template head<0>[0] == plain::template head<0>[0] &&
         plus::template head<0>[4] == plain::template head<0>[4] &&
         word(1) == plus::bounds(0).end && word(2) == opt2 && word(3) == plus::footer_offset;
}

template <class Model, class Optimizer>
constexpr bool is_plain_but_for_the_gap =
    differs_only_in_gap<Model, Optimizer>() && has_plain_header<Model, Optimizer>();

static_assert(is_plain_but_for_the_gap<odd, ckpt::adam>);
static_assert(is_plain_but_for_the_gap<odd, ckpt::sgd>);
static_assert(is_plain_but_for_the_gap<odd, ckpt::momentum>);
static_assert(is_plain_but_for_the_gap<odd, ckpt::adafactor>);
static_assert(is_plain_but_for_the_gap<graph, ckpt::adam>);
static_assert(is_plain_but_for_the_gap<fixture::three, ckpt::adam>);
static_assert(is_plain_but_for_the_gap<fixture::three, ckpt::sgd>);
static_assert(is_plain_but_for_the_gap<fixture::three_frozen, ckpt::adam>);
static_assert(is_plain_but_for_the_gap<fixture::no_tensors, ckpt::sgd>);
static_assert(is_plain_but_for_the_gap<fixture::no_tensors, ckpt::adam>);
static_assert(is_plain_but_for_the_gap<golden::sgd_1t, ckpt::sgd>);
static_assert(is_plain_but_for_the_gap<golden::sgd_2t, ckpt::sgd>);
static_assert(is_plain_but_for_the_gap<golden::sgd_5t_mixed, ckpt::sgd>);

/// Every payload of every section is the same bytes in both files.
template <class Model, class Optimizer>
void check_same_payloads() {
  test::owned_state<Model, Optimizer> state;
  state.fill(5);
  const test::bytes plain = test::written<ckpt::onert>(state.view);
  const test::bytes plus = test::written<ckpt::onert_plus>(state.view);
  const auto part = [](const test::bytes& file, const ckpt::section_bounds& bounds) {
    return test::bytes(file.begin() + static_cast<std::ptrdiff_t>(bounds.payload),
                       file.begin() + static_cast<std::ptrdiff_t>(bounds.end));
  };
  for (std::size_t s = 0; s <= Optimizer::slot_count; ++s)
    CHECK(part(plain, ckpt::layout<Model, Optimizer, ckpt::onert>::bounds(s)) ==
          part(plus, ckpt::layout<Model, Optimizer, ckpt::onert_plus>::bounds(s)));
  CHECK(test::bytes(plain.end() - 8, plain.end()) == test::bytes(plus.end() - 8, plus.end()));
}

/// The writer's file is the one put together by hand, of static and run-time models.
template <class Format, class Model, class Optimizer>
void check_handmade() {
  test::owned_state<Model, Optimizer> state;
  state.fill(6);
  const ckpt::training_state& training = state.view.training;
  const handmade::file holds =
      handmade::file_of(state, handmade::footer(training.step, training.epoch));
  const test::bytes wanted =
      handmade::schema1_plus(holds, Format::kind == dialect::onert_micro_plus);
  CHECK(test::written<Format>(state.view) == wanted);
  test::owned_state<ckpt::dynamic_model, Optimizer> live(ckpt::view_of<Model>());
  live.fill(6);
  CHECK(handmade::written<Format>(live) == wanted);
}

}  // namespace

TEST_CASE("the payloads of an onert_plus file are those of the plain one") {
  check_same_payloads<odd, ckpt::adam>();
  check_same_payloads<odd, ckpt::sgd>();
  check_same_payloads<odd, ckpt::momentum>();
  check_same_payloads<graph, ckpt::adam>();
  check_same_payloads<fixture::no_tensors, ckpt::sgd>();
}

TEST_CASE("every file with a manifest in the gap is the one put together by hand") {
  check_handmade<ckpt::onert_plus, odd, ckpt::adam>();
  check_handmade<ckpt::onert_plus, odd, ckpt::sgd>();
  check_handmade<ckpt::onert_plus, odd, ckpt::momentum>();
  check_handmade<ckpt::onert_plus, odd, ckpt::adafactor>();
  check_handmade<ckpt::onert_plus, graph, ckpt::adam>();
  check_handmade<ckpt::onert_plus, fixture::no_tensors, ckpt::sgd>();
  check_handmade<ckpt::onert_plus, fixture::no_tensors, ckpt::adam>();
  check_handmade<ckpt::onert_plus, golden::sgd_1t, ckpt::sgd>();
  check_handmade<ckpt::onert_plus, golden::sgd_2t, ckpt::sgd>();
  check_handmade<ckpt::onert_plus, golden::sgd_110t, ckpt::sgd>();
  check_handmade<ckpt::onert_plus, golden::sgd_110t, ckpt::adam>();
  check_handmade<ckpt::onert_micro_plus, graph, ckpt::adam>();
  check_handmade<ckpt::onert_micro_plus, graph, ckpt::sgd>();
  check_handmade<ckpt::onert_micro_plus, odd, ckpt::sgd>();
  check_handmade<ckpt::onert_micro_plus, fixture::sparse, ckpt::sgd>();
  check_handmade<ckpt::onert_micro_plus, fixture::no_tensors, ckpt::adam>();
}

namespace {

/// What a runtime of today makes of a file, as format/ONERT.md says it. The sizes come from its
/// model; nothing but magic, schema and the end of the file is checked.
struct restored {
  bool is_accepted = false;
  std::vector<test::bytes> payloads{};
  std::uint32_t step = 0;
  std::uint32_t epoch = 0;
};

/// A stream that stays failed once it has met the end of the file.
class stream {
 public:
  explicit stream(const test::bytes& file) : file_(file) {}
  void seek(std::uint32_t at) { at_ = at; }
  test::bytes read(std::size_t size) {
    test::bytes data(size);
    if (failed_ || at_ + size > file_.size()) {
      failed_ = true;
      return data;
    }
    std::copy_n(file_.begin() + static_cast<std::ptrdiff_t>(at_), size, data.begin());
    at_ += size;
    return data;
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(handmade::get(read(4), 0, 4)); }

 private:
  const test::bytes& file_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

bool is_schema1(const test::bytes& file) {
  return file.size() >= 20 && handmade::get(file, 0, 2) == 429 && handmade::get(file, 2, 1) == 1;
}

/// onert: reads the slot tables at opt1 and opt2 before it asks whether there are any, and the
/// footer by the same stream.
/// @param sizes  of each tensor of each section
restored load_as_onert(const test::bytes& file,
                       const std::vector<std::vector<std::size_t>>& sizes) {
  restored got;
  const auto field = [&file](std::size_t at) {
    return static_cast<std::uint32_t>(handmade::get(file, at, 4));
  };
  const std::size_t count = sizes[0].size();
  if (!is_schema1(file) || field(16) != count || std::uint64_t{field(12)} + 8 != file.size())
    return got;
  got.is_accepted = true;
  stream from(file);
  std::vector<std::uint32_t> tables[3];
  const std::uint32_t places[] = {20, field(4), field(8)};
  for (std::size_t s = 0; s < 3; ++s) {
    if (places[s] == 0) continue;
    from.seek(places[s]);
    for (std::size_t i = 0; i < count; ++i) tables[s].push_back(from.word());
  }
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    for (std::size_t i = 0; i < count; ++i) {
      from.seek(tables[s][i]);
      got.payloads.push_back(from.read(sizes[s][i]));
    }
  }
  from.seek(field(12));
  got.step = from.word();
  got.epoch = from.word();
  return got;
}

/// onert-micro: all in memory, 0 says not stored, SGD wants both slot sections to be 0.
restored load_as_onert_micro(const test::bytes& file,
                             const std::vector<std::vector<std::size_t>>& sizes) {
  restored got;
  const auto field = [&file](std::size_t at) {
    return static_cast<std::size_t>(handmade::get(file, at, 4));
  };
  const std::size_t count = sizes[0].size();
  const bool wants_slots = sizes.size() > 1;
  if (!is_schema1(file) || field(16) != count || field(12) == 0) return got;
  if (!wants_slots && (field(4) != 0 || field(8) != 0)) return got;
  got.is_accepted = true;
  const std::size_t places[] = {20, field(4), field(8)};
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = field(places[s] + 4 * i);
      got.payloads.emplace_back();
      if (at == 0) continue;
      got.payloads.back().assign(file.begin() + static_cast<std::ptrdiff_t>(at),
                                 file.begin() + static_cast<std::ptrdiff_t>(at + sizes[s][i]));
    }
  }
  got.step = static_cast<std::uint32_t>(field(field(12)));
  got.epoch = static_cast<std::uint32_t>(field(field(12) + 4));
  return got;
}

template <class State>
std::vector<std::vector<std::size_t>> sizes_of(const State& state) {
  const std::size_t count = state.view.model().size();
  std::vector<std::vector<std::size_t>> sizes(state.memory.size() / count);
  for (std::size_t k = 0; k < state.memory.size(); ++k)
    sizes[k / count].push_back(state.memory[k].size());
  return sizes;
}

/// `count` tensors of few bytes.
std::vector<ckpt::tensor_spec> many(std::size_t count) {
  std::vector<ckpt::tensor_spec> specs;
  for (std::size_t i = 0; i < count; ++i)
    specs.emplace_back(i % 3 == 0 ? dtype::f32 : dtype::u8, ckpt::shape{1 + i % 4, 1 + i % 2});
  return specs;
}

ckpt::model_view model_of(const std::vector<ckpt::tensor_spec>& specs) {
  return {ckpt::span<const ckpt::tensor_spec>(specs), {}};
}

}  // namespace

TEST_CASE(
    "onert restores weights and step of onert_plus files without slots; of its own it does not") {
  for (const std::size_t count : {1U, 2U, 3U, 5U, 12U, 110U}) {
    CAPTURE(count);
    const auto specs = many(count);
    test::owned_state<ckpt::dynamic_model, ckpt::sgd> state(model_of(specs));
    state.fill(count);
    state.view.training = {1234, 7};
    const restored ours =
        load_as_onert(handmade::written<ckpt::onert_plus>(state), sizes_of(state));
    REQUIRE(ours.is_accepted);
    CHECK(ours.payloads == state.memory);
    CHECK(ours.step == 1234);
    CHECK(ours.epoch == 7);
    // The table of 4N bytes at opt1 does not fit in front of the end of a plain file.
    const restored plain = load_as_onert(handmade::written<ckpt::onert>(state), sizes_of(state));
    REQUIRE(plain.is_accepted);
    CHECK((plain.payloads == state.memory) == (count <= 2));
    CHECK(plain.step == (count <= 2 ? 1234 : 0));
  }
}

TEST_CASE("onert restores everything of onert_plus files with Adam") {
  for (const std::size_t count : {1U, 2U, 5U, 12U, 110U}) {
    CAPTURE(count);
    auto specs = many(count);
    if (count > 2) specs[1] = ckpt::tensor_spec(dtype::f32, {5}, role::frozen);
    if (count > 2) specs[2] = ckpt::tensor_spec(dtype::f32, {0});
    test::owned_state<ckpt::dynamic_model, ckpt::adam> state(model_of(specs));
    state.fill(count);
    state.view.training = {0xFFFFFFFF, 9};
    const restored ours =
        load_as_onert(handmade::written<ckpt::onert_plus>(state), sizes_of(state));
    REQUIRE(ours.is_accepted);
    CHECK(ours.payloads == state.memory);
    CHECK(ours.step == 0xFFFFFFFF);
    CHECK(ours.epoch == 9);
  }
}

TEST_CASE("onert-micro restores everything of onert_micro_plus files") {
  test::owned_state<graph, ckpt::adam> adam;
  adam.fill(3);
  const restored slots =
      load_as_onert_micro(test::written<ckpt::onert_micro_plus>(adam.view), sizes_of(adam));
  REQUIRE(slots.is_accepted);
  CHECK(slots.payloads == adam.memory);
  CHECK(slots.step == adam.view.training.step);
  CHECK(slots.epoch == adam.view.training.epoch);
  test::owned_state<graph, ckpt::sgd> sgd;
  sgd.fill(4);
  const restored none =
      load_as_onert_micro(test::written<ckpt::onert_micro_plus>(sgd.view), sizes_of(sgd));
  REQUIRE(none.is_accepted);
  CHECK(none.payloads == sgd.memory);
  CHECK(none.step == sgd.view.training.step);
  // As before, the two runtimes do not read each other's files without slots.
  CHECK_FALSE(
      load_as_onert_micro(test::written<ckpt::onert_plus>(sgd.view), sizes_of(sgd)).is_accepted);
}

TEST_CASE("the loaders of today refuse a v2 file") {
  test::owned_state<graph, ckpt::adam> state;
  const test::bytes file = test::written<ckpt::v2>(state.view);
  CHECK_FALSE(load_as_onert(file, sizes_of(state)).is_accepted);
  CHECK_FALSE(load_as_onert_micro(file, sizes_of(state)).is_accepted);
}

namespace {

/// Every format that can hold the model is read by the readers of all others.
template <class Written, class Reader, class Model, class Optimizer>
void check_cross_reading() {
  test::owned_state<Model, Optimizer> state;
  state.fill(8);
  const test::bytes file = test::written<Written>(state.view);
  const auto opened = ckpt::reader<Model, Optimizer, Reader>::open(test::view(file));
  REQUIRE_MESSAGE(opened.ok(), test::words(opened.error().message()));
  CHECK(opened->kind() == Written::kind);
  test::owned_state<Model, Optimizer> loaded;
  const auto report = opened->load_into(loaded.view);
  REQUIRE(report.ok());
  CHECK(loaded.memory == state.memory);
  CHECK(loaded.view.training == state.view.training);
  CHECK(report->kind == Written::kind);
  CHECK(report->checksums_verified == Written::has_manifest);

  ckpt::read_options own;
  own.only_own_dialect = true;
  const auto held = ckpt::reader<Model, Optimizer, Reader>::open(test::view(file), own);
  CHECK(held.ok() == (Written::kind == Reader::kind));
  if (!held.ok()) CHECK(held.error().kind == errc::dialect_mismatch);
}

template <class Written, class Model, class Optimizer>
void check_all_readers() {
  check_cross_reading<Written, ckpt::onert, Model, Optimizer>();
  check_cross_reading<Written, ckpt::onert_micro, Model, Optimizer>();
  check_cross_reading<Written, ckpt::onert_plus, Model, Optimizer>();
  check_cross_reading<Written, ckpt::onert_micro_plus, Model, Optimizer>();
  check_cross_reading<Written, ckpt::v2, Model, Optimizer>();
}

}  // namespace

TEST_CASE("a reader of any format reads all others that hold the tensors, unless held to its own") {
  check_all_readers<ckpt::onert_plus, graph, ckpt::adam>();
  check_all_readers<ckpt::onert_plus, graph, ckpt::sgd>();
  check_all_readers<ckpt::onert_plus, odd, ckpt::sgd>();
  check_all_readers<ckpt::onert_micro_plus, graph, ckpt::adam>();
  check_all_readers<ckpt::onert_micro_plus, graph, ckpt::sgd>();
  check_all_readers<ckpt::v2, graph, ckpt::adam>();
  check_all_readers<ckpt::v2, odd, ckpt::sgd>();
  check_all_readers<ckpt::onert_micro, graph, ckpt::adam>();
  check_cross_reading<ckpt::onert, ckpt::onert_plus, graph, ckpt::adam>();
  check_cross_reading<ckpt::onert, ckpt::v2, odd, ckpt::adam>();
}

TEST_CASE("verify names the dialect of a file with a manifest and lists who is in it") {
  test::owned_state<graph, ckpt::adam> state;
  state.fill(1);
  const auto check = [](const test::bytes& file, dialect kind) {
    const ckpt::description said = ckpt::verify(test::view(file));
    REQUIRE(said.error.ok());
    CHECK(said.map.kind == kind);
    CHECK(said.map.tensor_count == 4);
    CHECK(said.map.slot_count == 2);
    CHECK(said.map.has_footer);
    CHECK(said.map.file_bytes == file.size());
    CHECK(said.manifest.visit_count() == 3);
    ckpt::tensor_spec specs[4];
    said.manifest.list(specs);
    CHECK(handmade::text_of(specs[3].name()) == "b");
    CHECK(specs[0].purpose() == role::absent);
    const auto located = ckpt::detect(test::view(file));
    CHECK(located->kind == kind);
  };
  check(test::written<ckpt::onert_plus>(state.view), dialect::onert_plus);
  check(test::written<ckpt::onert_micro_plus>(state.view), dialect::onert_micro_plus);
  check(test::written<ckpt::v2>(state.view), dialect::v2);
}

namespace {

/// A plain file whose first weight is made of these bytes.
struct long_first {
  static constexpr auto tensors = ckpt::tensors({{"w", dtype::u8, {256}}, {"b", dtype::u8, {3}}});
};

template <class Optimizer>
test::bytes beginning_with(const test::bytes& first) {
  test::owned_state<long_first, Optimizer> state;
  state.fill(9);
  std::copy(first.begin(), first.end(), state.payload(0, 0).begin());
  return test::written<ckpt::onert>(state.view);
}

template <class Optimizer>
void check_is_plain(const test::bytes& first) {
  const test::bytes file = beginning_with<Optimizer>(first);
  const ckpt::description said = ckpt::verify(test::view(file));
  CHECK_MESSAGE(said.error.ok(), test::words(said.error.message()));
  CHECK(said.map.kind == dialect::onert);
  CHECK_FALSE(said.map.has_manifest());
  test::owned_state<long_first, Optimizer> state;
  const auto opened = ckpt::reader<long_first, Optimizer>::open(test::view(file));
  REQUIRE(opened.ok());
  REQUIRE(opened->load_into(state.view).ok());
  CHECK(std::equal(first.begin(), first.end(), state.payload(0, 0).begin()));
  using other = ckpt::reader<long_first, Optimizer, ckpt::onert_plus>;
  CHECK(other::open(test::view(file)).ok());
}

}  // namespace

TEST_CASE("N1 a plain file whose first weight looks like a manifest is a plain file") {
  handmade::manifest says;
  says.tensors = {{"x", 0, {}}, {"y", 0, {}}, {"z", 0, {}}};
  const test::bytes another = handmade::completed(says);
  REQUIRE(another.size() <= 256);
  const test::bytes magic(another.begin(), another.begin() + 8);
  test::bytes flipped = magic;
  flipped[3] ^= std::byte{1};
  for (const test::bytes& first : {magic, flipped, another}) {
    check_is_plain<ckpt::sgd>(first);
    check_is_plain<ckpt::adam>(first);
  }
}

TEST_CASE("a manifest in another place than the gap's first byte is not overlooked") {
  test::owned_state<fixture::three, ckpt::adam> state;
  state.fill(2);
  const test::bytes good = test::written<ckpt::onert_plus>(state.view);
  // As if a bit of N had changed and the table had seemed shorter.
  test::bytes damaged = good;
  handmade::set(damaged, 16, 2, 4);
  CHECK(ckpt::detect(test::view(damaged)).error().kind == errc::bad_manifest);
  handmade::set(damaged, 16, 1, 4);
  CHECK(ckpt::detect(test::view(damaged)).error().kind == errc::bad_manifest);
}

TEST_CASE("a file of another program with a gap is not one with a manifest") {
  // A gap between table and first payload, as onert-micro leaves it when a weight is stored twice.
  test::bytes file = fixture::sparse_file();
  file.insert(file.begin() + 40, 64, std::byte{0xEE});
  handmade::set(file, 12, 128, 4);
  handmade::set(file, 24, 112, 4);
  handmade::set(file, 32, 104, 4);
  const ckpt::description said = ckpt::verify(test::view(file));
  CHECK_MESSAGE(said.error.ok(), test::words(said.error.message()));
  CHECK(said.map.kind == dialect::onert_micro);
}

TEST_CASE("every byte of a resealed onert_plus file that is not where it belongs is refused") {
  test::owned_state<odd, ckpt::adam> state;
  state.fill(4);
  const test::bytes good = test::written<ckpt::onert_plus>(state.view);
  using layout = ckpt::layout<odd, ckpt::adam, ckpt::onert_plus>;
  const auto why = [&good](std::uint64_t at, std::uint64_t value) {
    test::bytes file = good;
    handmade::set(file, static_cast<std::size_t>(at), value, 4);
    handmade::seal(file);
    return ckpt::verify(test::view(file)).error;
  };
  const ckpt::status moved = why(20 + 4, layout::offset(1) + 1);
  CHECK(moved.kind == errc::bad_order);
  CHECK(moved.part == ckpt::section::weights);
  CHECK(moved.tensor == 1);
  CHECK(moved.expected == layout::offset(1));
  CHECK(why(20 + 4 * 4, 0).kind == errc::bad_order);
  const ckpt::status slot = why(layout::bounds(2).table + 4 * 5, layout::slot_offset<1>(5) - 4);
  CHECK(slot.kind == errc::bad_order);
  CHECK(slot.part == ckpt::slot_section(1));
  CHECK(slot.tensor == 5);
  // Payloads that two sections share, or that lie in the padding.
  CHECK(why(layout::bounds(1).table + 4, layout::offset(1)).kind == errc::bad_order);
  CHECK(why(4, layout::bounds(1).begin + 4).kind == errc::bad_order);
  CHECK(why(8, 0).kind == errc::bad_section);
}
