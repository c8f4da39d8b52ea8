#include "fixtures.hpp"
#include "golden_cases.hpp"
#include "golden_value.hpp"
#include "support.hpp"

using ckpt::dialect;
using ckpt::errc;
using golden::golden_case;

namespace {

bool is_special(const golden_case& known, std::size_t index) {
  for (const std::size_t i : known.special)
    if (i == index) return true;
  return false;
}

const golden_case& case_of(const char* file) {
  for (const golden_case& known : golden::golden_cases())
    if (std::string(known.file) == file) return known;
  FAIL("no such golden file");
  return golden::golden_cases().front();
}

/// What a payload is in the memory of this host.
test::bytes in_memory(test::bytes payload, const ckpt::tensor_spec& tensor) {
  if constexpr (ckpt::host_byte_order == ckpt::byte_order::big)
    ckpt::reverse_elements({payload.data(), payload.size()}, ckpt::byte_width(tensor.type()));
  return payload;
}

/// Fills a state by the formula, for the sections that exist.
template <class Model, class Optimizer>
void fill_by_formula(test::owned_state<Model, Optimizer>& state, const golden_case& known) {
  for (std::size_t s = 0; s <= Optimizer::slot_count; ++s) {
    for (std::size_t i = 0; i < known.model.size(); ++i) {
      test::bytes& payload = state.payload(s, i);
      if (payload.empty()) continue;
      payload =
          in_memory(golden::payload(known.model[i], is_special(known, i), i, s), known.model[i]);
      const ckpt::bytes_span span(payload.data(), payload.size());
      REQUIRE(
          (s == 0 ? state.view.bind_weight(i, span) : state.view.bind_slot(s - 1, i, span)).ok());
    }
  }
  state.view.training = {known.step, known.epoch};
}

template <class Model, class Optimizer, class Format>
void check_written(const char* file) {
  CAPTURE(file);
  const golden_case& known = case_of(file);
  test::owned_state<Model, Optimizer> state;
  fill_by_formula(state, known);
  CHECK(test::written<Format>(state.view) == test::read_golden(file));
}

template <class Model, class Optimizer, class Format>
void check_read(const char* file) {
  CAPTURE(file);
  const golden_case& known = case_of(file);
  const test::bytes data = test::read_golden(file);
  const auto opened = ckpt::reader<Model, Optimizer, Format>::open(test::view(data));
  REQUIRE_MESSAGE(opened.ok(), test::words(opened.error().message()));
  CHECK(opened->kind() == known.kind);
  CHECK(opened->slot_count() == known.slot_count);
  CHECK(opened->training() == ckpt::training_state{known.step, known.epoch});
  test::owned_state<Model, Optimizer> expected;
  fill_by_formula(expected, known);
  test::owned_state<Model, Optimizer> loaded;
  loaded.fill(1);
  REQUIRE(opened->load_into(loaded.view).ok());
  CHECK(loaded.memory == expected.memory);
  CHECK(loaded.view.training == expected.view.training);
}

}  // namespace

#define WRITE(model, file, optimizer, format) \
  check_written<golden::model, ckpt::optimizer, ckpt::format>(file);
#define READ(model, file, optimizer, format) \
  check_read<golden::model, ckpt::optimizer, ckpt::format>(file);
#define WRITE_ONERT_SGD(model, file) WRITE(model, file, sgd, onert)
#define WRITE_ONERT_ADAM(model, file) WRITE(model, file, adam, onert)
#define WRITE_MICRO_SGD(model, file) WRITE(model, file, sgd, onert_micro)
#define WRITE_MICRO_ADAM(model, file) WRITE(model, file, adam, onert_micro)
#define READ_ONERT_SGD(model, file) \
  READ(model, file, sgd, onert) READ(model, file, sgd, onert_micro)
#define READ_ONERT_ADAM(model, file) READ(model, file, adam, onert)
#define READ_MICRO_SGD(model, file) \
  READ(model, file, sgd, onert_micro) READ(model, file, sgd, onert)
#define READ_MICRO_ADAM(model, file) \
  READ(model, file, adam, onert_micro) READ(model, file, adam, onert)

TEST_CASE("C1 the writer reproduces every file of the real onert exporter"){
    GOLDEN_ONERT_SGD(WRITE_ONERT_SGD) GOLDEN_ONERT_ADAM(WRITE_ONERT_ADAM)}

TEST_CASE("C1 the writer reproduces every file of the real onert-micro exporter"){
    GOLDEN_MICRO_SGD(WRITE_MICRO_SGD) GOLDEN_MICRO_ADAM(WRITE_MICRO_ADAM)}

