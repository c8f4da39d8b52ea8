#include <algorithm>
#include <cmath>
#include <limits>

#include "ckpt/io/mapping.hpp"
#include "fixtures.hpp"
#include "format/handmade.hpp"
#include "scratch.hpp"
#include "support.hpp"

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

using ckpt::dialect;
using ckpt::dtype;
using ckpt::errc;
using ckpt::role;

namespace {

struct net {
  static constexpr auto tensors = ckpt::tensors({{"input", dtype::u8, {4}, role::absent},
                                                 {"w", dtype::f32, {17, 31}},
                                                 {"none", dtype::f32, {3, 0}},
                                                 {"embedding", dtype::bf16, {5, 3}, role::frozen},
                                                 {"b", dtype::f64, {7}},
                                                 {"scalar", dtype::f32, {}}});
};

/// Adam with moments of 8 bits and a scale for each 256 elements.
struct adam8bit {
  static constexpr ckpt::name_view name = "adam8bit";
  static constexpr std::size_t slot_count = 4;
  static constexpr ckpt::name_view slot_names[] = {"m", "v", "m_scale", "v_scale"};
  static constexpr ckpt::tensor_form slot(std::size_t which, const ckpt::tensor_form& weight) {
    if (which < 2) return {dtype::u8, weight.extents()};
    return {dtype::f32, {(weight.extents().element_count() + 255) / 256}};
  }
};

/// Five slots, none like another.
struct five_slots {
  static constexpr std::size_t slot_count = 5;
  static constexpr ckpt::tensor_form slot(std::size_t which, const ckpt::tensor_form& weight) {
    if (which == 0) return weight;
    if (which == 1) return {dtype::boolean, {0}};
    return {dtype::i16, {which, weight.extents().element_count()}};
  }
};

static_assert(ckpt::layout<net, adam8bit, ckpt::v2>::slot_bytes(0, 1) == 17 * 31);
static_assert(ckpt::layout<net, adam8bit, ckpt::v2>::slot_bytes(2, 1) == 4 * 3);
static_assert(ckpt::layout<net, adam8bit, ckpt::v2>::slot_bytes(2, 3) == 0);

// An optimizer without slots costs nothing: no table, no section, no byte of padding.
static_assert(ckpt::layout<net, ckpt::sgd, ckpt::v2>::head<0>.size() ==
              16 + 2 * 6 +
                  ckpt::manifest::measure(ckpt::view_of<net>(),
                                          ckpt::view_of_optimizer<ckpt::sgd>())
                      .constant_words());

/// Every payload that has bytes is at a multiple of the alignment, in its place behind the others.
template <class Model, class Optimizer, std::uint32_t Alignment>
constexpr bool is_aligned() {
  using layout = ckpt::layout<Model, Optimizer, ckpt::v2_with<Alignment>>;
  std::uint64_t end = layout::bounds(0).payload;  // where the manifest ends
  for (std::size_t k = 0; k < (1 + Optimizer::slot_count) * Model::tensors.size(); ++k) {
    const std::size_t s = k / Model::tensors.size();
    const std::size_t i = k % Model::tensors.size();
    const std::uint64_t offset =
        ckpt::little_word(layout::template head<0>[16 + 2 * k]) |
        std::uint64_t{ckpt::little_word(layout::template head<0>[17 + 2 * k])} << 32;
    const std::uint64_t bytes = s == 0 ? layout::bytes(i) : layout::slot_bytes(s - 1, i);
    if (offset < end || offset - end >= Alignment) return false;
    if (bytes == 0 ? offset != end : offset % Alignment != 0) return false;
    end = offset + bytes;
  }
  const std::uint64_t state = (end + 7) / 8 * 8;
  return layout::footer_offset == state && layout::file_bytes == state + 1024;
}

static_assert(is_aligned<net, ckpt::adam, 1>());
static_assert(is_aligned<net, ckpt::adam, 2>());
static_assert(is_aligned<net, ckpt::adam, 64>());
static_assert(is_aligned<net, ckpt::adam, 4096>());
static_assert(is_aligned<net, adam8bit, 128>());
static_assert(is_aligned<net, five_slots, 512>());
static_assert(is_aligned<net, ckpt::sgd, 4096>());

/// What a state section says by itself.
const ckpt::training_state& everything() {
  static const ckpt::training_state training = [] {
    ckpt::training_state made;
    made.step = ~std::uint64_t{0};
    made.epoch = std::uint64_t{1} << 32U;
    made.sample_cursor = 3;
    made.shuffle_seed = 0x8000000000000001;
    made.rng_state = {~std::uint64_t{0}, 0, 1, 0x0123456789ABCDEF};
    made.best_metric = -1.5;
    made.learning_rate = std::numeric_limits<double>::denorm_min();
    return made;
  }();
  return training;
}

template <std::uint32_t Alignment, std::size_t StateBytes, class Model, class Optimizer>
void check_handmade() {
  using format = ckpt::v2_with<Alignment, StateBytes>;
  test::owned_state<Model, Optimizer> state;
  state.fill(StateBytes);
  state.view.training = everything();
  const handmade::file holds =
      handmade::file_of(state, handmade::state_section(everything(), StateBytes));
  const test::bytes wanted = handmade::v2(holds, Alignment);
  const test::bytes file = test::written<format>(state.view);
  CHECK(file == wanted);

  test::owned_state<ckpt::dynamic_model, Optimizer> live(ckpt::view_of<Model>());
  live.fill(StateBytes);
  live.view.training = everything();
  CHECK(handmade::written<format>(live) == wanted);

  const ckpt::description said = ckpt::verify(test::view(file));
  REQUIRE_MESSAGE(said.error.ok(), test::words(said.error.message()));
  CHECK(said.map.kind == dialect::v2);
  CHECK(said.map.slot_count == Optimizer::slot_count);
  CHECK(said.map.alignment == Alignment);
  CHECK(said.training == everything());

  test::owned_state<Model, Optimizer> loaded;
  const auto opened = ckpt::reader<Model, Optimizer, format>::open(test::view(file));
  REQUIRE_MESSAGE(opened.ok(), test::words(opened.error().message()));
  CHECK(opened->slot_count() == Optimizer::slot_count);
  REQUIRE(opened->load_into(loaded.view).ok());
  CHECK(loaded.memory == state.memory);
  // Alignment and the size of the state section are the file's own affair.
  using other = ckpt::reader<Model, Optimizer, ckpt::v2_with<2048, 4096>>;
  const auto elsewhere = other::open(test::view(file));
  REQUIRE_MESSAGE(elsewhere.ok(), test::words(elsewhere.error().message()));
  test::owned_state<Model, Optimizer> again;
  REQUIRE(elsewhere->load_into(again.view).ok());
  CHECK(again.memory == state.memory);
  CHECK(again.view.training == everything());
}

}  // namespace

