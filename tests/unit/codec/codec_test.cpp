#include "fixtures.hpp"
#include "support.hpp"

using ckpt::byte_order;
using ckpt::dtype;
using ckpt::errc;
using fixture::three;

namespace {

/// A state whose every payload is filled with one byte: 10, 11, 12 hex for the weights, 20.. and
/// 30.. for the slots.
template <class Model, class Optimizer>
void fill_like_fixtures(test::owned_state<Model, Optimizer>& state) {
  for (std::size_t s = 0; s <= Optimizer::slot_count; ++s)
    for (std::size_t i = 0; i < state.view.model().size(); ++i)
      for (std::byte& b : state.payload(s, i)) b = static_cast<std::byte>(0x10 * (s + 1) + i);
  state.view.training = {1234, 7};
}

template <class Model, class Optimizer, class Format = ckpt::onert>
test::bytes resaved(const test::bytes& file) {
  const auto opened = ckpt::reader<Model, Optimizer, Format>::open(test::view(file));
  REQUIRE_MESSAGE(opened.ok(), test::words(opened.error().message()));
  test::owned_state<Model, Optimizer> state;
  REQUIRE(opened->load_into(state.view).ok());
  REQUIRE(opened->load_into(state.view).ok());
  return test::written<Format>(state.view);
}

}  // namespace

TEST_CASE("C1 three tensors with Adam are the fixture byte for byte") {
  test::owned_state<three, ckpt::adam> state;
  fill_like_fixtures(state);
  CHECK(test::written<ckpt::onert>(state.view) == fixture::adam());
}

TEST_CASE("C2 C3 a file without slots says where its weights end in either dialect") {
  test::owned_state<three, ckpt::sgd> state;
  fill_like_fixtures(state);
  CHECK(test::written<ckpt::onert_micro>(state.view) == fixture::plain());
  state.view.training.epoch = 0;
  CHECK(test::written<ckpt::onert>(state.view) == fixture::sgd_onert());
  for (const test::bytes& file : {fixture::plain(), fixture::sgd_onert()}) {
    const auto opened = ckpt::reader<three, ckpt::sgd>::open(test::view(file));
    REQUIRE(opened.ok());
    CHECK(opened->training().step == 1234);
    CHECK(opened->slot_count() == 0);
    CHECK(opened->weight_bytes(2).size() == 4);
    const auto strict = ckpt::reader<three, ckpt::adam>::open(test::view(file));
    CHECK(strict.error().kind == errc::no_optimizer_state);
  }
}

TEST_CASE("C5 onert-micro lists all tensors and stores some, in its own order") {
  const test::bytes file = fixture::sparse_file();
  const auto opened = ckpt::reader<fixture::sparse, ckpt::sgd>::open(test::view(file));
  REQUIRE(opened.ok());
  CHECK(opened->kind() == ckpt::dialect::onert_micro);
  CHECK(opened->weight_bytes(3).size() == 8);
  CHECK(opened->weight_bytes(3)[0] == std::byte{0x13});
  CHECK(opened->weight_bytes(1).size() == 16);
  CHECK(opened->weight_bytes(1)[15] == std::byte{0x11});
  for (const std::size_t absent : {0U, 2U, 4U}) CHECK(opened->weight_bytes(absent).empty());
  CHECK(opened->training() == ckpt::training_state{55, 2});
}

TEST_CASE("C7 a frozen tensor has empty slots and its neighbours keep theirs") {
  const test::bytes file = fixture::frozen();
  const auto opened = ckpt::reader<fixture::three_frozen, ckpt::adam>::open(test::view(file));
  REQUIRE(opened.ok());
  CHECK(opened->slot_bytes(0, 1).empty());
  CHECK(opened->slot_bytes(1, 1).empty());
  CHECK(opened->weight_bytes(1).size() == 8);
  CHECK(opened->slot_bytes(0, 2)[0] == std::byte{0x22});
  CHECK(opened->slot_bytes(1, 2)[3] == std::byte{0x32});
}

