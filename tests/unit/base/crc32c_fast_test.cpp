#include "ckpt/base/crc32c_fast.hpp"

#include <algorithm>
#include <utility>

#include "support.hpp"

namespace {

/// What the checksum is, one byte further, bit by bit as the definition says.
std::uint32_t one_more(std::uint32_t before, std::byte next) {
  std::uint32_t state = ~before ^ static_cast<std::uint32_t>(next);
  for (int bit = 0; bit < 8; ++bit)
    state = (state & 1U) != 0 ? (state >> 1) ^ 0x82F63B78U : state >> 1;
  return ~state;
}

test::bytes random_bytes(std::size_t size, std::uint64_t seed) {
  test::random_numbers numbers(seed);
  test::bytes data(size);
  for (std::byte& b : data) b = static_cast<std::byte>(numbers.next());
  return data;
}

ckpt::bytes_view from(const test::bytes& data, std::size_t first) {
  return {data.data() + first, data.size() - first};
}

using checksum = std::uint32_t (*)(ckpt::bytes_view, std::uint32_t);

std::uint32_t portable(ckpt::bytes_view bytes, std::uint32_t before) {
  return ckpt::crc32c(bytes, before);
}
std::uint32_t fast(ckpt::bytes_view bytes, std::uint32_t before) {
  return ckpt::crc32c_fast(bytes, before);
}
/// What `crc32c_fast` falls back to is tested too where it does not.
constexpr checksum both[] = {fast, portable};

/// Where a run of three lanes ends, or several such runs end one after the other.
constexpr std::size_t lane_ends[] = {
    8,    64,   128,   192,         384,          512,   1024,  1536,  3072,         1536 + 192,
    4096, 8192, 12288, 12288 + 192, 12288 + 1536, 13824, 14016, 24576, 24576 + 1728, 36864};

}  // namespace

// The vectors of RFC 3720, appendix B.4.
TEST_CASE("the fast and the portable CRC-32C give the published values") {
  const test::bytes zeros(32, std::byte{0});
  const test::bytes ones(32, std::byte{0xFF});
  test::bytes rising(32);
  test::bytes falling(32);
  for (std::size_t i = 0; i < 32; ++i) {
    rising[i] = static_cast<std::byte>(i);
    falling[i] = static_cast<std::byte>(31 - i);
  }
  test::bytes read_command(48);  // an iSCSI SCSI Read (10) command PDU
  const std::pair<std::size_t, unsigned> set[] = {{0, 0x01},  {1, 0xC0},  {16, 0x14}, {22, 0x04},
                                                  {27, 0x14}, {31, 0x18}, {32, 0x28}, {40, 0x02}};
  for (const auto& [place, value] : set) read_command[place] = static_cast<std::byte>(value);
  for (const checksum of : both) {
    CHECK(of(test::view(zeros), 0) == 0x8A9136AAU);
    CHECK(of(test::view(ones), 0) == 0x62A8AB43U);
    CHECK(of(test::view(rising), 0) == 0x46DD794EU);
    CHECK(of(test::view(falling), 0) == 0x113FDB5CU);
    CHECK(of(test::view(read_command), 0) == 0xD9963A56U);
    CHECK(of({}, 0) == 0);
    CHECK(of({}, 0x12345678U) == 0x12345678U);
  }
}

TEST_CASE("the fast and the portable CRC-32C of every length are that of the definition") {
  const test::bytes data = random_bytes(4400, 1);
  std::uint32_t expected = 0;
  for (std::size_t size = 0; size < data.size(); ++size) {
    CAPTURE(size);
    REQUIRE(fast(test::prefix(data, size), 0) == expected);
    REQUIRE(portable(test::prefix(data, size), 0) == expected);
    expected = one_more(expected, data[size]);
  }
}

// Each in memory of its own size, so that a sanitizer sees a byte read too many.
TEST_CASE("the fast CRC-32C is right around the ends of its lanes, at every alignment") {
  for (const std::size_t end : lane_ends)
    for (std::size_t size = end - 8; size <= end + 9; ++size) {
      const std::size_t offset = size % 16;
      CAPTURE(size);
      CAPTURE(offset);
      const test::bytes data = random_bytes(offset + size, size);
      REQUIRE(fast(from(data, offset), 77) == portable(from(data, offset), 77));
    }
}

TEST_CASE("the fast CRC-32C does not depend on the alignment") {
  const test::bytes content = random_bytes(14100, 3);
  const std::uint32_t expected = portable(test::view(content), 0);
  for (std::size_t offset = 0; offset < 16; ++offset) {
    CAPTURE(offset);
    test::bytes moved(offset, std::byte{0xA5});
    moved.insert(moved.end(), content.begin(), content.end());
    CHECK(fast(from(moved, offset), 0) == expected);
  }
}

TEST_CASE("the fast CRC-32C sees every bit of three long lanes") {
  test::bytes data(3 * 4096, std::byte{0});
  const std::uint32_t of_zeros = fast(test::view(data), 0);
  for (std::size_t bit = 0; bit < 8 * data.size(); bit += 97) {
    CAPTURE(bit);
    data[bit / 8] = static_cast<std::byte>(1U << (bit % 8));
    REQUIRE(fast(test::view(data), 0) != of_zeros);
    data[bit / 8] = std::byte{0};
  }
}

TEST_CASE("a fast checksum can be carried on over any parts") {
  const test::bytes data = random_bytes(60000, 4);
  const std::uint32_t whole = portable(test::view(data), 0);
  test::random_numbers numbers(5);
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    std::uint32_t carried = 0;
    for (std::size_t at = 0; at < data.size();) {
      const auto size =
          static_cast<std::size_t>(numbers.below(numbers.below(4) == 0 ? 30000 : 700));
      const std::size_t taken = (std::min)(size, data.size() - at);
      const ckpt::bytes_view part = from(data, at).part(0, taken);
      carried = both[numbers.below(2)](part, carried);
      at += taken;
    }
    CHECK(carried == whole);
  }
}

TEST_CASE("the fast CRC-32C of some MiB is that of the portable one, and can be put together") {
  const test::bytes data = random_bytes((5U << 20) + 12345, 6);
  const std::uint32_t whole = fast(test::view(data), 0);
  CHECK(whole == portable(test::view(data), 0));
  const std::size_t cut = (3U << 20) + 1;
  const std::uint32_t first = fast(test::prefix(data, cut), 0);
  const std::uint32_t second = fast(from(data, cut), 0);
  CHECK(ckpt::crc32c_combine(first, second, data.size() - cut) == whole);
}
