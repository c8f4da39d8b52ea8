#include "fixtures.hpp"
#include "format/handmade.hpp"
#include "support.hpp"

using ckpt::byte_order;
using ckpt::dialect;
using ckpt::dtype;
using ckpt::errc;
using ckpt::role;
using ckpt::section;
using fixture::three;

namespace {

/// Odd sizes, a scalar, a name that is not ASCII.
struct odd {
  static constexpr auto tensors = ckpt::tensors({{"w", dtype::f32, {3}},
                                                 {"gr\xC3\xB6\xC3\x9F"
                                                  "e",
                                                  dtype::u8,
                                                  {5}},
                                                 {"s", dtype::f16, {}}});
};

struct one {
  static constexpr auto tensors = ckpt::tensors({{"w", dtype::u8, {3}}});
};

struct two {
  static constexpr auto tensors = ckpt::tensors({{"w", dtype::u8, {3}}, {"b", dtype::i16, {2, 1}}});
};

struct five {
  static constexpr auto tensors = ckpt::tensors({{"a", dtype::u8, {3}},
                                                 {"none", dtype::f64, {2, 0}},
                                                 {"c", dtype::u8, {1}},
                                                 {"d", dtype::f32, {2}},
                                                 {"e", dtype::u8, {0}}});
};

/// One of each role.
struct roles {
  static constexpr auto tensors = ckpt::tensors({{"input", dtype::f32, {2, 2}, role::absent},
                                                 {"w", dtype::f32, {2, 2}},
                                                 {"scale", dtype::f32, {3}, role::frozen},
                                                 {"b", dtype::u8, {3}}});
};

/// As onert-micro has it: the graph's input is absent, all else is trainable, the last operator
/// comes first.
struct graph {
  static constexpr auto tensors = ckpt::tensors({{"input", dtype::f32, {1, 2}, role::absent},
                                                 {"w", dtype::f32, {2, 2}},
                                                 {"hidden", dtype::f32, {1, 2}, role::absent},
                                                 {"b", dtype::f32, {2}}});
  static constexpr auto visits = ckpt::visit_order({3, 1, 3});
};

/// Tensors that are known by their index only.
struct nameless {
  static constexpr auto tensors = ckpt::tensors({{dtype::u8, {3}}, {dtype::u8, {2}}});
};

using small_v2 = ckpt::v2_with<16, 88>;
using tight_v2 = ckpt::v2_with<1, 88>;

/// A state, and the file that the library writes of it.
template <class Format, class Model, class Optimizer>
struct sample {
  sample() {
    state.fill(20);
    file = test::written<Format>(state.view);
  }
  test::owned_state<Model, Optimizer> state;
  test::bytes file;
};

/// Memory whose every change is seen.
template <class Model, class Optimizer>
struct destination {
  destination() {
    state.fill(77);
    before = state.memory;
    training = state.view.training;
  }
  [[nodiscard]] bool is_untouched() const {
    return state.memory == before && state.view.training == training;
  }
  void reset() {
    for (std::size_t k = 0; k < before.size(); ++k)
      if (!before[k].empty())
        std::memcpy(state.memory[k].data(), before[k].data(), before[k].size());
    state.view.training = training;
  }
  test::owned_state<Model, Optimizer> state;
  std::vector<test::bytes> before;
  ckpt::training_state training;
};

struct tally {
  std::size_t tried = 0;
  std::size_t found = 0;    ///< verify refuses the file
  std::size_t refused = 0;  ///< the reader refuses it and touches nothing
  std::size_t padding = 0;  ///< the reader takes it: what has changed belongs to nobody
  std::size_t wrong = 0;    ///< anything else
};

/// What a reader makes of a damaged file.
template <class Reader, class Format, class Model, class Optimizer>
void judge_reader(const test::bytes& damaged, const sample<Format, Model, Optimizer>& good,
                  bool is_padding, destination<Model, Optimizer>& to, tally& count) {
  const auto opened = Reader::open(test::view(damaged));
  if (opened.ok() && opened->load_into(to.state.view).ok()) {
    const bool is_right =
        to.state.memory == good.state.memory && to.state.view.training == good.state.view.training;
    ++(is_right && is_padding ? count.padding : count.wrong);
    to.reset();
    return;
  }
  ++(to.is_untouched() ? count.refused : count.wrong);
}

template <class Format, class Model, class Optimizer>
tally flip_every_bit() {
  const sample<Format, Model, Optimizer> good;
  REQUIRE(ckpt::verify(test::view(good.file)).error.ok());
  destination<Model, Optimizer> to;
  tally count;
  test::bytes damaged = good.file;
  for (std::size_t at = 0; at < damaged.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      damaged[at] ^= static_cast<std::byte>(1U << bit);
      ++count.tried;
      const ckpt::status said = ckpt::verify(test::view(damaged)).error;
      CAPTURE(at);
      CAPTURE(bit);
      CHECK_FALSE(said.ok());
      if (!said.ok()) ++count.found;
      judge_reader<ckpt::reader<Model, Optimizer, Format>>(
          damaged, good, said.kind == errc::bad_padding, to, count);
      damaged[at] = good.file[at];
    }
  }
  return count;
}

