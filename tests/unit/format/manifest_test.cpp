#include "fixtures.hpp"
#include "format/handmade.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::role;
using handmade::manifest;
using handmade::tensor;

namespace {

struct net {
  static constexpr auto tensors = ckpt::tensors({{"input", dtype::u8, {1, 28, 28}, role::absent},
                                                 {"conv.w", dtype::f32, {3, 3, 1, 8}},
                                                 {"gr\xC3\xB6\xC3\x9F"
                                                  "e",
                                                  dtype::bf16,
                                                  {}},
                                                 {"scale", dtype::f64, {2, 0}, role::frozen},
                                                 {dtype::boolean, {1, 1, 1, 1, 1, 1, 1, 5}}});
  static constexpr auto visits = ckpt::visit_order({4, 1, 2, 3, 1});
};

struct plain_net {
  static constexpr auto tensors = net::tensors;
};

struct one {
  static constexpr auto tensors = ckpt::tensors({{"w", dtype::f32, {1}}});
};

/// Five slots; no two are alike.
struct five_slots {
  static constexpr ckpt::name_view name = "five";
  static constexpr std::size_t slot_count = 5;
  static constexpr ckpt::name_view slot_names[] = {"a", "bb", "ccc", "dddd", "eeeee"};
  static constexpr ckpt::tensor_form slot(std::size_t which, const ckpt::tensor_form& weight) {
    if (which == 0) return {dtype::f16, weight.extents()};
    return {dtype::u8, {which, weight.extents().element_count()}};
  }
};

struct nobody {
  static constexpr std::size_t slot_count = 1;
};

test::bytes bytes_of(ckpt::span<const std::uint32_t> words) {
  const ckpt::bytes_view bytes = ckpt::as_bytes(words);
  return {bytes.begin(), bytes.end()};
}

/// All but the checksums as the library writes it.
template <class Model, class Optimizer>
test::bytes encoded() {
  const auto model = ckpt::view_of<Model>();
  const auto optimizer = ckpt::view_of_optimizer<Optimizer>();
  const ckpt::manifest::sizes sizes = ckpt::manifest::measure(model, optimizer);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(sizes.constant_words()));
  ckpt::manifest::write(model, optimizer, sizes, words.data());
  return bytes_of(words);
}

template <class Model, class Optimizer>
void check_encoding() {
  const manifest says =
      handmade::manifest_of(ckpt::view_of<Model>(), ckpt::view_of_optimizer<Optimizer>());
  test::bytes wanted = handmade::completed(says);
  const auto sizes =
      ckpt::manifest::measure(ckpt::view_of<Model>(), ckpt::view_of_optimizer<Optimizer>());
  CHECK(sizes.total_bytes() == wanted.size());
  wanted.resize(wanted.size() - 4 * says.payloads() - 4);
  CHECK(encoded<Model, Optimizer>() == wanted);
}

ckpt::status why(const test::bytes& data) {
  return ckpt::manifest::view::open(test::view(data)).error();
}
ckpt::status why(const manifest& says) {
  return why(handmade::completed(says));
}

/// Two tensors and two slots: what hostile manifests are made of.
manifest sound() {
  manifest says;
  says.tensors = {{"fc.w", 0, {2, 3}}, {"fc.b", 5, {3}, 1}};
  says.optimizer = "adam";
  says.slots = {"m", "v"};
  return says;
}

/// The same with forms and a visit order, so that every part is there.
manifest full() {
  manifest says = sound();
  says.slot_forms = {{"", 2, {6}}, {"", 0, {}}, {"", 5, {2, 3}}, {"", 12, {0}}};
  says.visits = {1, 0};
  return says;
}

/// A manifest of which some bytes have another value, with lengths and fingerprint made right.
test::bytes with(const manifest& says, std::size_t at, std::uint64_t value, std::size_t width) {
  test::bytes constant = handmade::constant_part(says);
  handmade::set(constant, at, value, width);
  return handmade::completed(constant, says.appended, says.payloads());
}
/// The same without making anything right.
test::bytes raw(const manifest& says, std::size_t at, std::uint64_t value, std::size_t width) {
  test::bytes data = handmade::completed(says);
  handmade::set(data, at, value, width);
  return data;
}