TEST_CASE("D6 loading twice and saving gives the file again") {
  CHECK(resaved<three, ckpt::adam>(fixture::adam()) == fixture::adam());
  CHECK(resaved<three, ckpt::sgd>(fixture::sgd_onert()) == fixture::sgd_onert());
  CHECK(resaved<three, ckpt::sgd, ckpt::onert_micro>(fixture::plain()) == fixture::plain());
  CHECK(resaved<fixture::sparse, ckpt::sgd, ckpt::onert_micro>(fixture::sparse_file()) ==
        fixture::sparse_file());
  CHECK(resaved<fixture::three_frozen, ckpt::adam>(fixture::frozen()) == fixture::frozen());
  CHECK(resaved<fixture::no_tensors, ckpt::sgd, ckpt::onert_micro>(fixture::empty()) ==
        fixture::empty());
}

TEST_CASE("D2 full resume needs slots; a cold start is a choice that the report shows") {
  const test::bytes file = fixture::plain();
  CHECK(ckpt::reader<three, ckpt::adam>::open(test::view(file)).error().kind ==
        errc::no_optimizer_state);
  test::owned_state<three, ckpt::adam> state;
  state.fill(3);
  const auto cold = ckpt::reader<three, ckpt::adam>::open(test::view(file), ckpt::cold_slots);
  REQUIRE(cold.ok());
  const auto report = cold->load_into(state.view);
  REQUIRE(report.ok());
  CHECK(report->slots_cold == 2);
  CHECK(report->slots_loaded == 0);
  CHECK(state.view.training == ckpt::training_state{1234, 7});
  for (std::size_t i = 0; i < 3; ++i)
    for (const std::byte b : state.payload(1, i)) CHECK(b == std::byte{0});

  const test::bytes full = fixture::adam();
  const auto opened = ckpt::reader<three, ckpt::adam>::open(test::view(full));
  REQUIRE(opened.ok());
  const auto whole = opened->load_into(state.view);
  REQUIRE(whole.ok());
  CHECK(whole->weights_loaded == 3);
  CHECK(whole->slots_loaded == 2);
}

TEST_CASE("D8 C9 another number of slots is refused with both numbers; the weights alone work") {
  const test::bytes file = fixture::adam();
  const auto one = ckpt::reader<three, ckpt::momentum>::open(test::view(file));
  CHECK(one.error().kind == errc::optimizer_mismatch);
  CHECK(one.error().expected == 1);
  CHECK(one.error().found == 2);
  const auto none = ckpt::reader<three, ckpt::sgd>::open(test::view(file));
  CHECK(none.error().kind == errc::optimizer_mismatch);

  test::owned_state<three, ckpt::momentum> momentum;
  momentum.fill(4);
  const test::bytes one_slot = test::written<ckpt::onert>(momentum.view);
  const auto two = ckpt::reader<three, ckpt::adam>::open(test::view(one_slot));
  CHECK(two.error().kind == errc::optimizer_mismatch);
  CHECK(two.error().found == 1);

  test::owned_state<three, ckpt::sgd> plain;
  plain.fill(5);
  const ckpt::training_state before = plain.view.training;
  const auto opened = ckpt::reader<three, ckpt::sgd>::open(test::view(file), ckpt::weights_only);
  REQUIRE(opened.ok());
  const auto report = opened->load_into(plain.view);
  REQUIRE(report.ok());
  CHECK(report->slots_ignored == 2);
  CHECK(report->training == ckpt::training_state{1234, 7});
  CHECK(plain.view.training == before);
}

namespace {

/// What sparse is when the order of its visits is not known.
struct sparse_unordered {
  static constexpr auto tensors = fixture::sparse::tensors;
};

}  // namespace

TEST_CASE("C11 dead bytes of onert-micro are read over and reported, or refused by known order") {
  test::bytes file = fixture::sparse_file();
  file.insert(file.begin() + 48, 16, std::byte{0xEE});
  test::put_u32(file, 24, 64);
  test::put_u32(file, 12, 80);
  const auto ordered = ckpt::reader<fixture::sparse, ckpt::sgd>::open(test::view(file));
  CHECK(ordered.error().kind == errc::bad_order);
  CHECK(ordered.error().tensor == 1);
  const auto opened = ckpt::reader<sparse_unordered, ckpt::sgd>::open(test::view(file));
  REQUIRE(opened.ok());
  CHECK(opened->slack_bytes() == 16);
  CHECK(opened->weight_bytes(3).size() == 8);
  CHECK(opened->weight_bytes(1)[0] == std::byte{0x11});
  const ckpt::description said = ckpt::verify(test::view(file));
  REQUIRE(said.error.ok());
  ckpt::table_entry entries[5];
  ckpt::list_entries(test::view(file), said.map, 0, entries);
  CHECK(entries[3].bytes == 24);
  CHECK(entries[1].bytes == 16);
}

