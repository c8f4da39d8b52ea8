#include "support.hpp"

using ckpt::byte_order;
using ckpt::errc;
using ckpt::name_view;

TEST_CASE("numbers are stored little-endian at any alignment") {
  std::byte bytes[9] = {};
  ckpt::store_little(bytes + 1, std::uint32_t{0x01020304});
  CHECK(bytes[0] == std::byte{0});
  CHECK(bytes[1] == std::byte{4});
  CHECK(bytes[4] == std::byte{1});
  CHECK(ckpt::load_little<std::uint32_t>(bytes + 1) == 0x01020304);
  ckpt::store_little(bytes + 1, std::uint64_t{0xFFEEDDCCBBAA9988});
  CHECK(ckpt::load_little<std::uint64_t>(bytes + 1) == 0xFFEEDDCCBBAA9988);
}

TEST_CASE("a little word has the bytes of the file in the memory of this host") {
  const std::uint32_t word = ckpt::little_word(0x01020304);
  std::byte bytes[4] = {};
  std::memcpy(bytes, &word, 4);
  CHECK(ckpt::load_little<std::uint32_t>(bytes) == 0x01020304);
  CHECK(ckpt::little_word(ckpt::little_word(0xA1B2C3D4)) == 0xA1B2C3D4);
}

TEST_CASE("elements are turned round one by one") {
  std::byte bytes[8] = {};
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(i);
  ckpt::reverse_elements(ckpt::bytes_span(bytes), 4);
  CHECK(bytes[0] == std::byte{3});
  CHECK(bytes[3] == std::byte{0});
  CHECK(bytes[4] == std::byte{7});
  ckpt::reverse_elements(ckpt::bytes_span(bytes), 1);
  CHECK(bytes[0] == std::byte{3});
}

TEST_CASE("heap sort orders every input") {
  test::random_numbers numbers(1);
  for (std::size_t count = 0; count < 40; ++count) {
    CAPTURE(count);
    std::vector<std::uint32_t> values(count);
    for (auto& value : values) value = static_cast<std::uint32_t>(numbers.below(10));
    std::uint64_t sum = 0;
    for (const auto value : values) sum += value;
    ckpt::sort_in_place(values.data(), count, [](auto a, auto b) { return a < b; });
    for (std::size_t i = 1; i < count; ++i) CHECK(values[i - 1] <= values[i]);
    for (const auto value : values) sum -= value;
    CHECK(sum == 0);
  }
}

TEST_CASE("every kind of error has a name of its own and a sentence") {
  std::vector<std::string> names;
  for (int value = 0; value < 256; ++value) {
    const auto kind = static_cast<errc>(value);
    const std::string name(ckpt::name(kind).data(), ckpt::name(kind).size());
    if (name == "unknown") continue;
    CAPTURE(name);
    CHECK(ckpt::fail(kind).message().size() > 0);
    CHECK_FALSE(test::mentions(test::words(ckpt::fail(kind).message()), "unknown error"));
    for (const std::string& other : names) CHECK(other != name);
    names.push_back(name);
  }
  CHECK(names.size() == 67);
}

TEST_CASE("a message says what, where, expected and found, and what to do") {
  const ckpt::status failed =
      ckpt::fail(errc::offset_out_of_range, 60, 148).in(ckpt::slot_section(1)).about(2).at(108);
  CHECK(test::words(failed.message()) ==
        "a table entry points outside of its section; in slot 2; tensor 2; at byte 108; "
        "expected 60, found 148");
  const std::string truncated = test::words(ckpt::fail(errc::truncated, 148, 20).message());
  CHECK(test::mentions(truncated, "expected 148 bytes, found 20 bytes"));
  CHECK(test::mentions(truncated, "cut"));
}

TEST_CASE("text that does not fit is clipped, never written past the end") {
  ckpt::text out;
  for (int i = 0; i < 100; ++i) out << "0123456789";
  CHECK(out.size() == ckpt::text::capacity);
  CHECK(out.c_str()[ckpt::text::capacity] == '\0');
  ckpt::text number;
  number << std::uint64_t{18446744073709551615U} << std::uint64_t{0};
  CHECK(test::words(number) == "184467440737095516150");
}

TEST_CASE("a result holds a value or the reason why not") {
  const ckpt::result<int> good(7);
  CHECK(good.ok());
  CHECK(*good == 7);
  const ckpt::result<int> bad(ckpt::fail(errc::truncated, 1, 0));
  CHECK_FALSE(bad);
  CHECK(bad.error().kind == errc::truncated);
}

TEST_CASE("a result moves and destroys what it owns, and makes nothing where it failed") {
  using owned = std::vector<int>;
  ckpt::result<owned> first(owned{1, 2, 3});
  ckpt::result<owned> second(std::move(first));
  CHECK(second->size() == 3);
  const ckpt::result<owned> none(ckpt::fail(errc::no_memory, 1, 0));
  CHECK(none.error().kind == errc::no_memory);
}

#if CKPT_EXCEPTIONS
TEST_CASE("or_throw gives the value or throws the reason") {
  CHECK(ckpt::result<int>(7).or_throw() == 7);
  CHECK_NOTHROW(ckpt::status{}.or_throw());
  try {
    ckpt::fail(errc::truncated, 9, 3).or_throw();
    FAIL("nothing was thrown");
  } catch (const ckpt::failure& caught) {
    CHECK(caught.reason().kind == errc::truncated);
    CHECK(test::mentions(caught.what(), "expected 9 bytes, found 3 bytes"));
  }
}
#endif

TEST_CASE("a buffer sink refuses what does not fit and keeps what it has") {
  std::byte memory[4] = {};
  ckpt::buffer_sink sink{ckpt::bytes_span(memory)};
  const std::byte more[3] = {std::byte{1}, std::byte{2}, std::byte{3}};
  CHECK(sink.append(ckpt::bytes_view(more)).ok());
  CHECK(sink.append(ckpt::bytes_view(more)).kind == errc::buffer_too_small);
  CHECK(sink.written().size() == 3);
  static_assert(ckpt::is_sink_v<ckpt::buffer_sink>);
  static_assert(!ckpt::is_sink_v<ckpt::buffer_source>);
}

TEST_CASE("a buffer source refuses to read past its end, with offsets of 64 bits") {
  const std::byte memory[4] = {};
  ckpt::buffer_source source{ckpt::bytes_view(memory)};
  std::byte to[2] = {};
  CHECK(source.read_at(2, ckpt::bytes_span(to)).ok());
  CHECK(source.read_at(3, ckpt::bytes_span(to)).kind == errc::truncated);
  CHECK(source.read_at(~std::uint64_t{0}, ckpt::bytes_span(to)).kind == errc::truncated);
  static_assert(ckpt::is_source_v<ckpt::buffer_source>);
}

TEST_CASE("the version is the same as text and as numbers") {
  const std::string numbers = std::to_string(CKPT_VERSION_MAJOR) + "." +
                              std::to_string(CKPT_VERSION_MINOR) + "." +
                              std::to_string(CKPT_VERSION_PATCH);
  CHECK(numbers == CKPT_VERSION_STRING);
  CHECK(numbers == CKPT_BUILD_VERSION);
}
