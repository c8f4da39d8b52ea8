#include "fixtures.hpp"
#include "golden_cases.hpp"
#include "support.hpp"

using ckpt::dialect;
using ckpt::errc;
using ckpt::section;
using fixture::three;

namespace {

using adam_reader = ckpt::reader<three, ckpt::adam>;

ckpt::status why(const test::bytes& file) {
  return adam_reader::open(test::view(file)).error();
}

test::bytes with_u32(test::bytes file, std::size_t offset, std::uint32_t value) {
  test::put_u32(file, offset, value);
  return file;
}

/// A state with known contents that must not change.
struct untouched {
  untouched() {
    state.fill(77);
    before = state.memory;
    training = state.view.training;
  }
  [[nodiscard]] bool holds() const {
    return state.memory == before && state.view.training == training;
  }
  test::owned_state<three, ckpt::adam> state;
  std::vector<test::bytes> before;
  ckpt::training_state training;
};

}  // namespace

TEST_CASE("B1 every proper prefix is refused as truncated, with needed and present size") {
  const test::bytes file = fixture::adam();
  for (std::size_t size = 0; size < file.size(); ++size) {
    CAPTURE(size);
    const test::bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    const ckpt::status failed = why(cut);
    CHECK(failed.kind == errc::truncated);
    CHECK(failed.found == size);
    CHECK(failed.expected > size);
    CHECK(ckpt::verify(test::view(cut)).error.kind == errc::truncated);
  }
}

TEST_CASE("B2 B3 a count that the file cannot hold is refused by arithmetic of 64 bits") {
  for (const std::uint32_t count : {0xFFFFFFFFU, 0x40000000U, 0x3FFFFFFBU, 33U}) {
    CAPTURE(count);
    const test::bytes file = with_u32(fixture::adam(), 16, count);
    CHECK(why(file).kind == errc::truncated);
    CHECK(why(file).found == 148);
    CHECK(why(file).expected == 20 + std::uint64_t{4} * count);
    CHECK(ckpt::verify(test::view(file)).error.kind == errc::truncated);
  }
}

TEST_CASE("B4 an offset outside of its section is refused with section, index and value") {
  const std::size_t tables[] = {20, 60, 100};
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (const std::uint32_t value : {148U, 149U, 0xFFFFFFFFU, 0U}) {
        CAPTURE(s);
        CAPTURE(i);
        CAPTURE(value);
        // A zero in the weight table is how onert-micro says "not stored".
        if (s == 0 && value == 0) continue;
        const std::size_t at = tables[s] + 4 * i;
        const ckpt::status failed = why(with_u32(fixture::adam(), at, value));
        CHECK(failed.kind == errc::offset_out_of_range);
        CHECK(failed.part == (s == 0 ? section::weights : ckpt::slot_section(s - 1)));
        CHECK(failed.tensor == i);
        CHECK(failed.found == value);
        CHECK(failed.offset == at);
      }
    }
  }
}

TEST_CASE("B6 extents run to the next larger offset, so permuted tables are size mismatches") {
  test::bytes file = fixture::adam();
  test::put_u32(file, 24, 56);
  test::put_u32(file, 28, 48);
  CHECK(why(file).kind == errc::size_mismatch);
  CHECK(why(file).tensor == 1);
  CHECK(why(file).expected == 8);
  CHECK(why(file).found == 4);
  test::put_u32(file, 20, 56);
  test::put_u32(file, 24, 48);
  test::put_u32(file, 28, 32);
  CHECK(why(file).kind == errc::size_mismatch);
  CHECK(why(file).tensor == 0);
  CHECK(why(file).expected == 16);
  CHECK(why(file).found == 4);
}

TEST_CASE("B8 a footer that is not at the end of the file is refused, and nothing is touched") {
  untouched destination;
  for (const std::uint32_t other : {0xFFFFFFF8U, 0x7FFFFFFFU, 148U, 141U, 139U, 20U, 1U}) {
    CAPTURE(other);
    const test::bytes file = with_u32(fixture::adam(), 12, other);
    CHECK_FALSE(why(file).ok());
    CHECK_FALSE(ckpt::verify(test::view(file)).error.ok());
  }
  CHECK(destination.holds());
}

TEST_CASE("B10 another magic, another schema and a used reserved byte each have their own answer") {
  test::bytes file = fixture::adam();
  std::swap(file[0], file[1]);
  CHECK(why(file).kind == errc::not_a_checkpoint);
  for (const int schema : {0, 3, 255}) {
    file = fixture::adam();
    file[2] = static_cast<std::byte>(schema);
    const ckpt::status failed = why(file);
    CHECK(failed.kind == errc::unsupported_version);
    CHECK(failed.expected == 2);  // the newest that is read
    CHECK(failed.found == static_cast<std::uint64_t>(schema));
  }
  file = fixture::adam();
  file[3] = std::byte{1};
  CHECK(why(file).kind == errc::bad_header);
  CHECK(why(file).offset == 3);
}