tally& operator+=(tally& sum, const tally& more) {
  sum.tried += more.tried;
  sum.found += more.found;
  sum.refused += more.refused;
  sum.padding += more.padding;
  sum.wrong += more.wrong;
  return sum;
}

void report(const char* what, const tally& count) {
  CHECK(count.tried > 0);
  CHECK(count.found == count.tried);
  CHECK(count.wrong == 0);
  CHECK(count.refused + count.padding == count.tried);
  MESSAGE(std::string(what) << ": " << count.found << " of " << count.tried
                            << " flipped bits detected by verify; the reader refused "
                            << count.refused << " and read the right tensors past the "
                            << count.padding << " in padding");
}

}  // namespace

TEST_CASE("each flipped bit of onert_plus files is detected") {
  using ckpt::onert_plus;
  tally count = flip_every_bit<onert_plus, odd, ckpt::adam>();
  count += flip_every_bit<onert_plus, odd, ckpt::sgd>();
  count += flip_every_bit<onert_plus, odd, ckpt::momentum>();
  count += flip_every_bit<onert_plus, odd, ckpt::adafactor>();
  count += flip_every_bit<onert_plus, one, ckpt::sgd>();
  count += flip_every_bit<onert_plus, two, ckpt::sgd>();
  count += flip_every_bit<onert_plus, five, ckpt::sgd>();
  count += flip_every_bit<onert_plus, five, ckpt::adam>();
  count += flip_every_bit<onert_plus, roles, ckpt::adam>();
  count += flip_every_bit<onert_plus, roles, ckpt::sgd>();
  count += flip_every_bit<onert_plus, roles, ckpt::momentum>();
  count += flip_every_bit<onert_plus, graph, ckpt::adam>();
  count += flip_every_bit<onert_plus, nameless, ckpt::adam>();
  count += flip_every_bit<onert_plus, fixture::no_tensors, ckpt::sgd>();
  count += flip_every_bit<onert_plus, fixture::no_tensors, ckpt::adam>();
  report("onert_plus", count);
}

TEST_CASE("each flipped bit of onert_micro_plus files is detected") {
  using ckpt::onert_micro_plus;
  tally count = flip_every_bit<onert_micro_plus, graph, ckpt::sgd>();
  count += flip_every_bit<onert_micro_plus, graph, ckpt::adam>();
  count += flip_every_bit<onert_micro_plus, fixture::sparse, ckpt::sgd>();
  count += flip_every_bit<onert_micro_plus, odd, ckpt::sgd>();
  count += flip_every_bit<onert_micro_plus, odd, ckpt::adam>();
  count += flip_every_bit<onert_micro_plus, roles, ckpt::sgd>();
  count += flip_every_bit<onert_micro_plus, fixture::no_tensors, ckpt::sgd>();
  count += flip_every_bit<onert_micro_plus, fixture::no_tensors, ckpt::adam>();
  report("onert_micro_plus", count);
}

TEST_CASE("each flipped bit of v2 files is detected") {
  tally count = flip_every_bit<small_v2, odd, ckpt::adam>();
  count += flip_every_bit<small_v2, odd, ckpt::sgd>();
  count += flip_every_bit<tight_v2, odd, ckpt::amsgrad>();
  count += flip_every_bit<small_v2, roles, ckpt::adafactor>();
  count += flip_every_bit<small_v2, five, ckpt::amsgrad>();
  count += flip_every_bit<small_v2, graph, ckpt::momentum>();
  count += flip_every_bit<tight_v2, one, ckpt::sgd>();
  count += flip_every_bit<tight_v2, nameless, ckpt::adam>();
  count += flip_every_bit<small_v2, fixture::no_tensors, ckpt::sgd>();
  count += flip_every_bit<small_v2, fixture::no_tensors, ckpt::amsgrad>();
  count += flip_every_bit<ckpt::v2, two, ckpt::adam>();
  report("v2", count);
}