/// A whole onert_plus checkpoint that says this.
test::bytes plus_file(const manifest& says) {
  handmade::file holds{says, std::vector<test::bytes>(says.payloads()), handmade::footer(1, 2)};
  for (std::size_t k = 0; k < holds.payloads.size(); ++k) {
    const std::size_t count = says.tensors.size();
    const tensor& form = k >= count && !says.slot_forms.empty() ? says.slot_forms[k - count]
                                                                : says.tensors[k % count];
    const unsigned role = says.tensors[k % count].role;
    std::size_t size = ckpt::byte_width(static_cast<dtype>(form.type));
    for (const std::uint64_t extent : form.extents) size *= static_cast<std::size_t>(extent);
    if (role == 0 || (role == 1 && k < count))
      holds.payloads[k] = test::bytes(size, static_cast<std::byte>(k + 1));
  }
  return handmade::onert_plus(holds);
}

}  // namespace

TEST_CASE("a manifest is encoded as its picture says") {
  check_encoding<net, ckpt::adam>();
  check_encoding<net, ckpt::sgd>();
  check_encoding<net, ckpt::adafactor>();
  check_encoding<plain_net, ckpt::amsgrad>();
  check_encoding<plain_net, five_slots>();
  check_encoding<plain_net, nobody>();
  check_encoding<one, ckpt::momentum>();
  check_encoding<fixture::no_tensors, ckpt::adam>();
  check_encoding<fixture::no_tensors, five_slots>();
}

namespace {

/// Word `k` of the manifest in the constant part of a static layout.
template <class Model, class Optimizer, class Format>
constexpr std::uint32_t word(std::size_t k) {
  using layout = ckpt::layout<Model, Optimizer, Format>;
  const std::size_t first = Format::kind == ckpt::dialect::v2
                                ? 16 + 2 * layout::tensor_count * (1 + layout::slot_count)
                                : 5 + layout::tensor_count;
  return ckpt::little_word(layout::template head<0>[first + k]);
}

template <class Model, class Optimizer, class Format>
constexpr std::uint64_t fingerprint =
    word<Model, Optimizer, Format>(8) | std::uint64_t{word<Model, Optimizer, Format>(9)} << 32;

// All but the checksums is a constant of the program, in each format.
static_assert(word<net, ckpt::adam, ckpt::onert_plus>(0) == 0x706B638A);
static_assert(word<net, ckpt::adam, ckpt::v2>(1) == 0x0A444974);
static_assert(word<net, ckpt::sgd, ckpt::onert_micro_plus>(4) == 5);
static_assert(word<net, ckpt::adam, ckpt::v2>(5) == 2);
static_assert(word<net, ckpt::adam, ckpt::onert_plus>(6) == 5);
static_assert(fingerprint<net, ckpt::adam, ckpt::onert_plus> != 0);

// The fingerprint is one of model and optimizer, not of the format.
static_assert(fingerprint<net, ckpt::adam, ckpt::onert_plus> ==
              fingerprint<net, ckpt::adam, ckpt::v2>);
static_assert(fingerprint<net, ckpt::adam, ckpt::v2> ==
              fingerprint<net, ckpt::adam, ckpt::v2_with<4096, 88>>);
static_assert(fingerprint<net, ckpt::sgd, ckpt::onert_plus> ==
              fingerprint<net, ckpt::sgd, ckpt::onert_micro_plus>);
static_assert(fingerprint<net, ckpt::adam, ckpt::v2> != fingerprint<net, ckpt::sgd, ckpt::v2>);
static_assert(fingerprint<net, ckpt::adam, ckpt::v2> != fingerprint<net, ckpt::adamw, ckpt::v2>);
static_assert(fingerprint<net, ckpt::adam, ckpt::v2> !=
              fingerprint<plain_net, ckpt::adam, ckpt::v2>);

// A head ends where the checksums begin.
static_assert(ckpt::layout<net, ckpt::adam, ckpt::onert_plus>::head<0>.size() ==
              5 + 5 +
                  ckpt::manifest::measure(ckpt::view_of<net>(),
                                          ckpt::view_of_optimizer<ckpt::adam>())
                      .constant_words());
static_assert(ckpt::layout<net, ckpt::adam, ckpt::onert_plus>::head<1>.size() == 5);
static_assert(ckpt::layout<net, ckpt::adam, ckpt::v2>::head<1>.empty());

}  // namespace

