#include "ckpt/format/manifest_limits.hpp"

#include "format/handmade.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::name_view;
using ckpt::role;
using ckpt::section;
using ckpt::tensor_form;
using ckpt::tensor_spec;

namespace {

/// An optimizer that is known only at run time.
struct live_optimizer {
  std::string name = "own";
  std::vector<std::string> slots = {"m", "v"};
  std::vector<tensor_form> forms{};  ///< none: as the weights

  [[nodiscard]] ckpt::optimizer_view view() {
    names_.clear();
    for (const std::string& slot : slots) names_.emplace_back(slot.data(), slot.size());
    ckpt::optimizer_view seen;
    seen.slot_count = slots.size();
    seen.name = name_view(name.data(), name.size());
    seen.slot_names = ckpt::span<const name_view>(names_.data(), names_.size());
    seen.slots_like_weights = forms.empty();
    seen.forms = ckpt::span<const tensor_form>(forms.data(), forms.size());
    return seen;
  }

 private:
  std::vector<name_view> names_;
};

const tensor_spec specs[] = {{"w", dtype::f32, {2}},
                             {"b", dtype::u8, {3}, role::frozen},
                             {"input", dtype::u8, {1, 1}, role::absent}};

ckpt::model_view model() {
  return {ckpt::span<const tensor_spec>(specs), {}};
}

/// What a layout in a format says of the model with this optimizer.
template <class Format>
ckpt::status laid_out(const ckpt::optimizer_view& optimizer) {
  std::vector<ckpt::section_bounds> sections(1 + optimizer.slot_count);
  std::vector<ckpt::span<const std::uint32_t>> heads(sections.size());
  std::vector<std::uint32_t> words(ckpt::detail::words_needed<Format>(model(), optimizer));
  return ckpt::detail::lay_out<Format>(model(), optimizer, sections, heads.data(), words).error();
}

/// What a reader says of a manifest that the writer would have written.
ckpt::status read_back(const ckpt::optimizer_view& optimizer) {
  const test::bytes data = handmade::completed(handmade::manifest_of(model(), optimizer));
  return ckpt::manifest::view::open(test::view(data)).error();
}

/// Layouts with a manifest refuse exactly what a reader of it would, plain ones do not care.
void check(live_optimizer given, errc wanted, section part) {
  const ckpt::optimizer_view optimizer = given.view();
  CHECK(read_back(optimizer).kind == (wanted == errc::ok ? errc::ok : errc::bad_manifest));
  for (const ckpt::status& said :
       {laid_out<ckpt::v2>(optimizer), laid_out<ckpt::onert_plus>(optimizer)}) {
    CHECK(said.kind == wanted);
    CHECK(said.part == part);
  }
  CHECK(laid_out<ckpt::onert>(optimizer).ok());
}

const std::string bad_names[] = {"\xFF", "gr\xF6n", std::string("a\0b", 3), "\xED\xA0\x80",
                                 std::string(65536, 'x')};

}  // namespace

TEST_CASE("a name of an optimizer that no reader would take is refused by its layout") {
  check({}, errc::ok, section::none);
  for (const std::string& name : bad_names) {
    live_optimizer optimizer;
    optimizer.name = name;
    check(optimizer, errc::invalid_name, section::manifest);
  }
  for (const std::string& name :
       {std::string(), std::string("gr\xC3\xBCn"), std::string(65535, 'x')}) {
    live_optimizer optimizer;
    optimizer.name = name;
    check(optimizer, errc::ok, section::none);
  }
}

TEST_CASE("a name of a slot that no reader would take is refused by its layout, by its slot") {
  for (const std::string& name : bad_names) {
    live_optimizer optimizer;
    optimizer.slots[1] = name;
    check(optimizer, errc::invalid_name, ckpt::slot_section(1));
    CHECK(laid_out<ckpt::v2>(optimizer.view()).found == name.size());
  }
  for (const std::string& name : {std::string(), std::string("m"), std::string(65535, 'x')}) {
    live_optimizer optimizer;
    optimizer.slots[1] = name;  // two slots of one name are read, too
    check(optimizer, errc::ok, section::none);
  }
}

TEST_CASE("onert_micro_plus refuses names of slots, too") {
  // It keeps slots for every tensor that it stores.
  const tensor_spec micro[] = {{"input", dtype::u8, {1}, role::absent}, {"w", dtype::f32, {2}}};
  const ckpt::model_view known{ckpt::span<const tensor_spec>(micro), {}};
  live_optimizer optimizer;
  using format = ckpt::onert_micro_plus;
  CHECK(format::check(known, optimizer.view()).ok());
  optimizer.slots[0] = "\xFF";
  CHECK(format::check(known, optimizer.view()).kind == errc::invalid_name);
}

TEST_CASE("the form of a slot that no reader would take is refused, whether or not it is stored") {
  // Slot by slot, as a frozen and an absent tensor have one, too.
  const tensor_form like_w(dtype::f32, {2});
  const tensor_form half(dtype::f16, {2});
  const tensor_form flat(dtype::u8, {1});
  const tensor_form huge(dtype::f64, {std::uint64_t{1} << 62U});
  const tensor_form nine(dtype::u8, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  live_optimizer optimizer;
  for (std::size_t place = 0; place < 6; ++place) {
    CAPTURE(place);
    optimizer.forms = {half, flat, flat, half, flat, flat};
    CHECK(laid_out<ckpt::v2>(optimizer.view()).ok());
    optimizer.forms[place] = huge;
    const ckpt::status large = laid_out<ckpt::v2>(optimizer.view());
    CHECK(large.kind == errc::too_large);
    CHECK(large.part == ckpt::slot_section(place / 3));
    CHECK(large.tensor == place % 3);
    CHECK(read_back(optimizer.view()).kind == errc::bad_manifest);
    optimizer.forms[place] = nine;
    CHECK(laid_out<ckpt::v2>(optimizer.view()).kind == errc::invalid_shape);
    CHECK(laid_out<ckpt::onert_plus>(optimizer.view()).kind == errc::invalid_shape);
  }
  // Where all slots are like their weights their forms are not written, so those of tensors
  // without slots do not matter.
  optimizer.forms = {like_w, nine, huge, like_w, huge, nine};
  CHECK(laid_out<ckpt::v2>(optimizer.view()).ok());
}

TEST_CASE("a manifest whose length does not fit its 32 bits is refused before it is written") {
  const std::string name(65000, 'n');
  const auto check = [&name](std::size_t count, errc wanted) {
    // One name for all, so that it costs nothing; nobody has looked for the same name twice yet.
    const std::vector<tensor_spec> many(
        count, tensor_spec::named(name_view(name.data(), name.size()), dtype::u8, {1}));
    const ckpt::model_view known{ckpt::span<const tensor_spec>(many.data(), many.size()), {}};
    const auto adam = ckpt::view_of_optimizer<ckpt::adam>();
    const ckpt::status said = ckpt::manifest::check_size(known, adam);
    CHECK(said.kind == wanted);
    if (wanted == errc::ok) return;
    CHECK(said.expected == 0xFFFFFFFF);
    CHECK(said.found == ckpt::manifest::measure(known, adam).total_bytes());
    CHECK(said.found > 0xFFFFFFFF);
    CHECK(said.part == section::manifest);
    CHECK(ckpt::v2::check(known, adam).kind == wanted);
    CHECK(ckpt::onert_plus::check(known, adam).kind == wanted);
  };
  check(66000, errc::ok);
  check(67000, errc::too_large);
}