namespace {

/// A cut or longer file is refused by verify, by its reader, and by the reader of plain files.
template <class Format, class Model, class Optimizer>
void resize_by_every_length() {
  const sample<Format, Model, Optimizer> good;
  const auto is_refused = [](const test::bytes& file) {
    return !ckpt::verify(test::view(file)).error.ok() &&
           !ckpt::reader<Model, Optimizer, Format>::open(test::view(file)).ok() &&
           !ckpt::reader<Model, ckpt::sgd>::open(test::view(file), ckpt::weights_only).ok();
  };
  for (std::size_t size = 0; size < good.file.size(); ++size) {
    CAPTURE(size);
    const test::bytes cut(good.file.begin(), good.file.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK(is_refused(cut));
    CHECK(ckpt::verify(test::view(cut)).error.kind == errc::truncated);
  }
  for (const std::size_t more : {1U, 4U, 8U, 64U}) {
    CAPTURE(more);
    test::bytes longer = good.file;
    longer.resize(longer.size() + more);
    CHECK(is_refused(longer));
    CHECK(ckpt::verify(test::view(longer)).error.kind == errc::trailing_bytes);
  }
}

}  // namespace

TEST_CASE("B1 every cut of a file with a manifest is truncated, every byte more is one too many") {
  resize_by_every_length<ckpt::onert_plus, odd, ckpt::adam>();
  resize_by_every_length<ckpt::onert_plus, odd, ckpt::sgd>();
  resize_by_every_length<ckpt::onert_plus, roles, ckpt::momentum>();
  resize_by_every_length<ckpt::onert_micro_plus, graph, ckpt::sgd>();
  resize_by_every_length<ckpt::onert_micro_plus, graph, ckpt::adam>();
  resize_by_every_length<small_v2, odd, ckpt::amsgrad>();
  resize_by_every_length<small_v2, five, ckpt::sgd>();
  resize_by_every_length<ckpt::v2, roles, ckpt::adafactor>();
}

namespace {

/// The first thing that a reader of another model has against a file; the destination of that model
/// stays as it is.
template <class Model, class Optimizer, class Format = ckpt::onert_plus>
ckpt::status refusal(const test::bytes& file, const ckpt::read_options& options = {}) {
  destination<Model, Optimizer> to;
  const auto opened = ckpt::reader<Model, Optimizer, Format>::open(test::view(file), options);
  const ckpt::status said = opened.ok() ? opened->load_into(to.state.view).error() : opened.error();
  if (!said.ok()) CHECK(to.is_untouched());
  return said;
}

struct pair {
  static constexpr auto tensors =
      ckpt::tensors({{"a", dtype::f32, {2, 3}}, {"b", dtype::f32, {2, 3}}});
};
struct swapped {
  static constexpr auto tensors =
      ckpt::tensors({{"b", dtype::f32, {2, 3}}, {"a", dtype::f32, {2, 3}}});
};
struct retyped {
  static constexpr auto tensors =
      ckpt::tensors({{"a", dtype::f32, {2, 3}}, {"b", dtype::i32, {2, 3}}});
};
struct reshaped {
  static constexpr auto tensors =
      ckpt::tensors({{"a", dtype::f32, {2, 3}}, {"b", dtype::f32, {3, 2}}});
};
struct flattened {
  static constexpr auto tensors =
      ckpt::tensors({{"a", dtype::f32, {6}}, {"b", dtype::f32, {2, 3}}});
};
struct half_frozen {
  static constexpr auto tensors =
      ckpt::tensors({{"a", dtype::f32, {2, 3}}, {"b", dtype::f32, {2, 3}, role::frozen}});
};
struct half_absent {
  static constexpr auto tensors =
      ckpt::tensors({{"a", dtype::f32, {2, 3}}, {"b", dtype::f32, {2, 3}, role::absent}});
};
struct half_named {
  static constexpr auto tensors = ckpt::tensors({{"a", dtype::f32, {2, 3}}, {dtype::f32, {2, 3}}});
};
struct unnamed {
  static constexpr auto tensors = ckpt::tensors({{dtype::f32, {2, 3}}, {dtype::f32, {2, 3}}});
};

/// Adam with its slots the other way round.
struct v_before_m {
  static constexpr ckpt::name_view name = "adam";
  static constexpr std::size_t slot_count = 2;
  static constexpr ckpt::name_view slot_names[] = {"v", "m"};
};
/// Two slots that nobody has named.
struct anonymous {
  static constexpr std::size_t slot_count = 2;
};
/// Adam whose moments are halves: as many as there are elements.
struct half_moments {
  static constexpr ckpt::name_view name = "adam";
  static constexpr std::size_t slot_count = 2;
  static constexpr ckpt::name_view slot_names[] = {"m", "v"};
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight) {
    return {dtype::f16, weight.extents()};
  }
};
/// Adam whose moments have as many bytes, in another shape or of another dtype.
struct flat_moments : half_moments {
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight) {
    return {dtype::f32, {weight.extents().element_count()}};
  }
};
struct flat_half_moments : half_moments {
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight) {
    return {dtype::f16, {weight.extents().element_count()}};
  }
};
struct whole_moments : half_moments {
  static constexpr ckpt::tensor_form slot(std::size_t which, const ckpt::tensor_form& weight) {
    return {which == 1 ? dtype::i32 : dtype::f32, weight.extents()};
  }
};

}  // namespace