TEST_CASE("a v2 file of any number of slots, of any form, is the one put together by hand") {
  check_handmade<64, 1024, net, ckpt::sgd>();
  check_handmade<64, 1024, net, ckpt::momentum>();
  check_handmade<64, 1024, net, ckpt::adam>();
  check_handmade<64, 1024, net, ckpt::amsgrad>();
  check_handmade<64, 1024, net, adam8bit>();
  check_handmade<64, 1024, net, five_slots>();
  check_handmade<64, 1024, net, ckpt::adafactor>();
  check_handmade<64, 1024, fixture::no_tensors, ckpt::sgd>();
  check_handmade<64, 1024, fixture::no_tensors, five_slots>();
  check_handmade<64, 1024, fixture::three, ckpt::amsgrad>();
}

TEST_CASE("payloads are aligned as the policy says, from 1 to a page of direct I/O") {
  check_handmade<1, 88, net, adam8bit>();
  check_handmade<2, 96, net, ckpt::adam>();
  check_handmade<4, 88, net, five_slots>();
  check_handmade<8, 88, net, ckpt::adam>();
  check_handmade<16, 104, net, ckpt::amsgrad>();
  check_handmade<512, 1024, net, ckpt::adafactor>();
  check_handmade<4096, 4096, net, adam8bit>();
}