TEST_CASE("a fingerprint changes with every name, dtype, extent, role, order and slot") {
  const auto print = [](const manifest& says) {
    const test::bytes data = handmade::completed(says);
    const auto opened = ckpt::manifest::view::open(test::view(data));
    REQUIRE_MESSAGE(opened.ok(), test::words(opened.error().message()));
    return opened->fingerprint();
  };
  std::vector<std::uint64_t> seen = {print(full())};
  const auto add = [&](auto change) {
    manifest says = full();
    change(says);
    seen.push_back(print(says));
  };
  add([](manifest& says) { says.tensors[0].name = "fc.W"; });
  add([](manifest& says) { says.tensors[1].name = ""; });
  add([](manifest& says) { std::swap(says.tensors[0].name, says.tensors[1].name); });
  // Names whose characters are the same, end to end.
  add([](manifest& says) { says.tensors[0].name = "fc.wf", says.tensors[1].name = "c.b"; });
  add([](manifest& says) { says.tensors[0].type = 8; });
  add([](manifest& says) { says.tensors[0].extents = {3, 2}; });
  add([](manifest& says) { says.tensors[0].extents = {6}; });
  add([](manifest& says) { says.tensors[0].extents = {2, 3, 1}; });
  add([](manifest& says) { says.tensors[0].role = 1; });
  add([](manifest& says) { says.tensors[1].role = 0; });
  add([](manifest& says) { std::swap(says.tensors[0], says.tensors[1]); });
  add([](manifest& says) { says.optimizer = "adamw"; });
  add([](manifest& says) { says.optimizer = ""; });
  add([](manifest& says) { says.slots[0] = "M"; });
  add([](manifest& says) { std::swap(says.slots[0], says.slots[1]); });
  add([](manifest& says) { says.slots.pop_back(), says.slot_forms.resize(2); });
  add([](manifest& says) { says.slot_forms.clear(); });
  add([](manifest& says) { says.slot_forms[2].type = 4; });
  add([](manifest& says) { says.slot_forms[0].extents = {2, 3}; });
  add([](manifest& says) { says.visits = {0, 1}; });
  add([](manifest& says) { says.visits.clear(); });
  for (std::size_t i = 0; i < seen.size(); ++i)
    for (std::size_t k = i + 1; k < seen.size(); ++k) {
      CAPTURE(i);
      CAPTURE(k);
      CHECK(seen[i] != seen[k]);
    }
  // How the manifest is written is not what it says.
  manifest later = full();
  later.minor = 3;
  later.appended = test::bytes(8, std::byte{0xAB});
  CHECK(print(later) == seen[0]);
}

TEST_CASE("a manifest is read back as it was said") {
  const test::bytes data = handmade::completed(full());
  const auto opened = ckpt::manifest::view::open(test::view(data));
  REQUIRE(opened.ok());
  CHECK(opened->size() == 2);
  CHECK(opened->slot_count() == 2);
  CHECK(opened->visit_count() == 2);
  CHECK(opened->visit(0) == 1);
  CHECK(opened->visit(1) == 0);
  CHECK(opened->has_slot_forms());
  CHECK(opened->bytes().size() == data.size());
  CHECK(handmade::text_of(opened->optimizer_name()) == "adam");
  CHECK(handmade::text_of(opened->slot_name(0)) == "m");
  CHECK(handmade::text_of(opened->slot_name(1)) == "v");
  ckpt::tensor_spec specs[2];
  opened->list(specs);
  CHECK(handmade::text_of(specs[0].name()) == "fc.w");
  CHECK(specs[0].extents() == ckpt::shape{2, 3});
  CHECK(specs[0].purpose() == role::trainable);
  CHECK(handmade::text_of(specs[1].name()) == "fc.b");
  CHECK(specs[1].type() == dtype::u8);
  CHECK(specs[1].purpose() == role::frozen);
  // The frozen tensor has a form in each slot, and nothing stored there.
  const std::uint64_t sizes[] = {24, 3, 12, 0, 6, 0};
  std::size_t next = 0;
  const ckpt::status said =
      opened->for_each_payload([&](std::size_t s, std::size_t i, const ckpt::tensor_spec& spec,
                                   const ckpt::tensor_form& form, std::uint64_t extent) {
        CHECK(s * 2 + i == next);
        CHECK(spec.type() == specs[i].type());
        if (next == 4) CHECK(form.extents() == ckpt::shape{2, 3});
        if (next == 5) CHECK(form.type() == dtype::boolean);
        CHECK(extent == sizes[next++]);
        return ckpt::status{};
      });
  CHECK(said.ok());
  CHECK(next == 6);
}

