#include "ckpt/base/crc32c.hpp"

#include "support.hpp"

namespace {

/// Bit by bit, as the definition says.
std::uint32_t by_definition(const test::bytes& data) {
  std::uint32_t state = 0xFFFFFFFFU;
  for (const std::byte b : data) {
    state ^= static_cast<std::uint32_t>(b);
    for (int bit = 0; bit < 8; ++bit)
      state = (state & 1U) != 0 ? (state >> 1) ^ 0x82F63B78U : state >> 1;
  }
  return ~state;
}

test::bytes random_bytes(std::size_t size, std::uint64_t seed) {
  test::random_numbers numbers(seed);
  test::bytes data(size);
  for (std::byte& b : data) b = static_cast<std::byte>(numbers.next());
  return data;
}

constexpr std::uint32_t check_value() {
  constexpr char digits[] = "123456789";
  std::byte bytes[9] = {};
  for (std::size_t i = 0; i < 9; ++i) bytes[i] = static_cast<std::byte>(digits[i]);
  return ckpt::crc32c(ckpt::bytes_view(bytes));
}
static_assert(check_value() == 0xE3069283U);

}  // namespace

// The vectors of RFC 3720, appendix B.4.
TEST_CASE("CRC-32C gives the published values") {
  test::bytes data(32, std::byte{0});
  CHECK(ckpt::crc32c(test::view(data)) == 0x8A9136AAU);
  data.assign(32, std::byte{0xFF});
  CHECK(ckpt::crc32c(test::view(data)) == 0x62A8AB43U);
  for (std::size_t i = 0; i < 32; ++i) data[i] = static_cast<std::byte>(i);
  CHECK(ckpt::crc32c(test::view(data)) == 0x46DD794EU);
  for (std::size_t i = 0; i < 32; ++i) data[i] = static_cast<std::byte>(31 - i);
  CHECK(ckpt::crc32c(test::view(data)) == 0x113FDB5CU);
  CHECK(ckpt::crc32c({}) == 0);
}

TEST_CASE("CRC-32C of every length and alignment is that of the definition") {
  for (std::size_t size = 0; size < 100; ++size) {
    CAPTURE(size);
    const test::bytes data = random_bytes(size, size);
    CHECK(ckpt::crc32c(test::view(data)) == by_definition(data));
  }
}

TEST_CASE("a checksum can be carried on, or put together from those of its parts") {
  const test::bytes data = random_bytes(257, 5);
  const std::uint32_t whole = ckpt::crc32c(test::view(data));
  for (std::size_t cut = 0; cut <= data.size(); ++cut) {
    CAPTURE(cut);
    const ckpt::bytes_view rest(data.data() + cut, data.size() - cut);
    const std::uint32_t first = ckpt::crc32c(test::prefix(data, cut));
    CHECK(ckpt::crc32c(rest, first) == whole);
    CHECK(ckpt::crc32c_combine(first, ckpt::crc32c(rest), rest.size()) == whole);
  }
}

TEST_CASE("a checksum can be put together over runs beyond 4 GiB") {
  const std::uint64_t zeros = std::uint64_t{5} << 30;
  const test::bytes data = random_bytes(9, 1);
  std::uint32_t carried = ckpt::crc32c(test::view(data));
  const test::bytes chunk(1 << 20, std::byte{0});
  const std::uint32_t one = ckpt::crc32c(test::view(chunk));
  std::uint32_t run = 0;
  for (std::uint64_t at = 0; at < zeros; at += chunk.size())
    run = ckpt::crc32c_combine(run, one, chunk.size());
  const std::uint32_t combined = ckpt::crc32c_combine(carried, run, zeros);
  for (std::uint64_t at = 0; at < zeros; at += chunk.size())
    carried = ckpt::crc32c_combine(carried, one, chunk.size());
  CHECK(combined == carried);
}