TEST_CASE_TEMPLATE("D1 another order, dtype, shape or role is refused, though the bytes would fit",
                   Format, ckpt::onert_plus, ckpt::v2, small_v2) {
  const test::bytes file = sample<Format, pair, ckpt::adam>().file;
  CHECK(refusal<pair, ckpt::adam, Format>(file).ok());
  const ckpt::status named = refusal<swapped, ckpt::adam, Format>(file);
  CHECK(named.kind == errc::name_mismatch);
  CHECK(named.part == section::weights);
  CHECK(named.tensor == 0);
  CHECK(refusal<retyped, ckpt::adam, Format>(file).kind == errc::dtype_mismatch);
  CHECK(refusal<retyped, ckpt::adam, Format>(file).tensor == 1);
  CHECK(refusal<reshaped, ckpt::adam, Format>(file).kind == errc::shape_mismatch);
  CHECK(refusal<reshaped, ckpt::adam, Format>(file).tensor == 1);
  CHECK(refusal<flattened, ckpt::adam, Format>(file).kind == errc::shape_mismatch);
  CHECK(refusal<flattened, ckpt::adam, Format>(file).tensor == 0);
  CHECK(refusal<half_frozen, ckpt::adam, Format>(file).kind == errc::role_mismatch);
  CHECK(refusal<half_absent, ckpt::adam, Format>(file).kind == errc::role_mismatch);
  CHECK(refusal<half_absent, ckpt::adam, Format>(file, ckpt::weights_only).kind ==
        errc::role_mismatch);
  // The same by readers of another format, and for the weights alone.
  CHECK(refusal<swapped, ckpt::adam, ckpt::onert>(file).kind == errc::name_mismatch);
  CHECK(refusal<swapped, ckpt::sgd, ckpt::onert>(file, ckpt::weights_only).kind ==
        errc::name_mismatch);
  CHECK(refusal<reshaped, ckpt::adam, Format>(file, ckpt::cold_slots).kind == errc::shape_mismatch);
}

TEST_CASE_TEMPLATE("a frozen tensor takes the weight of a trainable one, and the reverse", Format,
                   ckpt::onert_plus, ckpt::v2) {
  const test::bytes file = sample<Format, pair, ckpt::adam>().file;
  CHECK(refusal<half_frozen, ckpt::adam, Format>(file, ckpt::weights_only).ok());
  const test::bytes frozen = sample<Format, half_frozen, ckpt::adam>().file;
  CHECK(refusal<pair, ckpt::adam, Format>(frozen).kind == errc::role_mismatch);
  CHECK(refusal<pair, ckpt::adam, Format>(frozen, ckpt::cold_slots).ok());
}

TEST_CASE_TEMPLATE("names are compared where both sides have one", Format, ckpt::onert_plus,
                   ckpt::v2) {
  const test::bytes file = sample<Format, pair, ckpt::adam>().file;
  CHECK(refusal<half_named, ckpt::adam, Format>(file).ok());
  CHECK(refusal<unnamed, ckpt::adam, Format>(file).ok());
  const test::bytes without = sample<Format, unnamed, ckpt::adam>().file;
  CHECK(refusal<pair, ckpt::adam, Format>(without).ok());
  CHECK(refusal<swapped, ckpt::adam, Format>(without).ok());
  CHECK(refusal<reshaped, ckpt::adam, Format>(without).kind == errc::shape_mismatch);
}

TEST_CASE_TEMPLATE("slots are those of the optimizer by name, dtype and shape", Format,
                   ckpt::onert_plus, ckpt::v2) {
  const test::bytes file = sample<Format, pair, ckpt::adam>().file;
  const ckpt::status turned = refusal<pair, v_before_m, Format>(file);
  CHECK(turned.kind == errc::name_mismatch);
  CHECK(turned.part == ckpt::slot_section(0));
  CHECK(refusal<pair, v_before_m, Format>(file, ckpt::weights_only).ok());
  CHECK(refusal<pair, v_before_m, Format>(file, ckpt::cold_slots).ok());
  CHECK(refusal<pair, ckpt::adafactor, Format>(file).kind == errc::name_mismatch);
  CHECK(refusal<pair, anonymous, Format>(file).ok());
  CHECK(refusal<pair, ckpt::adamw, Format>(file).ok());
  CHECK(refusal<pair, ckpt::lamb, Format>(file).ok());

  const ckpt::status narrow = refusal<pair, half_moments, Format>(file);
  CHECK(narrow.kind == errc::dtype_mismatch);
  CHECK(narrow.part == ckpt::slot_section(0));
  CHECK(narrow.tensor == 0);
  CHECK(refusal<pair, flat_moments, Format>(file).kind == errc::shape_mismatch);
  // Of two differences the dtype is named, as it is for weights.
  CHECK(refusal<pair, flat_half_moments, Format>(file).kind == errc::dtype_mismatch);
  const ckpt::status second = refusal<pair, whole_moments, Format>(file);
  CHECK(second.kind == errc::dtype_mismatch);
  CHECK(second.part == ckpt::slot_section(1));
  const test::bytes halves = sample<Format, pair, half_moments>().file;
  CHECK(refusal<pair, half_moments, Format>(halves).ok());
  CHECK(refusal<pair, ckpt::adam, Format>(halves).kind == errc::dtype_mismatch);
  CHECK(refusal<pair, ckpt::adam, Format>(halves, ckpt::cold_slots).ok());
}