TEST_CASE("names may be absent, and tensors may be none, one or a thousand") {
  manifest says;
  CHECK(why(says).ok());
  says.slots = {"", ""};
  CHECK(why(says).ok());
  says.tensors = {{"", 0, {}}};
  CHECK(why(says).ok());
  says.tensors.clear();
  for (int i = 0; i < 1000; ++i)
    says.tensors.push_back({"layer." + std::to_string(i) + ".weight", 0, {3, 1}});
  CHECK(why(says).ok());
  const test::bytes data = handmade::completed(says);
  const auto opened = ckpt::manifest::view::open(test::view(data));
  std::vector<ckpt::tensor_spec> specs(1000);
  opened->list(specs);
  CHECK(handmade::text_of(specs[999].name()) == "layer.999.weight");
  const test::bytes file = plus_file(says);
  CHECK(ckpt::verify(test::view(file)).error.ok());
  CHECK(ckpt::verify(test::view(file)).map.tensor_count == 1000);
}

TEST_CASE("every cut of a manifest is refused; what follows it does no harm") {
  for (const manifest& says : {sound(), full(), manifest{}}) {
    const test::bytes data = handmade::completed(says);
    for (std::size_t size = 0; size < data.size(); ++size) {
      CAPTURE(size);
      const test::bytes cut(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size));
      CHECK(why(cut).kind == (size < 48 ? errc::bad_manifest : errc::truncated));
      if (size >= 48) CHECK(why(cut).expected == data.size());
    }
    test::bytes longer = data;
    longer.resize(data.size() + 5, std::byte{0xFF});
    CHECK(why(longer).ok());
  }
}

TEST_CASE("a field of the manifest's header that is out of range is refused") {
  const manifest says = full();
  for (const std::uint64_t edge :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{0x7FFFFFFF},
        std::uint64_t{0x80000000}, std::uint64_t{0x80000001}, std::uint64_t{0xFFFFFFFC},
        std::uint64_t{0xFFFFFFFF}}) {
    for (const std::size_t at : {0U, 4U, 12U, 16U, 20U, 24U, 28U, 32U, 36U, 40U, 44U}) {
      CAPTURE(at);
      CAPTURE(edge);
      // The number of tensors, slots and visits are 2; flags are 1.
      if (at == 28 && edge == 1) continue;
      CHECK_FALSE(why(raw(says, at, edge, 4)).ok());
      // `with()` makes lengths and fingerprint right again.
      const bool is_mended = at == 12 || at == 32 || at == 36 || at == 44;
      CHECK(why(with(says, at, edge, 4)).ok() == is_mended);
    }
  }
  // Numbers whose products are right again modulo 2^32 or 2^64.
  for (const std::uint64_t slots : {0x80000001U, 0xFFFFFFFFU, 0xFFFFFFFEU, 0x40000001U})
    for (const std::uint64_t count : {0U, 1U, 2U, 0x80000000U, 0xFFFFFFFFU}) {
      test::bytes data = raw(says, 20, slots, 4);
      handmade::set(data, 16, count, 4);
      handmade::set(data, 12, handmade::get(data, 44, 4) + 4 * (1 + slots) * count + 4, 4);
      CAPTURE(slots);
      CAPTURE(count);
      CHECK_FALSE(why(data).ok());
    }
}