TEST_CASE("every field of the training state comes back to the bit") {
  test::owned_state<fixture::three, ckpt::sgd> state;
  const auto bits = handmade::bits_of;
  const std::uint64_t reals[] = {0x7FF8000000000000, 0x7FF8000000000001, 0xFFF80000DEADBEEF,
                                 0x7FF0000000000001, 0x8000000000000000, 0,
                                 0x7FF0000000000000, 0xFFF0000000000000, 1,
                                 0x000FFFFFFFFFFFFF, 0x3FF0000000000000};
  for (const std::uint64_t real : reals) {
    CAPTURE(real);
    ckpt::training_state& training = state.view.training;
    training = everything();
    std::memcpy(&training.best_metric, &real, sizeof real);
    std::memcpy(&training.learning_rate, &real, sizeof real);
    const test::bytes file = test::written<ckpt::v2>(state.view);
    const auto opened = ckpt::reader<fixture::three, ckpt::sgd>::open(test::view(file));
    REQUIRE(opened.ok());
    test::owned_state<fixture::three, ckpt::sgd> loaded;
    REQUIRE(opened->load_into(loaded.view).ok());
    const ckpt::training_state& got = loaded.view.training;
    CHECK(got == training);
    CHECK(bits(got.best_metric) == real);
    CHECK(bits(got.learning_rate) == real);
    CHECK(got.rng_state == training.rng_state);
    CHECK(got.step == ~std::uint64_t{0});
  }
}

TEST_CASE("E5 v2 counts to 2^64 - 1") {
  test::owned_state<fixture::three, ckpt::sgd> state;
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{0xFFFFFFFF},
                                    std::uint64_t{0x100000000}, ~std::uint64_t{0}}) {
    state.view.training = {value, value};
    const test::bytes file = test::written<ckpt::v2>(state.view);
    CHECK(ckpt::verify(test::view(file)).training == ckpt::training_state{value, value});
  }
}

TEST_CASE("values of the user fill the state section to the last byte and not beyond") {
  test::owned_state<fixture::three, ckpt::sgd> state;
  ckpt::value_storage<256> values;
  state.view.user_values = &values;
  // A record of 8 + 1 + 24 bytes makes 36 with its zeros; 88 + 36 is not a multiple of 8, 128 is.
  using format = ckpt::v2_with<64, 128>;
  const ckpt::writer<fixture::three, ckpt::sgd, format> write;
  REQUIRE(values.set_text("k", "012345678901234567890123").ok());
  CHECK(write.check(state.view).ok());
  REQUIRE(values.set_text("k", "0123456789012345678901234567890").ok());  // 40 bytes
  REQUIRE(values.encoded().size() == 40);
  CHECK(write.check(state.view).ok());
  const test::bytes file = test::written<format>(state.view);
  const ckpt::description said = ckpt::verify(test::view(file));
  REQUIRE(said.error.ok());
  CHECK(said.values.text("k")->size() == 31);

  REQUIRE(values.set_text("k", "01234567890123456789012345678901").ok());  // 44 bytes
  const ckpt::status failed = write.check(state.view);
  CHECK(failed.kind == errc::unstorable_values);
  CHECK(failed.expected == 40);
  CHECK(failed.found == 44);
  test::bytes memory(file.size());
  CHECK(write.write_to(state.view, ckpt::bytes_span(memory.data(), memory.size())).error().kind ==
        errc::unstorable_values);
  CHECK(memory == test::bytes(file.size()));
}

namespace {

test::bytes good_file() {
  test::owned_state<net, adam8bit> state;
  state.fill(3);
  ckpt::value_storage<64> values;
  static_cast<void>(values.set_integer("n", 5));
  state.view.user_values = &values;
  return test::written<ckpt::v2_with<64, 136>>(state.view);
}

/// The first thing wrong with a file that has been tampered with and sealed again.
ckpt::status why(std::size_t at, std::uint64_t value, std::size_t width, bool is_sealed = true) {
  test::bytes file = good_file();
  const std::size_t manifest = handmade::manifest_at(file);
  handmade::set(file, at, value, width);
  if (is_sealed && handmade::manifest_at(file) == manifest) handmade::seal(file);
  const ckpt::status said = ckpt::verify(test::view(file)).error;
  using reader = ckpt::reader<net, adam8bit, ckpt::v2>;
  // A reader finds the same, or finds that the counts are not its model's before.
  if (!said.ok() && said.kind != errc::bad_padding) {
    const auto opened = reader::open(test::view(file));
    test::owned_state<net, adam8bit> state;
    CHECK_FALSE((opened.ok() && opened->load_into(state.view).ok()));
  }
  return said;
}

}  // namespace