TEST_CASE_TEMPLATE("D8 another number of slots is refused; the weights alone and a cold start work",
                   Format, ckpt::onert_plus, ckpt::v2) {
  const sample<Format, pair, ckpt::adam> full;
  CHECK(refusal<pair, ckpt::momentum, Format>(full.file).kind == errc::optimizer_mismatch);
  CHECK(refusal<pair, ckpt::sgd, Format>(full.file).kind == errc::optimizer_mismatch);
  const test::bytes none = sample<Format, pair, ckpt::sgd>().file;
  CHECK(refusal<pair, ckpt::adam, Format>(none).kind == errc::no_optimizer_state);

  destination<pair, ckpt::momentum> to;
  const auto weights =
      ckpt::reader<pair, ckpt::momentum, Format>::open(test::view(full.file), ckpt::weights_only);
  REQUIRE(weights.ok());
  const auto report = weights->load_into(to.state.view);
  REQUIRE(report.ok());
  CHECK(report->weights_loaded == 2);
  CHECK(report->slots_loaded == 0);
  CHECK(report->slots_ignored == 2);
  CHECK(report->checksums_verified);
  CHECK(report->training == full.state.view.training);
  CHECK(to.state.view.training == to.training);
  CHECK(to.state.payload(0, 1) == full.state.memory[1]);
  CHECK(to.state.payload(1, 1) == to.before[3]);

  const auto cold =
      ckpt::reader<pair, ckpt::momentum, Format>::open(test::view(full.file), ckpt::cold_slots);
  REQUIRE(cold.ok());
  REQUIRE(cold->load_into(to.state.view).ok());
  CHECK(to.state.view.training == full.state.view.training);
  CHECK(to.state.payload(1, 1) == test::bytes(24));
}

TEST_CASE_TEMPLATE("what a reader was not opened for may be damaged; what it loads may not", Format,
                   ckpt::onert_plus, small_v2) {
  const sample<Format, pair, ckpt::adam> good;
  using layout = ckpt::layout<pair, ckpt::adam, Format>;
  test::bytes file = good.file;
  file[static_cast<std::size_t>(layout::template slot_offset<0>(1))] ^= std::byte{1};
  const ckpt::status said = refusal<pair, ckpt::adam, Format>(file);
  CHECK(said.kind == errc::checksum_mismatch);
  CHECK(said.part == ckpt::slot_section(0));
  CHECK(said.tensor == 1);
  CHECK(said.offset == layout::template slot_offset<0>(1));
  CHECK(refusal<pair, ckpt::adam, Format>(file, ckpt::weights_only).ok());
  CHECK(refusal<pair, ckpt::adam, Format>(file, ckpt::cold_slots).ok());

  file = good.file;
  file[static_cast<std::size_t>(layout::offset(1)) + 5] ^= std::byte{0x80};
  for (const auto& options : {ckpt::read_options{}, ckpt::weights_only, ckpt::cold_slots})
    CHECK(refusal<pair, ckpt::adam, Format>(file, options).kind == errc::checksum_mismatch);
}

TEST_CASE_TEMPLATE("payloads are taken unchecked only on request, the frame never", Format,
                   ckpt::onert_plus, small_v2) {
  const sample<Format, pair, ckpt::adam> good;
  using layout = ckpt::layout<pair, ckpt::adam, Format>;
  using reader = ckpt::reader<pair, ckpt::adam, Format>;
  ckpt::read_options unchecked;
  unchecked.skip_checksums = true;
  test::bytes file = good.file;
  file[static_cast<std::size_t>(layout::offset(0))] ^= std::byte{1};
  destination<pair, ckpt::adam> to;
  const auto opened = reader::open(test::view(file), unchecked);
  REQUIRE(opened.ok());
  CHECK(opened->check_payloads().kind == errc::checksum_mismatch);
  const auto report = opened->load_into(to.state.view);
  REQUIRE(report.ok());
  CHECK_FALSE(report->checksums_verified);
  CHECK(to.state.payload(0, 0)[0] == (good.state.memory[0][0] ^ std::byte{1}));

  file = good.file;
  file[static_cast<std::size_t>(layout::footer_offset)] ^= std::byte{1};
  const ckpt::status footer = reader::open(test::view(file), unchecked).error();
  CHECK(footer.kind == errc::checksum_mismatch);
  CHECK(footer.part == section::header);
}