TEST_CASE("every element of every real file is read back, by its own format and by another"){
    GOLDEN_ONERT_SGD(READ_ONERT_SGD) GOLDEN_ONERT_ADAM(READ_ONERT_ADAM)
        GOLDEN_MICRO_SGD(READ_MICRO_SGD) GOLDEN_MICRO_ADAM(READ_MICRO_ADAM)}

TEST_CASE("a run-time model reads the same files") {
  for (const golden_case& known : golden::golden_cases()) {
    if (known.kind != dialect::onert || known.slot_count != 2) continue;
    CAPTURE(known.file);
    using layout = ckpt::layout<ckpt::dynamic_model, ckpt::adam>;
    const ckpt::dynamic_model model(known.model.tensors, known.model.visits);
    std::vector<std::uint32_t> words(layout::words_needed(model));
    const auto made = layout::make(model, words);
    REQUIRE(made.ok());
    const test::bytes data = test::read_golden(known.file);
    const auto opened =
        ckpt::reader<ckpt::dynamic_model, ckpt::adam>::open(*made, test::view(data));
    REQUIRE(opened.ok());
    test::owned_state<ckpt::dynamic_model, ckpt::adam> loaded(known.model);
    REQUIRE(opened->load_into(loaded.view).ok());
    test::owned_state<ckpt::dynamic_model, ckpt::adam> expected(known.model);
    fill_by_formula(expected, known);
    CHECK(loaded.memory == expected.memory);
    test::bytes copy(data.size());
    const ckpt::writer<ckpt::dynamic_model, ckpt::adam> write(*made);
    CHECK(write.write_to(loaded.view, ckpt::bytes_span(copy.data(), copy.size())).ok());
    CHECK(copy == data);
  }
}

TEST_CASE("verify describes every golden file as its producer does") {
  for (const golden_case& known : golden::golden_cases()) {
    CAPTURE(known.file);
    const test::bytes data = test::read_golden(known.file);
    const ckpt::description said = ckpt::verify(test::view(data));
    REQUIRE(said.is_named);
    CHECK(said.map.kind == known.kind);
    CHECK(said.map.file_bytes == known.file_bytes);
    CHECK(said.map.tensor_count == known.tensor_count);
    CHECK(said.map.slot_count == known.slot_count);
    CHECK(said.map.has_footer == known.has_footer);
    CHECK(said.training == ckpt::training_state{known.step, known.epoch});
    const bool refused = known.kind == dialect::wof || known.kind == dialect::draft_d2 ||
                         known.kind == dialect::draft_d3;
    CHECK(said.error.ok() == !refused);
  }
}

TEST_CASE("the table entries of every golden file are listed with their extents") {
  for (const golden_case& known : golden::golden_cases()) {
    CAPTURE(known.file);
    const test::bytes data = test::read_golden(known.file);
    const ckpt::description said = ckpt::verify(test::view(data));
    const std::vector<std::uint32_t>* tables[] = {&known.weights, &known.m, &known.v};
    for (std::size_t s = 0; s <= known.slot_count; ++s) {
      std::vector<ckpt::table_entry> entries(known.tensor_count);
      ckpt::list_entries(test::view(data), said.map, s, entries);
      for (std::size_t i = 0; i < known.tensor_count; ++i) {
        CAPTURE(s);
        CAPTURE(i);
        const std::uint32_t stored = (*tables[s])[i];
        const bool is_stored =
            stored != 0 || (known.kind != dialect::onert_micro && known.kind != dialect::wof);
        CHECK(entries[i].index == i);
        CHECK(entries[i].is_stored == is_stored);
        CHECK(entries[i].offset == (is_stored ? stored + said.map.shift : 0));
      }
    }
  }
}

TEST_CASE("extents are the true sizes, or an upper bound where dead copies lie between") {
  for (const golden_case& known : golden::golden_cases()) {
    if (known.kind == dialect::wof || known.kind == dialect::onert_v0) continue;
    CAPTURE(known.file);
    const test::bytes data = test::read_golden(known.file);
    const ckpt::description said = ckpt::verify(test::view(data));
    std::vector<ckpt::table_entry> entries(known.tensor_count);
    ckpt::list_entries(test::view(data), said.map, 0, entries);
    const bool exact = known.kind != dialect::onert_micro;
    for (std::size_t i = 0; i < known.model.size(); ++i) {
      CHECK(entries[i].bytes >= known.model[i].byte_size());
      if (exact) CHECK(entries[i].bytes == known.model[i].byte_size());
    }
  }
}

