#include "ckpt/store/success_mark.hpp"

#include <doctest/doctest.h>

#include <string>

using ckpt::errc;
using namespace ckpt::detail;

namespace {

const std::string whole =
    "ckpt checkpoint 1\n"
    "model.ckpt 9 e3069283\n"
    "trainer_0 15 00000001\n"
    "trainer_1 0 ffffffff\n";

std::string sealed(const std::string& lines) {
  return lines + mark_line({std::string(mark_name), lines.size(), checksum_of(lines)});
}

errc kind_of(const std::string& text) {
  return mark_parser(text).run().error().kind;
}

}  // namespace

TEST_CASE("a mark lists every file with size and CRC-32C, and itself") {
  CHECK(checksum_of("123456789") == 0xE3069283U);
  const std::string text = encode_mark(
      {{"model.ckpt", 9, 0xE3069283U}, {"trainer_0", 15, 1}, {"trainer_1", 0, 0xFFFFFFFFU}});
  CHECK(text.substr(0, whole.size()) == whole);
  CHECK(text == sealed(whole));
  const auto files = mark_parser(text).run();
  REQUIRE(files.ok());
  REQUIRE(files->size() == 3);
  CHECK((*files)[0].name == "model.ckpt");
  CHECK((*files)[0].checksum == 0xE3069283U);
  CHECK((*files)[2].size == 0);
}

TEST_CASE("every cut and every flipped bit of a mark is seen") {
  const std::string text = sealed(whole);
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(mark_parser(text.substr(0, size)).run().ok());
  }
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    CAPTURE(bit);
    CHECK_FALSE(mark_parser(flipped).run().ok());
  }
}

TEST_CASE("a mark that names files of others, out of order or none is refused") {
  CHECK(kind_of("") == errc::truncated);
  CHECK(kind_of("Tue Dec  1 03:00:00 2026\n") == errc::bad_syntax);
  CHECK(kind_of(sealed("ckpt checkpoint 2\nmodel.ckpt 9 e3069283\n")) == errc::unsupported_version);
  const std::string title = "ckpt checkpoint 1\n";
  const std::string model = "model.ckpt 9 e3069283\n";
  CHECK(kind_of(sealed(title)) == errc::bad_syntax);
  CHECK(kind_of(sealed(title + model)) == errc::bad_syntax);
  CHECK(kind_of(sealed(title + model + "../../etc/passwd 1 00000000\n")) == errc::bad_syntax);
  CHECK(kind_of(sealed(title + model + "trainer_1 1 00000000\n")) == errc::bad_syntax);
  CHECK(kind_of(sealed(title + "trainer_0 1 00000000\n" + model)) == errc::bad_syntax);
  CHECK(kind_of(sealed(title + model + model + "trainer_0 1 00000000\n")) == errc::bad_syntax);
  CHECK(kind_of(sealed(title + model + "trainer_0 01 00000000\n")) == errc::bad_syntax);
  CHECK(kind_of(sealed(title + model + "trainer_0 1 0000000A\n")) == errc::bad_syntax);
  CHECK(kind_of(sealed(whole) + "\n") == errc::trailing_bytes);
}