namespace {

template <class Model, class Optimizer>
void turn_round(test::owned_state<Model, Optimizer>& state) {
  for (std::size_t s = 0; s <= Optimizer::slot_count; ++s)
    for (std::size_t i = 0; i < state.view.model().size(); ++i)
      ckpt::reverse_elements(
          {state.payload(s, i).data(), state.payload(s, i).size()},
          ckpt::payload_width(state.view.optimizer(), s, state.view.model()[i], i));
}

/// More than the buffer in which elements are turned round.
struct wide {
  static constexpr auto tensors = ckpt::tensors({{"f64", dtype::f64, {1300}},
                                                 {"f16", dtype::f16, {3}},
                                                 {"u8", dtype::u8, {5}},
                                                 {"i32", dtype::i32, {2, 3}, role::frozen}});
};

template <class Format, class Model, class Optimizer>
void check_foreign_host() {
  if constexpr (ckpt::host_byte_order == byte_order::little) {
    const sample<Format, Model, Optimizer> little;
    sample<Format, Model, Optimizer> big;
    turn_round(big.state);
    const ckpt::writer<Model, Optimizer, Format, byte_order::big> write;
    test::bytes file(little.file.size());
    REQUIRE(write.write_to(big.state.view, ckpt::bytes_span(file.data(), file.size())).ok());
    CHECK(file == little.file);
    const auto opened =
        ckpt::reader<Model, Optimizer, Format, byte_order::big>::open(test::view(file));
    REQUIRE(opened.ok());
    CHECK(opened->check_payloads().ok());
    destination<Model, Optimizer> to;
    REQUIRE(opened->load_into(to.state.view).ok());
    CHECK(to.state.memory == big.state.memory);
    CHECK(to.state.view.training == little.state.view.training);
    file[static_cast<std::size_t>(ckpt::layout<Model, Optimizer, Format>::offset(1))] ^=
        std::byte{1};
    CHECK(opened->check_payloads().kind == errc::checksum_mismatch);
  }
}

}  // namespace

TEST_CASE("N5 a big-endian host writes and reads the same files with a manifest") {
  check_foreign_host<ckpt::onert_plus, wide, ckpt::adam>();
  check_foreign_host<ckpt::onert_plus, wide, ckpt::sgd>();
  check_foreign_host<ckpt::onert_micro_plus, graph, ckpt::adam>();
  check_foreign_host<ckpt::v2, wide, ckpt::amsgrad>();
  check_foreign_host<ckpt::v2, wide, half_moments>();
}

TEST_CASE("N1 every bit of every number comes back from files with a manifest") {
  test::owned_state<wide, ckpt::adam> state;
  const std::uint64_t doubles[] = {0x7FF0000000000001, 0x8000000000000000, 0x000FFFFFFFFFFFFF};
  const std::uint16_t halves[] = {0x7C01, 0x8000, 0x0001};
  std::memcpy(state.payload(0, 0).data(), doubles, sizeof doubles);
  std::memcpy(state.payload(2, 1).data(), halves, sizeof halves);
  for (const test::bytes& file :
       {test::written<ckpt::onert_plus>(state.view), test::written<ckpt::v2>(state.view)}) {
    destination<wide, ckpt::adam> to;
    const auto opened = ckpt::reader<wide, ckpt::adam>::open(test::view(file));
    REQUIRE(opened.ok());
    REQUIRE(opened->load_into(to.state.view).ok());
    CHECK(to.state.memory == state.memory);
  }
}