TEST_CASE("a required feature that nobody knows refuses the file, an optional one does not") {
  const ckpt::status said = why(44, 4, 4);
  CHECK(said.kind == errc::unsupported_feature);
  CHECK(said.found == 4);
  CHECK(said.offset == 44);
  CHECK(why(44, 0x80000000, 4).kind == errc::unsupported_feature);
  CHECK(why(48, 0xFFFFFFFF, 4).ok());
}

TEST_CASE("a field of the v2 header that is out of range is refused by name") {
  const auto size = static_cast<std::uint64_t>(good_file().size());
  CHECK(why(12, 0, 4).kind == errc::bad_header);
  CHECK(why(12, 3, 4).kind == errc::bad_header);
  CHECK(why(12, 8192, 4).kind == errc::bad_header);
  CHECK(why(12, 0x80000000, 4).offset == 12);
  CHECK(why(12, 128, 4).kind == errc::bad_order);
  CHECK(why(16, size + 1, 8).kind == errc::truncated);
  CHECK(why(16, size - 1, 8).kind == errc::trailing_bytes);
  CHECK(why(16, ~std::uint64_t{0}, 8).kind == errc::truncated);
  for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{63}, size, size + 1,
                                    ~std::uint64_t{0}, std::uint64_t{0x100000000}}) {
    CAPTURE(place);
    CHECK(why(24, place, 8).kind == errc::bad_header);
    CHECK(why(24, place, 8).offset == 24);
  }
  const std::uint64_t state = size - 136;
  for (const std::uint64_t place :
       {std::uint64_t{0}, std::uint64_t{100}, state - 8, state + 8, size, ~std::uint64_t{0}}) {
    CAPTURE(place);
    CHECK(why(32, place, 8, false).kind == errc::bad_header);
  }
  for (const std::uint64_t bytes : {0U, 87U, 128U, 144U, 0xFFFFFFFFU}) {
    CAPTURE(bytes);
    CHECK(why(40, bytes, 4, false).kind == errc::bad_header);
    CHECK(why(40, bytes, 4, false).offset == 40);
  }
  for (const std::uint64_t count : {0U, 5U, 7U, 0x40000000U, 0x80000000U, 0xFFFFFFFFU}) {
    CAPTURE(count);
    CHECK_FALSE(why(4, count, 4).ok());
    CHECK_FALSE(why(8, count, 4).ok());
  }
}

TEST_CASE("offsets of a v2 file are where the manifest puts its tensors") {
  const test::bytes file = good_file();
  for (std::size_t k = 0; k < 5 * 6; ++k) {
    CAPTURE(k);
    const std::uint64_t entry = handmade::get(file, 64 + 8 * k, 8);
    for (const std::uint64_t other : {entry + 64, entry - 64, entry + 1, std::uint64_t{0},
                                      ~std::uint64_t{0}, entry | std::uint64_t{1} << 32U}) {
      const ckpt::status said = why(64 + 8 * k, other, 8);
      CHECK(said.kind == errc::bad_order);
      CHECK(said.part == ckpt::numbered_section(k / 6));
      CHECK(said.tensor == k % 6);
      CHECK(said.found == other);
    }
  }
}

TEST_CASE("a state section that contradicts itself is refused") {
  const std::size_t state = good_file().size() - 136;
  CHECK(why(state + 80, 49, 4).kind == errc::bad_training_state);
  CHECK(why(state + 80, 0xFFFFFFFF, 4).kind == errc::bad_training_state);
  CHECK(why(state + 80, 19, 4).kind == errc::bad_training_state);
  CHECK(why(state + 80, 0, 4).ok());
  CHECK(why(state + 88, 0, 2).kind == errc::bad_training_state);   // a key of no bytes
  CHECK(why(state + 88, 99, 2).kind == errc::bad_training_state);  // a key that leaves the section
  CHECK(why(state + 90, 5, 1).kind == errc::bad_training_state);   // an unknown kind
  CHECK(why(state + 92, 7, 4).kind == errc::bad_training_state);   // an integer of 7 bytes
}