TEST_CASE("drafts give their weights on request and nothing else") {
  const auto check = [](const char* file, dialect kind, errc strict) {
    CAPTURE(file);
    const test::bytes data = test::read_golden(file);
    using reader = ckpt::reader<golden::d1_adam_2t, ckpt::adam>;
    CHECK(reader::open(test::view(data)).error().kind == strict);
    CHECK(reader::open(test::view(data), ckpt::cold_slots).error().kind == strict);
    const auto opened = reader::open(test::view(data), ckpt::weights_only);
    REQUIRE(opened.ok());
    CHECK(opened->kind() == kind);
    for (std::size_t i = 0; i < 2; ++i) {
      const test::bytes wanted = golden::payload(golden::d1_adam_2t::tensors.specs[i], false, i, 0);
      const ckpt::bytes_view weight = opened->weight_bytes(i);
      CHECK(test::bytes(weight.begin(), weight.end()) == wanted);
    }
  };
  check("onert-draft/d1_adam_2t.ckpt", dialect::draft_d1, errc::no_footer);
  check("onert-draft/d2_adam_2t.ckpt", dialect::draft_d2, errc::truncated);
  check("onert-draft/d3_sgd_2t.ckpt", dialect::draft_d3, errc::no_footer);
}

TEST_CASE("the first draft, weights without a footer, is named") {
  test::bytes data = test::read_golden("onert-draft/d3_sgd_2t.ckpt");
  test::put_u32(data, 20, 28);
  test::put_u32(data, 24, 76);
  const ckpt::description said = ckpt::verify(test::view(data));
  CHECK(said.map.kind == dialect::draft_d0);
  CHECK(said.error.kind == errc::no_footer);
  CHECK(
      ckpt::reader<golden::d3_sgd_2t, ckpt::sgd>::open(test::view(data), ckpt::weights_only).ok());
}

TEST_CASE("a weights-only file of onert-micro is named and refused") {
  const test::bytes data = test::read_golden("wof/wof_fc.wof");
  for (const auto& options : {ckpt::read_options{}, ckpt::weights_only, ckpt::cold_slots}) {
    const auto opened = ckpt::reader<golden::wof_fc, ckpt::sgd>::open(test::view(data), options);
    CHECK(opened.error().kind == errc::unsupported_dialect);
    CHECK(test::mentions(test::words(opened.error().message()), "WOF"));
  }
}

TEST_CASE("onert-v0 has a step and no tensors") {
  const test::bytes data = test::read_golden("onert-merged-v0/stub_sgd.ckpt");
  const auto opened = ckpt::reader<fixture::no_tensors, ckpt::sgd>::open(test::view(data));
  REQUIRE(opened.ok());
  CHECK(opened->kind() == dialect::onert_v0);
  CHECK(opened->training().step == 321);
  CHECK(ckpt::reader<golden::sgd_1t, ckpt::sgd>::open(test::view(data)).error().kind ==
        errc::count_mismatch);
}

TEST_CASE("C14 four bytes an element of onert-micro are read on request and never written") {
  const test::bytes data = test::read_golden("onert-micro/sgd_fc_i8_quirk.ckpt");
  using reader = ckpt::reader<golden::sgd_fc_i8_quirk, ckpt::sgd, ckpt::onert_micro>;
  const auto strict = reader::open(test::view(data));
  CHECK(strict.error().kind == errc::size_mismatch);
  CHECK(strict.error().expected == 3);
  CHECK(strict.error().found == 12);
  ckpt::read_options wide;
  wide.four_byte_elements = true;
  const auto opened = reader::open(test::view(data), wide);
  REQUIRE(opened.ok());
  const ckpt::bytes_view weight = opened->weight_bytes(1);
  REQUIRE(weight.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(weight[i] == static_cast<std::byte>(16 + i));
  CHECK(ckpt::layout<golden::sgd_fc_i8_quirk, ckpt::sgd, ckpt::onert_micro>::bytes(1) == 3);
}

TEST_CASE("every cut of every golden file is refused, with and without its model") {
  for (const golden_case& known : golden::golden_cases()) {
    CAPTURE(known.file);
    const test::bytes data = test::read_golden(known.file);
    const std::size_t stride = data.size() > 4096 ? 61 : 1;
    for (std::size_t size = 0; size < data.size(); size += stride) {
      CAPTURE(size);
      const test::bytes cut(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size));
      CHECK_FALSE(ckpt::verify(test::view(cut)).error.ok());
    }
  }
}