TEST_CASE("values of the user come through a reader, or do not fit and nothing is touched") {
  sample<ckpt::v2, pair, ckpt::sgd> good;
  ckpt::value_storage<200> values;
  REQUIRE(values.set_integer("sampler.cursor", -7).ok());
  REQUIRE(values.set_real("best", 0.25).ok());
  REQUIRE(values.set_text("run", "blue").ok());
  good.state.view.user_values = &values;
  good.state.view.training.sample_cursor = 12;
  good.state.view.training.learning_rate = 1e-3;
  const test::bytes file = test::written<ckpt::v2>(good.state.view);
  const auto opened = ckpt::reader<pair, ckpt::sgd, ckpt::v2>::open(test::view(file));
  REQUIRE(opened.ok());
  CHECK(opened->has_manifest());
  CHECK(*opened->user_values().integer("sampler.cursor") == -7);
  CHECK(opened->training().learning_rate == 1e-3);

  destination<pair, ckpt::sgd> to;
  ckpt::value_storage<200> back;
  REQUIRE(back.set_text("stale", "gone after the load").ok());
  to.state.view.user_values = &back;
  REQUIRE(opened->load_into(to.state.view).ok());
  CHECK(*back.real("best") == 0.25);
  CHECK(*back.text("run") == ckpt::name_view("blue"));
  CHECK(back.text("stale").error().kind == errc::no_such_value);
  CHECK(to.state.view.training == good.state.view.training);

  destination<pair, ckpt::sgd> narrow;
  ckpt::value_storage<40> small;
  REQUIRE(small.set_integer("kept", 1).ok());
  narrow.state.view.user_values = &small;
  CHECK(opened->load_into(narrow.state.view).error().kind == errc::buffer_too_small);
  CHECK(narrow.is_untouched());
  CHECK(*small.integer("kept") == 1);
  const auto weights =
      ckpt::reader<pair, ckpt::sgd, ckpt::v2>::open(test::view(file), ckpt::weights_only);
  CHECK(weights->load_into(narrow.state.view).ok());
  CHECK(*small.integer("kept") == 1);

  // A state that asks for no values gets none.
  destination<pair, ckpt::sgd> without;
  CHECK(opened->load_into(without.state.view).ok());
}

TEST_CASE("a load from a file without values empties the state's own") {
  const test::bytes file = sample<ckpt::onert_plus, pair, ckpt::sgd>().file;
  destination<pair, ckpt::sgd> to;
  ckpt::value_storage<64> values;
  REQUIRE(values.set_integer("old", 1).ok());
  to.state.view.user_values = &values;
  const auto opened = ckpt::reader<pair, ckpt::sgd>::open(test::view(file));
  REQUIRE(opened->load_into(to.state.view).ok());
  CHECK(values.empty());
}

TEST_CASE("schema 1 refuses training state that it has no room for before a byte goes out") {
  sample<ckpt::onert_plus, pair, ckpt::sgd> good;
  ckpt::value_storage<64> values;
  const auto refused = [&](auto format) {
    const ckpt::writer<pair, ckpt::sgd, decltype(format)> write;
    return write.check(good.state.view).kind == errc::unstorable_values;
  };
  const auto all_refuse = [&] {
    return refused(ckpt::onert{}) && refused(ckpt::onert_plus{}) && refused(ckpt::onert_micro{}) &&
           refused(ckpt::onert_micro_plus{}) && !refused(ckpt::v2{});
  };
  const auto none_refuses = [&] {
    return !refused(ckpt::onert{}) && !refused(ckpt::onert_plus{}) && !refused(ckpt::v2{});
  };
  CHECK(none_refuses());
  ckpt::training_state& training = good.state.view.training;
  const ckpt::training_state counters = training;
  training.sample_cursor = 1;
  CHECK(all_refuse());
  training = counters;
  training.shuffle_seed = 1;
  CHECK(all_refuse());
  training = counters;
  training.rng_state[3] = 1;
  CHECK(all_refuse());
  training = counters;
  training.best_metric = 0;
  CHECK(all_refuse());
  training = counters;
  training.learning_rate = 0.1;
  CHECK(all_refuse());
  training = counters;
  good.state.view.user_values = &values;
  CHECK(none_refuses());
  REQUIRE(values.set_integer("n", 1).ok());
  CHECK(all_refuse());
}

namespace {

/// What goes out to a sink before the first refusal.
struct counting_sink {
  std::size_t room;
  test::bytes bytes{};
  ckpt::status append(ckpt::bytes_view more) {
    if (bytes.size() + more.size() > room) return ckpt::fail(errc::no_space);
    bytes.insert(bytes.end(), more.begin(), more.end());
    return {};
  }
  ckpt::status flush() { return {}; }
};

template <class Format, class Model, class Optimizer>
void check_every_room() {
  const sample<Format, Model, Optimizer> good;
  const ckpt::writer<Model, Optimizer, Format> write;
  for (std::size_t room = 0; room < good.file.size(); ++room) {
    CAPTURE(room);
    counting_sink sink{room};
    CHECK(write.write(good.state.view, sink).kind == errc::no_space);
  }
  counting_sink whole{good.file.size()};
  CHECK(write.write(good.state.view, whole).ok());
  CHECK(whole.bytes == good.file);
}

}  // namespace

TEST_CASE("a sink that refuses at any byte stops the writer of a file with a manifest") {
  check_every_room<ckpt::onert_plus, odd, ckpt::sgd>();
  check_every_room<ckpt::onert_plus, roles, ckpt::adam>();
  check_every_room<small_v2, odd, ckpt::amsgrad>();
}