TEST_CASE("a v2 file of a later minor version is verified and read, whatever it adds") {
  test::owned_state<net, ckpt::adam> state;
  state.fill(12);
  const ckpt::training_state& training = state.view.training;
  // Bytes behind the values of the state section, too.
  test::bytes section = handmade::state_section(training, 104);
  for (std::size_t at = 84; at < 104; ++at) section[at] = std::byte{0xC3};
  handmade::file holds = handmade::file_of(state, section);
  holds.says.minor = 7;
  holds.says.appended = test::bytes(20, std::byte{0xA5});
  for (const std::size_t between : {0U, 4U, 400U}) {
    CAPTURE(between);
    test::bytes file = handmade::v2(holds, 64, test::bytes(between, std::byte{0x5A}));
    handmade::set(file, 3, 200, 1);
    handmade::set(file, 48, 0xFFFF, 4);
    handmade::set(file, 52, ~std::uint64_t{0}, 8);
    handmade::set(file, 60, 0xFFFFFFFF, 4);
    handmade::seal(file);
    const ckpt::description said = ckpt::verify(test::view(file));
    REQUIRE_MESSAGE(said.error.ok(), test::words(said.error.message()));
    const auto opened = ckpt::reader<net, ckpt::adam, ckpt::v2>::open(test::view(file));
    REQUIRE_MESSAGE(opened.ok(), test::words(opened.error().message()));
    test::owned_state<net, ckpt::adam> loaded;
    REQUIRE(opened->load_into(loaded.view).ok());
    CHECK(loaded.memory == state.memory);
    CHECK(loaded.view.training == training);
    if (between == 0) continue;
    // What is skipped is covered by the checksum.
    file[handmade::manifest_at(file) - 1] ^= std::byte{1};
    CHECK(ckpt::verify(test::view(file)).error.kind == errc::checksum_mismatch);
  }
}

TEST_CASE("B10 a schema of the future is refused by number") {
  for (const unsigned schema : {0U, 3U, 4U, 255U}) {
    CAPTURE(schema);
    test::bytes file = good_file();
    file[2] = static_cast<std::byte>(schema);
    const ckpt::status said = ckpt::verify(test::view(file)).error;
    CHECK(said.kind == errc::unsupported_version);
    CHECK(said.expected == 2);
    CHECK(said.found == schema);
    using reader = ckpt::reader<net, adam8bit, ckpt::v2>;
    CHECK(reader::open(test::view(file)).error().kind == errc::unsupported_version);
  }
  // Called schema 1, it is no file of that schema either.
  test::bytes file = good_file();
  file[2] = std::byte{1};
  CHECK_FALSE(ckpt::verify(test::view(file)).error.ok());
}

TEST_CASE("a plain reader that is held to its own dialect refuses v2 by name") {
  test::owned_state<fixture::three, ckpt::adam> state;
  const test::bytes file = test::written<ckpt::v2>(state.view);
  ckpt::read_options own;
  own.only_own_dialect = true;
  const auto opened = ckpt::reader<fixture::three, ckpt::adam>::open(test::view(file), own);
  CHECK(opened.error().kind == errc::dialect_mismatch);
}

#if !defined(_WIN32)

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