TEST_CASE("a short file of another kind is not called a cut checkpoint") {
  const test::bytes text = fixture::from_hex("50 4b 03 04");
  CHECK(ckpt::verify(test::view(text)).error.kind == errc::not_a_checkpoint);
  CHECK(ckpt::verify(test::prefix(text, 1)).error.kind == errc::truncated);
  CHECK(ckpt::verify({}).error.kind == errc::truncated);
}

TEST_CASE("B14 a message names the place, what was demanded and what was there") {
  const ckpt::status failed = why(with_u32(fixture::adam(), 108, 149));
  const std::string message = test::words(failed.message());
  CHECK(test::mentions(message, "slot 2"));
  CHECK(test::mentions(message, "tensor 2"));
  CHECK(test::mentions(message, "at byte 108"));
  CHECK(test::mentions(message, "expected 140, found 149"));
}

TEST_CASE("B15 a load that fails has changed nothing") {
  untouched destination;
  for (const std::uint32_t value : {0U, 99U, 137U, 149U}) {
    const test::bytes file = with_u32(fixture::adam(), 108, value);
    const auto opened = adam_reader::open(test::view(file));
    CHECK_FALSE(opened.ok());
  }
  // The last tensor of the destination is not bound: found before the first is copied.
  const test::bytes file = fixture::adam();
  const auto opened = adam_reader::open(test::view(file));
  REQUIRE(opened.ok());
  ckpt::state_view<three, ckpt::adam> partly;
  for (std::size_t i = 0; i < 3; ++i) {
    test::bytes& weight = destination.state.payload(0, i);
    REQUIRE(partly.bind_weight(i, ckpt::bytes_span(weight.data(), weight.size())).ok());
  }
  CHECK(opened->load_into(partly).error().kind == errc::unbound_tensor);
  CHECK(destination.holds());
}

TEST_CASE("an Adam file that lost its footer is called truncated in either dialect") {
  for (const char* name : {"onert-merged/adam_2t.ckpt", "onert-micro/adam_cnn.ckpt"}) {
    CAPTURE(std::string(name));
    test::bytes file = test::read_golden(name);
    file.resize(file.size() - 8);
    const ckpt::description said = ckpt::verify(test::view(file));
    CHECK(said.error.kind == errc::truncated);
    CHECK(said.error.expected == file.size() + 8);
    CHECK(said.map.kind == dialect::draft_d2);
  }
}

TEST_CASE("header offsets out of order or outside of the file are refused by field") {
  const auto bad_header = [](std::size_t at, std::uint32_t value) {
    return ckpt::verify(test::view(with_u32(fixture::adam(), at, value))).error;
  };
  CHECK(bad_header(4, 31).kind == errc::bad_section);
  CHECK(bad_header(4, 31).part == ckpt::slot_section(0));
  CHECK(bad_header(4, 101).kind == errc::bad_section);
  CHECK(bad_header(8, 71).kind == errc::bad_section);
  CHECK(bad_header(8, 71).part == ckpt::slot_section(1));
  CHECK(bad_header(8, 130).kind == errc::bad_section);
  CHECK(bad_header(8, 130).part == section::footer);
  CHECK(bad_header(4, 0xFFFFFFFF).kind == errc::bad_section);
}

namespace {

/// Single-bit damage to everything but payload and footer. A flip that spells the same tensors in
/// another way (opt1 of a file without slots is 0 or the footer) does no harm.
struct flips {
  std::size_t tried = 0;
  std::size_t found = 0;
};

template <class Detect>
flips flip_structure(const test::bytes& file, const ckpt::file_map& map, Detect detects) {
  flips count;
  for (std::size_t s = 0; s <= map.slot_count; ++s) {
    for (auto at = map.sections[s].begin; at < map.sections[s].payload; ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        test::bytes damaged = file;
        damaged[static_cast<std::size_t>(at)] ^= static_cast<std::byte>(1U << bit);
        ++count.tried;
        if (detects(damaged)) ++count.found;
      }
    }
  }
  return count;
}