namespace {

/// Numbers at which arithmetic breaks.
constexpr std::uint64_t edges[] = {0,
                                   1,
                                   2,
                                   3,
                                   4,
                                   48,
                                   64,
                                   0x7FFFFFFF,
                                   0x80000000,
                                   0xFFFFFFFC,
                                   0xFFFFFFFF,
                                   0x100000000,
                                   0x7FFFFFFFFFFFFFFF,
                                   ~std::uint64_t{0}};

void tamper(test::bytes& file, test::random_numbers& numbers) {
  for (std::uint64_t change = 0; change <= numbers.below(3); ++change) {
    const auto at = static_cast<std::size_t>(numbers.below(file.size() - 8));
    const std::size_t widths[] = {1, 2, 4, 8};
    const std::size_t width = widths[numbers.below(4)];
    const std::uint64_t edge = edges[numbers.below(sizeof edges / sizeof *edges)];
    handmade::set(file, at / width * width, numbers.below(2) == 0 ? edge : numbers.next(), width);
  }
}

/// Makes fingerprint and checksum of a tampered file right, where its numbers lead anywhere.
void reseal(test::bytes& file) {
  const std::size_t at = handmade::manifest_at(file);
  if (at + 48 > file.size()) return;
  const auto checksums = static_cast<std::size_t>(handmade::get(file, at + 44, 4));
  const auto total = static_cast<std::size_t>(handmade::get(file, at + 12, 4));
  if (checksums < 48 || checksums % 4 != 0 || at + checksums > file.size()) return;
  const auto first = file.begin() + static_cast<std::ptrdiff_t>(at);
  const test::bytes constant(first, first + static_cast<std::ptrdiff_t>(checksums));
  handmade::set(file, at + 32, handmade::fingerprint(constant), 8);
  const bool is_wide = handmade::get(file, 2, 1) == 2;
  if (total < 52 || at + total > file.size()) return;
  const auto fits = [&file](std::size_t place, std::size_t where, std::uint64_t size) {
    const std::uint64_t begin = handmade::get(file, place, where);
    return begin <= file.size() && size <= file.size() - begin;
  };
  const std::uint64_t table = 4 * handmade::get(file, 16, 4);
  if (is_wide ? !fits(32, 8, handmade::get(file, 40, 4))
              : !fits(4, 4, table) || !fits(8, 4, table) || !fits(12, 4, 8) ||
                    handmade::get(file, at + 20, 4) > 2)
    return;
  handmade::seal(file);
}

}  // namespace

TEST_CASE("B16 no file with a manifest, resealed or not, makes anybody read outside of it") {
  const test::bytes seeds[] = {sample<ckpt::onert_plus, roles, ckpt::adam>().file,
                               sample<ckpt::onert_plus, odd, ckpt::adafactor>().file,
                               sample<ckpt::onert_micro_plus, graph, ckpt::sgd>().file,
                               sample<small_v2, roles, ckpt::adafactor>().file,
                               sample<small_v2, five, ckpt::amsgrad>().file};
  test::random_numbers numbers(2025);
  std::size_t accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    test::bytes file = seeds[numbers.below(5)];
    tamper(file, numbers);
    if (numbers.below(4) != 0) reseal(file);
    if (numbers.below(8) == 0)
      file.resize(static_cast<std::size_t>(numbers.below(file.size() + 1)));
    file.shrink_to_fit();
    const ckpt::description said = ckpt::verify(test::view(file));
    if (said.error.ok()) {
      ++accepted;
      std::vector<ckpt::tensor_spec> specs(said.manifest.size());
      said.manifest.list(specs);
      for (const ckpt::tensor_spec& spec : specs) CHECK(ckpt::is_utf8(spec.name()));
      for (std::size_t s = 0; s < said.manifest.slot_count(); ++s)
        CHECK(ckpt::is_utf8(said.manifest.slot_name(s)));
    }
    for (const auto& options : {ckpt::read_options{}, ckpt::weights_only, ckpt::cold_slots}) {
      test::owned_state<roles, ckpt::adam> first;
      const auto a = ckpt::reader<roles, ckpt::adam>::open(test::view(file), options);
      if (a.ok()) static_cast<void>(a->load_into(first.view));
      test::owned_state<five, ckpt::amsgrad> second;
      const auto b = ckpt::reader<five, ckpt::amsgrad, small_v2>::open(test::view(file), options);
      if (b.ok()) static_cast<void>(b->load_into(second.view));
      test::owned_state<graph, ckpt::sgd> third;
      const auto c = ckpt::reader<graph, ckpt::sgd>::open(test::view(file), options);
      if (c.ok()) static_cast<void>(c->load_into(third.view));
    }
  }
  MESSAGE(accepted << " of 20000 tampered files are sound files of something else");
}