namespace {

struct odd_sizes {
  static constexpr auto tensors = ckpt::tensors({{"a", dtype::u8, {3}},
                                                 {"b", dtype::u8, {5}},
                                                 {"c", dtype::f64, {1}},
                                                 {"d", dtype::u8, {1}},
                                                 {"e", dtype::f32, {2}}});
};

}  // namespace

TEST_CASE("C12 M5 a typed view is aligned or refused; copies are exact") {
  test::owned_state<odd_sizes, ckpt::sgd> state;
  state.fill(6);
  const test::bytes file = test::written<ckpt::onert>(state.view);
  alignas(16) std::byte memory[128] = {};
  // How a view of elements at this offset must end; some 32-bit hosts align a double to 4 bytes.
  const auto outcome = [](std::size_t offset, std::size_t alignment) {
    if (ckpt::host_byte_order == ckpt::byte_order::big) return errc::foreign_byte_order;
    return offset % alignment == 0 ? errc::ok : errc::unaligned;
  };
  for (std::size_t shift = 0; shift < 8; ++shift) {
    CAPTURE(shift);
    std::memcpy(memory + shift, file.data(), file.size());
    const auto opened =
        ckpt::reader<odd_sizes, ckpt::sgd>::open(ckpt::bytes_view(memory + shift, file.size()));
    REQUIRE(opened.ok());
    const auto wide = opened->weight_as<double>(2);
    CHECK(wide.error().kind == outcome(48 + shift, alignof(double)));
    const auto narrow = opened->weight_as<float>(4);
    CHECK(narrow.error().kind == outcome(57 + shift, alignof(float)));
    double copy = 0;
    CHECK(opened->copy_weight(2, {reinterpret_cast<std::byte*>(&copy), sizeof(copy)}).ok());
    CHECK(std::memcmp(&copy, state.payload(0, 2).data(), sizeof(copy)) == 0);
    CHECK(opened->weight_bytes(4).size() == 8);
  }
}

TEST_CASE("typed access of another type, another tensor or another size is refused") {
  const test::bytes file = fixture::adam();
  const auto opened = ckpt::reader<three, ckpt::adam>::open(test::view(file));
  REQUIRE(opened.ok());
  CHECK(opened->weight_as<float>(0).error().kind == errc::wrong_dtype);
  CHECK(opened->weight_as<std::uint8_t>(0)->size() == 16);
  CHECK(opened->weight_as<std::uint8_t>(3).error().kind == errc::no_such_tensor);
  CHECK(opened->slot_as<std::uint8_t>(2, 0).error().kind == errc::no_such_tensor);
  std::byte small[4] = {};
  CHECK(opened->copy_weight(0, ckpt::bytes_span(small)).kind == errc::buffer_too_small);
  CHECK(opened->copy_slot(1, 2, ckpt::bytes_span(small)).ok());
  CHECK(small[0] == std::byte{0x32});
  CHECK(opened->weight_bytes(99).empty());
}

TEST_CASE("C13 a model without tensors is saved, read and verified") {
  test::owned_state<fixture::no_tensors, ckpt::sgd> state;
  CHECK(test::written<ckpt::onert_micro>(state.view) == fixture::empty());
  const test::bytes file = fixture::empty();
  CHECK(ckpt::reader<fixture::no_tensors, ckpt::sgd>::open(test::view(file)).ok());
  CHECK(ckpt::verify(test::view(file)).error.ok());
}

TEST_CASE("C15 epoch 0 beside a large step is taken as it is") {
  test::bytes file = fixture::adam();
  test::put_u32(file, 140, 5000);
  test::put_u32(file, 144, 0);
  const auto opened = ckpt::reader<three, ckpt::adam>::open(test::view(file));
  REQUIRE(opened.ok());
  CHECK(opened->training() == ckpt::training_state{5000, 0});
}