template <class Model, class Optimizer, class Format>
void check_flips(const char* name) {
  CAPTURE(std::string(name));
  const test::bytes file = test::read_golden(name);
  if (file.size() > 4096) return;
  const ckpt::file_map map = ckpt::verify(test::view(file)).map;
  test::owned_state<Model, Optimizer> original;
  using reader = ckpt::reader<Model, Optimizer, Format>;
  REQUIRE(reader::open(test::view(file))->load_into(original.view).ok());
  const flips with_model = flip_structure(file, map, [&original](const test::bytes& damaged) {
    const auto opened = reader::open(test::view(damaged));
    test::owned_state<Model, Optimizer> loaded;
    return !opened.ok() ||
           (opened->load_into(loaded.view).ok() && loaded.memory == original.memory &&
            loaded.view.training == original.view.training);
  });
  CHECK(with_model.found == with_model.tried);
  const flips alone = flip_structure(file, map, [](const test::bytes& damaged) {
    return !ckpt::verify(test::view(damaged)).error.ok();
  });
  if (Format::kind == dialect::onert && Optimizer::slot_count == 2 &&
      std::string(name).find("all_untrainable") == std::string::npos)
    CHECK(alone.found == alone.tried);
}

}  // namespace

TEST_CASE("each flipped bit of header and tables is detected by the reader of every real file") {
#define FLIP_ONERT_SGD(model, file) check_flips<golden::model, ckpt::sgd, ckpt::onert>(file);
#define FLIP_ONERT_ADAM(model, file) check_flips<golden::model, ckpt::adam, ckpt::onert>(file);
#define FLIP_MICRO_SGD(model, file) check_flips<golden::model, ckpt::sgd, ckpt::onert_micro>(file);
#define FLIP_MICRO_ADAM(model, file) \
  check_flips<golden::model, ckpt::adam, ckpt::onert_micro>(file);
  GOLDEN_ONERT_SGD(FLIP_ONERT_SGD)
  GOLDEN_ONERT_ADAM(FLIP_ONERT_ADAM)
  GOLDEN_MICRO_SGD(FLIP_MICRO_SGD)
  GOLDEN_MICRO_ADAM(FLIP_MICRO_ADAM)
}

TEST_CASE("B16 no input makes the entry points read outside of their bytes") {
  const test::bytes seeds[] = {fixture::adam(),   fixture::plain(), fixture::sgd_onert(),
                               fixture::frozen(), fixture::empty(), fixture::sparse_file()};
  test::random_numbers numbers(2024);
  for (int round = 0; round < 60000; ++round) {
    test::bytes file = seeds[numbers.below(6)];
    for (std::uint64_t change = 0; change <= numbers.below(4); ++change) {
      const auto at = static_cast<std::size_t>(numbers.below(file.size()));
      if (numbers.below(2) == 0 && at + 4 <= file.size()) {
        constexpr std::uint32_t edges[] = {0, 1, 20, 28, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
        test::put_u32(file, at & ~std::size_t{3}, edges[numbers.below(7)]);
      } else {
        file[at] ^= static_cast<std::byte>(1U << numbers.below(8));
      }
    }
    file.resize(static_cast<std::size_t>(numbers.below(file.size() + 1)));
    file.shrink_to_fit();
    const ckpt::description said = ckpt::verify(test::view(file));
    if (said.is_named) {
      for (std::size_t s = 0; s <= said.map.slot_count; ++s) {
        std::vector<ckpt::table_entry> entries(said.map.tensor_count);
        ckpt::list_entries(test::view(file), said.map, s, entries);
        for (const auto& entry : entries) CHECK(entry.bytes <= file.size());
      }
    }
    for (const auto& options : {ckpt::read_options{}, ckpt::weights_only, ckpt::cold_slots}) {
      test::owned_state<three, ckpt::adam> state;
      const auto opened = adam_reader::open(test::view(file), options);
      if (opened.ok()) CHECK(opened->load_into(state.view).ok());
      const auto micro = ckpt::reader<fixture::sparse, ckpt::sgd>::open(test::view(file), options);
      if (micro.ok()) CHECK(micro->weight_bytes(1).size() == 16);
    }
  }
}

TEST_CASE("C16 a file with the published header is described and read") {
  // 110 entries that rise from 460 to the end of each section, as few bytes as they can be told by.
  test::bytes head = test::read_golden("header-only/mbv2_seed000_first460.bin");
  const auto map = ckpt::detect(test::view(head), 41843548);
  REQUIRE(map.ok());
  CHECK(map->kind == dialect::onert);
  CHECK(map->tensor_count == 110);
  CHECK(map->slot_count == 2);
  CHECK(map->sections[1].begin == 13947860);
  CHECK(map->sections[2].begin == 27895700);
  CHECK(map->footer == 41843540);
  for (std::size_t s = 0; s < 3; ++s)
    CHECK(map->sections[s].end - map->sections[s].table == 13947840);
  CHECK(ckpt::verify(test::view(head)).error.kind == errc::truncated);
}