TEST_CASE("another major version cannot be read, a flag without meaning neither") {
  for (const std::uint64_t major : {0U, 2U, 0xFFFFU}) {
    const ckpt::status said = why(with(sound(), 8, major, 2));
    CHECK(said.kind == errc::unsupported_version);
    CHECK(said.expected == 1);
    CHECK(said.found == major);
  }
  CHECK(why(with(sound(), 28, 2, 4)).kind == errc::bad_manifest);
  CHECK(why(with(sound(), 28, 0x80000000, 4)).kind == errc::bad_manifest);
}

TEST_CASE(
    "records with an unknown dtype or role, a rank of 9 or a used zero are refused by place") {
  const auto check = [](std::size_t at, std::uint64_t value, std::size_t width,
                        std::size_t record) {
    CAPTURE(at);
    CAPTURE(value);
    const ckpt::status said = why(with(full(), at, value, width));
    CHECK(said.kind == errc::bad_manifest);
    CHECK(said.part == ckpt::section::manifest);
    CHECK(said.offset == record);
  };
  // The records of full() are at 48 and 72, the forms at 88, 100, 104 and 124.
  for (const unsigned type : {13U, 14U, 0x80U, 0xFFU}) {
    check(48, type, 1, 48);
    check(72, type, 1, 72);
    check(88, type, 1, 88);
    check(124, type, 1, 124);
  }
  for (const unsigned purpose : {3U, 0xFFU}) check(49, purpose, 1, 48);
  for (const unsigned rank : {9U, 0xFFU}) {
    check(50, rank, 1, 48);
    check(74, rank, 1, 72);
    check(90, rank, 1, 88);
  }
  check(51, 1, 1, 48);
  check(89, 1, 1, 88);
  check(91, 1, 1, 88);
  // A visit of a tensor that is not there.
  check(136, 2, 4, 136);
  check(140, 0xFFFFFFFF, 4, 140);
}

TEST_CASE("shapes that exceed 64 bits are refused, whatever their role") {
  for (const unsigned role : {0U, 1U, 2U}) {
    manifest says = sound();
    says.tensors[0].role = role;
    for (const auto& extents : {std::vector<std::uint64_t>{0x100000000, 0x100000000},
                                {~std::uint64_t{0}},
                                {0x4000000000000000},
                                {2, 2, 2, 0x2000000000000000},
                                {~std::uint64_t{0}, 2}}) {
      says.tensors[0].extents = extents;
      CHECK(why(says).kind == errc::bad_manifest);
      CHECK(why(says).offset == 48);
    }
    // Nothing is nothing, however long.
    says.tensors[0].extents = {0, ~std::uint64_t{0}, ~std::uint64_t{0}};
    CHECK(why(says).ok());
    // The longest that can be said.
    says.tensors[0].extents = {0x3FFFFFFFFFFFFFFF};
    CHECK(why(says).ok());
  }
  manifest says = full();
  says.slot_forms[1].extents = {0x100000000, 0x100000000};
  CHECK(why(says).kind == errc::bad_manifest);
}

TEST_CASE("two tensors that fit 64 bits each and not together are refused in a file") {
  manifest says;
  says.tensors = {{"a", 5, {0xFFFFFFFFFFFFFF00}}, {"b", 5, {0xFFFFFFFFFFFFFF00}}};
  says.optimizer = "sgd";
  REQUIRE(why(says).ok());
  handmade::file holds{says, std::vector<test::bytes>(2), handmade::footer(1, 2)};
  CHECK_FALSE(ckpt::verify(test::view(handmade::onert_plus(holds))).error.ok());
  holds.footer = handmade::state_section({}, 88);
  CHECK_FALSE(ckpt::verify(test::view(handmade::v2(holds, 1))).error.ok());
}