TEST_CASE("E5 every counter of 32 bits comes back and the next is refused before a byte goes out") {
  test::owned_state<three, ckpt::adam> state;
  for (const std::uint64_t value : {0ULL, 1ULL, 0x7FFFFFFFULL, 0x80000000ULL, 0xFFFFFFFFULL}) {
    state.view.training = {value, value};
    const test::bytes file = test::written<ckpt::onert>(state.view);
    const auto opened = ckpt::reader<three, ckpt::adam>::open(test::view(file));
    REQUIRE(opened.ok());
    CHECK(opened->training() == ckpt::training_state{value, value});
  }
  std::byte memory[148] = {};
  const ckpt::writer<three, ckpt::adam> write;
  state.view.training = {0x100000000ULL, 0};
  CHECK(write.write_to(state.view, ckpt::bytes_span(memory)).error().kind ==
        errc::counter_out_of_range);
  state.view.training = {0, 0x100000000ULL};
  CHECK(write.write_to(state.view, ckpt::bytes_span(memory)).error().kind ==
        errc::counter_out_of_range);
  for (const std::byte b : memory) CHECK(b == std::byte{0});
}

TEST_CASE("a tensor without memory is found before a byte goes out or comes in") {
  ckpt::state_view<three, ckpt::adam> nothing;
  std::byte memory[148] = {};
  const ckpt::writer<three, ckpt::adam> write;
  const auto written = write.write_to(nothing, ckpt::bytes_span(memory));
  CHECK(written.error().kind == errc::unbound_tensor);
  CHECK(written.error().tensor == 0);
  CHECK(memory[0] == std::byte{0});
  const test::bytes file = fixture::adam();
  const auto opened = ckpt::reader<three, ckpt::adam>::open(test::view(file));
  CHECK(opened->load_into(nothing).error().kind == errc::unbound_tensor);
}

TEST_CASE("binding memory of the wrong size or type is refused") {
  ckpt::state_view<odd_sizes, ckpt::adam> state;
  float two[2] = {};
  double one = 0;
  std::byte byte[1] = {};
  CHECK(state.bind_weight(4, two, 2).ok());
  CHECK(state.bind_weight(4, two, 1).kind == errc::buffer_too_small);
  CHECK(state.bind_weight(2, two, 2).kind == errc::wrong_dtype);
  CHECK(state.bind_weight(2, &one, 1).ok());
  CHECK(state.bind_slot(1, 3, ckpt::bytes_span(byte)).ok());
  CHECK(state.bind_slot(2, 3, ckpt::bytes_span(byte)).kind == errc::no_such_tensor);
  CHECK(state.bind_weight(5, ckpt::bytes_span(byte)).kind == errc::no_such_tensor);
  CHECK(state.weight<4>().data() == two);
  CHECK(state.weight_as<float>(4)->size() == 2);
  CHECK(state.weight_as<double>(4).error().kind == errc::wrong_dtype);
  CHECK(state.slot_as<double>(0, 2).error().kind == errc::unbound_tensor);
}

TEST_CASE("the writer sends the file in order to any sink, and stops at the first refusal") {
  struct counting_sink {
    std::size_t room;
    test::bytes bytes;
    ckpt::status append(ckpt::bytes_view more) {
      if (bytes.size() + more.size() > room) return ckpt::fail(errc::no_space);
      bytes.insert(bytes.end(), more.begin(), more.end());
      return {};
    }
    ckpt::status flush() { return {}; }
  };
  test::owned_state<three, ckpt::adam> state;
  fill_like_fixtures(state);
  const ckpt::writer<three, ckpt::adam> write;
  for (std::size_t room = 0; room < 148; ++room) {
    counting_sink sink{room, {}};
    CAPTURE(room);
    CHECK(write.write(state.view, sink).kind == errc::no_space);
  }
  counting_sink whole{148, {}};
  CHECK(write.write(state.view, whole).ok());
  CHECK(whole.bytes == fixture::adam());
}

TEST_CASE("M2 the tensors of an opened file can be saved again without a copy") {
  const test::bytes file = fixture::adam();
  const auto opened = ckpt::reader<three, ckpt::adam>::open(test::view(file));
  ckpt::const_state_view<three, ckpt::adam> views;
  const ckpt::status bound = opened->bind_to(views);
  if constexpr (ckpt::host_byte_order == ckpt::byte_order::big) {
    CHECK(bound.kind == errc::foreign_byte_order);
    return;
  }
  REQUIRE(bound.ok());
  test::bytes copy(file.size());
  const ckpt::writer<three, ckpt::adam> write;
  CHECK(write.write_to(views, ckpt::bytes_span(copy.data(), copy.size())).ok());
  CHECK(copy == file);
}