/// A sink that leaves long runs of zeros out: they become holes of the file.
class sparse_sink {
 public:
  explicit sparse_sink(const std::string& name)
      : file_(::open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {}
  sparse_sink(const sparse_sink&) = delete;
  sparse_sink& operator=(const sparse_sink&) = delete;
  ~sparse_sink() { ::close(file_); }

  ckpt::status append(ckpt::bytes_view data) {
    const auto written = ::pwrite(file_, data.data(), data.size(), static_cast<off_t>(at_));
    at_ += data.size();
    return written == static_cast<ssize_t>(data.size()) ? ckpt::status{}
                                                        : ckpt::fail(errc::input_output);
  }
  ckpt::status flush() { return {}; }
  void skip_to(std::uint64_t place) { at_ = place; }
  [[nodiscard]] std::uint64_t position() const { return at_; }

 private:
  int file_;
  std::uint64_t at_ = 0;
};

/// CRC-32C of so many zeros.
std::uint32_t crc_of_zeros(std::uint64_t count) {
  // Of one byte, then doubled.
  const std::byte zero{};
  std::uint32_t sum = 0;
  std::uint32_t power = ckpt::crc32c(ckpt::bytes_view(&zero, 1));
  std::uint64_t size = 1;
  for (; count != 0; count >>= 1, power = ckpt::crc32c_combine(power, power, size), size *= 2)
    if ((count & 1U) != 0) sum = ckpt::crc32c_combine(sum, power, size);
  return sum;
}

/// Writes the checkpoint of a layout whose tensors are zeros from `huge` bytes on: head,
/// checksums, small payloads and the state section, in the order of the file.
/// @param payload  bytes of a small tensor
template <class Payload>
void write_sparse(const ckpt::layout_view& layout, ckpt::bytes_view footer, std::uint64_t huge,
                  Payload payload, sparse_sink& sink) {
  const ckpt::bytes_view head = layout.head(0);
  test::bytes checksums;
  for (std::size_t s = 0; s < layout.sections.size(); ++s) {
    for (std::size_t i = 0; i < layout.model.size(); ++i) {
      const std::uint64_t size = layout.bytes(s, i);
      const test::bytes data = size >= huge ? test::bytes{} : payload(s, i);
      checksums.resize(checksums.size() + 4);
      handmade::set(checksums, checksums.size() - 4,
                    size >= huge ? crc_of_zeros(size) : handmade::crc(data), 4);
    }
  }
  std::uint32_t frame = handmade::crc(head.data(), head.size());
  frame = handmade::crc(checksums.data(), checksums.size(), frame);
  frame = handmade::crc(footer.data(), footer.size(), frame);
  checksums.resize(checksums.size() + 4);
  handmade::set(checksums, checksums.size() - 4, frame, 4);
  REQUIRE(sink.append(head).ok());
  REQUIRE(sink.append(test::view(checksums)).ok());
  for (std::size_t s = 0; s < layout.sections.size(); ++s) {
    for (std::size_t i = 0; i < layout.model.size(); ++i) {
      const std::size_t at = 64 + 8 * (s * layout.model.size() + i);
      sink.skip_to(ckpt::load_little<std::uint64_t>(head.data() + at));
      if (layout.bytes(s, i) < huge) REQUIRE(sink.append(test::view(payload(s, i))).ok());
    }
  }
  sink.skip_to(layout.footer);
  REQUIRE(sink.append(footer).ok());
}

test::bytes small_payload(const ckpt::layout_view& layout, std::size_t section, std::size_t index) {
  return test::bytes(static_cast<std::size_t>(layout.bytes(section, index)),
                     static_cast<std::byte>(16 * section + index + 1));
}

/// Whether the file takes (almost) no room on this disk.
bool is_sparse(const std::string& name) {
  struct stat facts {};
  return ::stat(name.c_str(), &facts) == 0 && facts.st_blocks < 4096;
}

}  // namespace

TEST_CASE("checksums of long runs of zeros are computed without reading them") {
  for (const std::size_t count : {0U, 1U, 3U, 64U, 1000U, 65537U})
    CHECK(crc_of_zeros(count) == handmade::crc(test::bytes(count)));
}