TEST_CASE("names that are not UTF-8 are refused, wherever they stand") {
  const std::string bad[] = {std::string("a\0b", 3),
                             "\x80",
                             "\xFF",
                             "\xC3",
                             "\xC0\x80",
                             "\xC1\xBF",
                             "\xE0\x80\x80",
                             "\xED\xA0\x80",
                             "\xED\xBF\xBF",
                             "\xE2\x82",
                             "\xF0\x80\x80\x80",
                             "\xF4\x90\x80\x80",
                             "\xF5\x80\x80\x80",
                             "ab\xFE"};
  for (const std::string& name : bad) {
    CAPTURE(name);
    manifest says = sound();
    says.tensors[1].name = name;
    CHECK(why(says).kind == errc::bad_manifest);
    CHECK(why(says).offset == 72);
    says = sound();
    says.optimizer = name;
    CHECK(why(says).kind == errc::bad_manifest);
    CHECK(why(says).offset == 88);
    says = sound();
    says.slots[1] = name;
    CHECK(why(says).kind == errc::bad_manifest);
    CHECK(why(says).offset == 96);
  }
  for (const char* name : {"\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "\n \x7F"}) {
    manifest says = sound();
    says.tensors[0].name = name;
    CHECK(why(says).ok());
  }
}

TEST_CASE("lengths of names that leave the manifest or do not fill it are refused") {
  const std::size_t fields[] = {52, 76, 88, 92, 96};  // two tensors, the optimizer, two slots
  for (const std::size_t at : fields) {
    for (const std::uint64_t length :
         {5U, 8U, 0xFFU, 65535U, 65536U, 0x7FFFFFFFU, 0xFFFFFFFCU, 0xFFFFFFFDU, 0xFFFFFFFFU}) {
      CAPTURE(at);
      CAPTURE(length);
      CHECK(why(with(sound(), at, length, 4)).kind == errc::bad_manifest);
    }
    CHECK(why(with(sound(), at, 0, 4)).kind == errc::bad_manifest);
  }
  // Lengths that are too long and too short by the same.
  test::bytes constant = handmade::constant_part(sound());
  handmade::set(constant, 52, 0, 4);
  handmade::set(constant, 76, 8, 4);
  // "fc.w" has become a part of the other's name: another manifest, not a broken one.
  CHECK(why(handmade::completed(constant, {}, 6)).ok());
}

TEST_CASE("a name of 65,535 bytes is read, one more is refused on both sides") {
  manifest says = sound();
  says.tensors[0].name = std::string(65535, 'x');
  CHECK(why(says).ok());
  says.tensors[0].name += 'x';
  CHECK(why(says).kind == errc::bad_manifest);
  const std::string& name = says.tensors[0].name;
  const auto check = [&name](std::size_t size) {
    const ckpt::tensor_spec spec = ckpt::tensor_spec::named({name.data(), size}, dtype::u8, {1});
    const ckpt::model_view model{ckpt::span<const ckpt::tensor_spec>(&spec, 1), {}};
    return ckpt::manifest::check_model(model).kind;
  };
  CHECK(check(65535) == errc::ok);
  CHECK(check(65536) == errc::invalid_name);
}

TEST_CASE("zeros behind names that are not zero are refused") {
  // "m" is at 104 in sound(): its zeros are 105 to 107.
  for (const std::size_t at : {105U, 107U}) {
    const ckpt::status said = why(with(sound(), at, 1, 1));
    CHECK(said.kind == errc::bad_manifest);
  }
}

TEST_CASE("an appended block is refused as version 1.0 and skipped as a later minor version") {
  for (const std::size_t size : {4U, 8U, 400U}) {
    CAPTURE(size);
    manifest says = full();
    says.appended = test::bytes(size, std::byte{0xA5});
    CHECK(why(says).kind == errc::bad_manifest);
    says.minor = 1;
    CHECK(why(says).ok());
    says.minor = 0xFFFF;
    CHECK(why(says).ok());
    const test::bytes data = handmade::completed(says);
    const auto opened = ckpt::manifest::view::open(test::view(data));
    CHECK(opened->visit(0) == 1);
    CHECK(handmade::text_of(opened->slot_name(1)) == "v");
  }
}

TEST_CASE("an onert_plus file of a later minor version is verified and read") {
  const ckpt::tensor_spec specs[] = {{"fc.w", dtype::f32, {2, 3}},
                                     {"fc.b", dtype::u8, {3}, role::frozen}};
  const ckpt::model_view model{ckpt::span<const ckpt::tensor_spec>(specs), {}};
  manifest says = sound();
  says.minor = 2;
  says.appended = test::bytes(200, std::byte{0xA5});
  const test::bytes file = plus_file(says);
  const ckpt::description said = ckpt::verify(test::view(file));
  REQUIRE_MESSAGE(said.error.ok(), test::words(said.error.message()));
  CHECK(said.map.kind == ckpt::dialect::onert_plus);
  const handmade::live_layout<ckpt::adam, ckpt::onert_plus> layout(model);
  using reader = ckpt::reader<ckpt::dynamic_model, ckpt::adam, ckpt::onert_plus>;
  const auto opened = reader::open(layout.get(), test::view(file));
  REQUIRE_MESSAGE(opened.ok(), test::words(opened.error().message()));
  test::owned_state<ckpt::dynamic_model, ckpt::adam> state(model);
  REQUIRE(opened->load_into(state.view).ok());
  CHECK(state.payload(0, 0) == test::bytes(24, std::byte{1}));
  CHECK(state.payload(2, 0) == test::bytes(24, std::byte{5}));
  CHECK(state.view.training == ckpt::training_state{1, 2});

  // The block is covered by the checksum, though nobody knows what it means.
  test::bytes damaged = file;
  damaged[handmade::checksums_at(file) - 1] ^= std::byte{1};
  CHECK(ckpt::verify(test::view(damaged)).error.kind == errc::checksum_mismatch);
  // A major version of the future is not this manifest at all.
  test::bytes major = file;
  handmade::set(major, handmade::manifest_at(file) + 8, 2, 2);
  handmade::seal(major);
  CHECK(ckpt::verify(test::view(major)).error.kind == errc::unsupported_version);
  CHECK(reader::open(layout.get(), test::view(major)).error().kind == errc::unsupported_version);
}

TEST_CASE("a model that a manifest cannot say is refused by its layout") {
  const auto make = [](const ckpt::tensor_spec& spec, auto format, auto optimizer) {
    using layout = ckpt::layout<ckpt::dynamic_model, decltype(optimizer), decltype(format)>;
    const ckpt::dynamic_model model(ckpt::span<const ckpt::tensor_spec>(&spec, 1));
    std::vector<std::uint32_t> words(layout::words_needed(model));
    return layout::make(model, words).error();
  };
  const ckpt::adam adam;
  const auto latin1 = ckpt::tensor_spec::named(
      "gr\xF6\xDF"
      "e",
      dtype::u8, {1});
  CHECK(make(latin1, ckpt::onert_plus{}, adam).kind == errc::invalid_name);
  CHECK(make(latin1, ckpt::v2{}, adam).kind == errc::invalid_name);
  CHECK(make(latin1, ckpt::v2{}, adam).tensor == 0);
  CHECK(make(latin1, ckpt::onert{}, adam).ok());
  const ckpt::tensor_spec huge("x", dtype::f32, {0x100000000, 0x100000000}, role::absent);
  CHECK(make(huge, ckpt::v2{}, adam).kind == errc::too_large);
  CHECK(make(huge, ckpt::onert_plus{}, adam).kind == errc::too_large);
  // Nine dimensions: found before anybody looks at the ninth.
  const ckpt::tensor_spec nine("x", dtype::f32, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(make(nine, ckpt::v2{}, adam).kind == errc::invalid_shape);
  CHECK(make(nine, ckpt::v2{}, ckpt::adafactor{}).kind == errc::invalid_shape);
  CHECK(make(nine, ckpt::onert_plus{}, ckpt::adafactor{}).kind == errc::invalid_shape);
  const ckpt::tensor_spec wide("x", dtype::f32, {0xC0000000});
  CHECK(make(wide, ckpt::onert_plus{}, ckpt::sgd{}).kind == errc::too_large);
  CHECK(make(wide, ckpt::v2{}, ckpt::sgd{}).ok());
}