namespace {

struct all_types {
  static constexpr auto tensors = ckpt::tensors({{"f32", dtype::f32, {3}},
                                                 {"f64", dtype::f64, {3}},
                                                 {"f16", dtype::f16, {3}},
                                                 {"bf16", dtype::bf16, {3}},
                                                 {"i8", dtype::i8, {3}},
                                                 {"u8", dtype::u8, {3}},
                                                 {"i16", dtype::i16, {3}},
                                                 {"u16", dtype::u16, {3}},
                                                 {"i32", dtype::i32, {3}},
                                                 {"u32", dtype::u32, {3}},
                                                 {"i64", dtype::i64, {3}},
                                                 {"u64", dtype::u64, {3}},
                                                 {"boolean", dtype::boolean, {3}},
                                                 {"scalar", dtype::f32, {}},
                                                 {"none", dtype::f64, {2, 0}}});
};

/// The file of a state whose tensors are in big-endian memory, written as a host of that order
/// writes it.
template <class Model, class Optimizer>
void turn_round(test::owned_state<Model, Optimizer>& state) {
  const auto optimizer = state.view.optimizer();
  for (std::size_t s = 0; s <= Optimizer::slot_count; ++s)
    for (std::size_t i = 0; i < state.view.model().size(); ++i) {
      test::bytes& payload = state.payload(s, i);
      const std::size_t width = ckpt::payload_width(optimizer, s, state.view.model()[i], i);
      ckpt::reverse_elements({payload.data(), payload.size()}, width);
    }
}

}  // namespace

TEST_CASE("N1 every bit of every dtype survives, whatever number it spells") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    test::owned_state<all_types, ckpt::adam> state;
    state.fill(seed);
    const test::bytes file = test::written<ckpt::onert>(state.view);
    const auto opened = ckpt::reader<all_types, ckpt::adam>::open(test::view(file));
    REQUIRE(opened.ok());
    test::owned_state<all_types, ckpt::adam> loaded;
    REQUIRE(opened->load_into(loaded.view).ok());
    CHECK(loaded.memory == state.memory);
    CHECK(loaded.view.training == state.view.training);
  }
}

TEST_CASE("N1 NaN payloads, signalling bits, signed zeros and denormals are bytes to ckpt") {
  test::owned_state<all_types, ckpt::sgd> state;
  const std::uint32_t singles[] = {0x7F802000, 0x80000000, 0x00000001};
  const std::uint64_t doubles[] = {0x7FF0000000000001, 0x8000000000000000, 0x000FFFFFFFFFFFFF};
  const std::uint16_t halves[] = {0x7C01, 0x8000, 0x0001};
  std::memcpy(state.payload(0, 0).data(), singles, sizeof(singles));
  std::memcpy(state.payload(0, 1).data(), doubles, sizeof(doubles));
  std::memcpy(state.payload(0, 2).data(), halves, sizeof(halves));
  std::memcpy(state.payload(0, 3).data(), halves, sizeof(halves));
  const test::bytes file = test::written<ckpt::onert>(state.view);
  const auto opened = ckpt::reader<all_types, ckpt::sgd>::open(test::view(file));
  test::owned_state<all_types, ckpt::sgd> loaded;
  REQUIRE(opened->load_into(loaded.view).ok());
  CHECK(std::memcmp(loaded.payload(0, 0).data(), singles, sizeof(singles)) == 0);
  CHECK(std::memcmp(loaded.payload(0, 1).data(), doubles, sizeof(doubles)) == 0);
  CHECK(std::memcmp(loaded.payload(0, 2).data(), halves, sizeof(halves)) == 0);
  CHECK(std::memcmp(loaded.payload(0, 3).data(), halves, sizeof(halves)) == 0);
}