TEST_CASE("J1 a v2 file beyond 4 GiB, and one beyond 8, is described, mapped and read in part") {
  if (sizeof(std::size_t) < 8) return;
  ckpt_test::scratch directory;
  const std::string name = directory.at("huge.ckpt");
  const ckpt::tensor_spec specs[] = {{"first", dtype::f32, {5}},
                                     {"huge", dtype::u8, {5 * gib}},
                                     {"between", dtype::u8, {77}},
                                     {"frozen", dtype::u8, {2, 2 * gib}, role::frozen},
                                     {"last", dtype::f32, {3}}};
  const ckpt::model_view model{ckpt::span<const ckpt::tensor_spec>(specs), {}};
  using layout_type = ckpt::layout<ckpt::dynamic_model, ckpt::adam, ckpt::v2>;
  const handmade::live_layout<ckpt::adam, ckpt::v2> layout(model);
  const ckpt::layout_view known = layout.get().view();

  // 5 GiB and 4 GiB of weights, twice 5 GiB of slots.
  CHECK(layout.get().offset(2) > 5 * gib);
  CHECK(layout.get().offset(4) > 9 * gib);
  CHECK(layout.get().slot_offset(1, 4) > 19 * gib);
  CHECK(layout.get().file_bytes() > 19 * gib);
  for (std::size_t i = 0; i < 5; ++i) CHECK(layout.get().offset(i) % 64 == 0);
  CHECK(layout.get().slot_offset(0, 3) ==
        layout.get().slot_offset(0, 2) + 77);  // nothing stored, nothing aligned

  ckpt::training_state training;
  training.step = std::uint64_t{1} << 40U;
  const test::bytes footer = handmade::state_section(training, 1024);
  {
    sparse_sink sink(name);
    write_sparse(
        known, test::view(footer), gib,
        [&](std::size_t s, std::size_t i) { return small_payload(known, s, i); }, sink);
    REQUIRE(sink.position() == layout.get().file_bytes());
  }
  if (!is_sparse(name)) {
    MESSAGE("SKIP: this disk has no sparse files");
    return;
  }

  const auto mapped = ckpt::native_mapping::open(name);
  REQUIRE_MESSAGE(mapped.ok(), test::words(mapped.error().message()));
  const ckpt::bytes_view file = mapped->bytes();
  CHECK(file.size() == layout.get().file_bytes());
  const auto found = ckpt::detect(file);
  REQUIRE(found.ok());
  CHECK(found->kind == dialect::v2);
  CHECK(found->footer == layout.get().footer_offset());
  // The 64 bytes in front and the size are enough to name it.
  CHECK(ckpt::detect(file.part(0, 64), file.size())->kind == dialect::v2);
  CHECK(ckpt::detect(file.part(0, 64), file.size() - 1).error().kind == errc::truncated);
  CHECK(ckpt::detect(file.part(0, 64), file.size() + 1).error().kind == errc::trailing_bytes);

  using reader = ckpt::reader<ckpt::dynamic_model, ckpt::adam, ckpt::v2>;
  const auto opened = reader::open(layout.get(), file);
  REQUIRE_MESSAGE(opened.ok(), test::words(opened.error().message()));
  CHECK(opened->training() == training);
  CHECK(opened->weight_bytes(1).size() == 5 * gib);
  for (std::size_t s = 0; s < 3; ++s) {
    for (const std::size_t i : {0U, 2U, 4U}) {
      test::bytes copy(static_cast<std::size_t>(known.bytes(s, i)));
      const ckpt::bytes_span to(copy.data(), copy.size());
      REQUIRE((s == 0 ? opened->copy_weight(i, to) : opened->copy_slot(s - 1, i, to)).ok());
      CHECK(copy == small_payload(known, s, i));
    }
  }
  if constexpr (ckpt::host_byte_order == ckpt::byte_order::little)
    CHECK(opened->weight_as<float>(4)->size() == 3);

  // Schema 1 cannot hold the model, and says so before it writes.
  using plain = ckpt::layout<ckpt::dynamic_model, ckpt::adam, ckpt::onert_plus>;
  const ckpt::dynamic_model live(model.tensors);
  std::vector<std::uint32_t> words(plain::words_needed(live));
  CHECK(plain::make(live, words).error().kind == errc::too_large);
  static_assert(layout_type::slot_count == 2);
}

TEST_CASE("a layout whose file exceeds 64 bits is refused") {
  const ckpt::tensor_spec specs[] = {{"a", dtype::u8, {0x7FFFFFFFFFFFFFFF}},
                                     {"b", dtype::u8, {0x7FFFFFFFFFFFFFFF}}};
  using layout = ckpt::layout<ckpt::dynamic_model, ckpt::sgd, ckpt::v2>;
  const ckpt::dynamic_model model{ckpt::span<const ckpt::tensor_spec>(specs)};
  std::vector<std::uint32_t> words(layout::words_needed(model));
  CHECK(layout::make(model, words).error().kind == errc::too_large);
}

#endif