TEST_CASE("N5 a big-endian host writes and reads the same files") {
  test::owned_state<all_types, ckpt::adam> little;
  little.fill(11);
  const test::bytes file = test::written<ckpt::onert>(little.view);
  test::owned_state<all_types, ckpt::adam> big;
  big.fill(11);
  turn_round(big);
  constexpr byte_order foreign =
      ckpt::host_byte_order == byte_order::little ? byte_order::big : byte_order::little;
  if constexpr (foreign == byte_order::big) {
    const ckpt::writer<all_types, ckpt::adam, ckpt::onert, foreign> write;
    test::bytes other(file.size());
    REQUIRE(write.write_to(big.view, ckpt::bytes_span(other.data(), other.size())).ok());
    CHECK(other == file);
    const auto opened =
        ckpt::reader<all_types, ckpt::adam, ckpt::onert, foreign>::open(test::view(file));
    REQUIRE(opened.ok());
    test::owned_state<all_types, ckpt::adam> loaded;
    REQUIRE(opened->load_into(loaded.view).ok());
    CHECK(loaded.memory == big.memory);
    CHECK(opened->weight_as<float>(0).error().kind == errc::foreign_byte_order);
    CHECK(opened->weight_as<std::uint8_t>(5).ok());
  }
}

namespace {

struct half_moments {
  static constexpr std::size_t slot_count = 1;
  static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight) {
    return ckpt::tensor_form(dtype::f16, weight.extents());
  }
};

struct one_f32 {
  static constexpr auto tensors = ckpt::tensors({{"w", dtype::f32, {6}}});
};

}  // namespace

TEST_CASE("N3 a slot of another type is never cast: its size is compared") {
  test::owned_state<one_f32, half_moments> half;
  half.fill(1);
  const test::bytes narrow = test::written<ckpt::onert>(half.view);
  const auto full = ckpt::reader<one_f32, ckpt::momentum>::open(test::view(narrow));
  CHECK(full.error().kind == errc::size_mismatch);
  CHECK(full.error().part == ckpt::slot_section(0));
  CHECK(full.error().expected == 24);
  CHECK(full.error().found == 12);
  test::owned_state<one_f32, ckpt::momentum> single;
  single.fill(2);
  const test::bytes wide = test::written<ckpt::onert>(single.view);
  const auto other = ckpt::reader<one_f32, half_moments>::open(test::view(wide));
  CHECK(other.error().expected == 12);
  CHECK(other.error().found == 24);
  CHECK(ckpt::reader<one_f32, half_moments>::open(test::view(narrow)).ok());
}

TEST_CASE("slots of another size need the caller's word when there is no model") {
  test::owned_state<one_f32, half_moments> half;
  half.fill(1);
  const test::bytes file = test::written<ckpt::onert>(half.view);
  CHECK(ckpt::verify(test::view(file)).error.kind == errc::slot_size_mismatch);
  CHECK(ckpt::verify(test::view(file), ckpt::slot_sizes::any).error.ok());
}

TEST_CASE("a reader can be held to its own dialect") {
  ckpt::read_options own;
  own.only_own_dialect = true;
  const test::bytes onert = fixture::sgd_onert();
  using micro = ckpt::reader<three, ckpt::sgd, ckpt::onert_micro>;
  CHECK(ckpt::reader<three, ckpt::sgd>::open(test::view(onert), own).ok());
  CHECK(micro::open(test::view(onert), own).error().kind == errc::dialect_mismatch);
  CHECK(micro::open(test::view(onert)).ok());
}

TEST_CASE("a model that onert-micro visits in another order still reads its file") {
  test::owned_state<fixture::sparse, ckpt::adam> state;
  state.fill(8);
  const test::bytes file = test::written<ckpt::onert_micro>(state.view);
  const ckpt::dynamic_model model(ckpt::view_of<sparse_unordered>().tensors);
  using layout = ckpt::layout<ckpt::dynamic_model, ckpt::adam, ckpt::onert_micro>;
  std::vector<std::uint32_t> words(layout::words_needed(model));
  const auto made = layout::make(model, words);
  using reader = ckpt::reader<ckpt::dynamic_model, ckpt::adam, ckpt::onert_micro>;
  const auto opened = reader::open(*made, test::view(file));
  REQUIRE(opened.ok());
  test::owned_state<ckpt::dynamic_model, ckpt::adam> loaded(model.view());
  REQUIRE(opened->load_into(loaded.view).ok());
  CHECK(loaded.memory == state.memory);
}
