#include "ckpt/interop/model_text.hpp"

#include <string>

#include "interop/sample_contents.hpp"
#include "scratch.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt::role;
namespace model_text = ckpt::model_text;

namespace {

/// The text of what a text says; the kind of failure and its line in brackets.
std::string again(const std::string& text) {
  const auto parsed = model_text::parse(text);
  if (parsed.ok()) return model_text::write(parsed->model().view());
  return "<" + std::string(ckpt::name(parsed.error().kind)) + " " +
         std::to_string(parsed.error().found) + ">";
}

}  // namespace

TEST_CASE("a model file says names, dtypes, shapes, roles and visits") {
  const auto parsed = model_text::parse(
      "# a network\n"
      "input        f32   1x784   absent\n"
      "\n"
      "fc.weight\tf32 784x10\t# the large one\r\n"
      "fc.bias f16 10 trainable\n"
      "  \"a \\\"name\\u00e4\" boolean scalar frozen\n"
      "empty u64 3x0x18446744073709551615\n"
      "visits 4 3 2 1 1");
  REQUIRE_MESSAGE(parsed.ok(), parsed.message());
  const ckpt::model_view model = parsed->model().view();
  REQUIRE(model.size() == 5);
  CHECK(test::text_of(model[0].name()) == "input");
  CHECK(model[0].purpose() == role::absent);
  CHECK(model[0].extents() == ckpt::shape{1, 784});
  CHECK(model[1].type() == dtype::f32);
  CHECK(model[1].purpose() == role::trainable);
  CHECK(model[2].type() == dtype::f16);
  CHECK(model[2].purpose() == role::trainable);
  CHECK(test::text_of(model[3].name()) == "a \"name\xC3\xA4");
  CHECK(model[3].extents() == ckpt::shape{});
  CHECK(model[3].purpose() == role::frozen);
  CHECK(model[4].byte_size() == 0);
  REQUIRE(model.visits.size() == 5);
  CHECK(model.visits[0] == 4);
  CHECK(model.visits[4] == 1);
}

TEST_CASE("a model file that is written is plain, and comes back") {
  ckpt::model_builder builder;
  builder.add("", dtype::f32, {1, 8}, role::absent);
  builder.add("fc.weight", dtype::f32, {8, 4});
  builder.add("visits", dtype::bf16, {});
  builder.add("#1", dtype::i8, {0}, role::frozen);
  builder.add("two words", dtype::boolean, {1});
  builder.add("a#b\\c", dtype::u8, {1});
  for (std::size_t index = 5; index > 0; --index) builder.visit(index);
  const std::string text = model_text::write(builder.model().view());
  CHECK(text ==
        "\"\" f32 1x8 absent\n"
        "fc.weight f32 8x4\n"
        "\"visits\" bf16 scalar\n"
        "\"#1\" i8 0 frozen\n"
        "\"two words\" boolean 1\n"
        "a#b\\c u8 1\n"
        "visits 5 4 3 2 1\n");
  CHECK(again(text) == text);
  CHECK(again("") == "");
  CHECK(again("# nothing\n\n \t\n") == "");
}

TEST_CASE("each dtype has its name in a model file") {
  for (std::size_t i = 0; i < ckpt::dtype_count; ++i) {
    const std::string line = "w " + std::string(ckpt::name(static_cast<dtype>(i))) + " 2x3\n";
    CHECK(again(line) == line);
  }
}

TEST_CASE("a wrong word in a model file is an error that names the line") {
  CHECK(again("a f32 1\nw f32\n") == "<bad_syntax 2>");
  CHECK(again("w\n") == "<bad_syntax 1>");
  CHECK(again("\n\nw f32 3 thawed\n") == "<bad_syntax 3>");
  CHECK(again("w f32 3 \"frozen\"\n") == "<bad_syntax 1>");
  CHECK(again("w \"f32\" 3\n") == "<unsupported_dtype 1>");
  CHECK(again("w f32 3 frozen absent\n") == "<bad_syntax 1>");
  for (const char* const shape : {"x", "3x", "x3", "3xx3", "03", "-1", "+1", "3X4", "3,4", "()",
                                  "Scalar", "3.0", "1e3", "0x10", "?"}) {
    CAPTURE(shape);
    const bool is_hexadecimal = std::string(shape) == "0x10";  // it is a shape: 0 times 10
    CHECK(again("w f32 " + std::string(shape)) ==
          (is_hexadecimal ? "w f32 0x10\n" : "<bad_syntax 1>"));
  }
  CHECK(again("\"w f32 3\n") == "<bad_syntax 1>");
  CHECK(again("\"w\"x f32 3\n") == "<bad_syntax 1>");
  CHECK(again("w\"x f32 3\n") == "<bad_syntax 1>");
  CHECK(again("w\x01 f32 3\n") == "<bad_syntax 1>");
  CHECK(again("w\r f32 3\n") == "<bad_syntax 1>");
  CHECK(again("\xFF f32 3\n") == "<bad_syntax 1>");
  CHECK(again("\"\\u0000\" f32 3\n") == "<invalid_name 1>");
  CHECK(again("\"\" f32 3\n") == "<invalid_name 1>");
  CHECK(again("w f32 1x1x1x1x1x1x1x1x1\n") == "<invalid_shape 1>");
  CHECK(again("w f32 18446744073709551616\n") == "<limit_exceeded 1>");
  CHECK(again("a f32 1\nw f32 4294967296x1073741824\n") == "<limit_exceeded 2>");
  CHECK(again("visits\n") == "<bad_syntax 1>");
  CHECK(again("w f32 1\nvisits 0\nvisits 0\n") == "<bad_syntax 3>");
  CHECK(again("w f32 1\nvisits 1\n") == "<invalid_visits 2>");
  CHECK(again("w f32 1\nvisits -1\n") == "<bad_syntax 2>");
  CHECK(again("visits 0\n\na f32 1\nb f32 1\n") == "<invalid_visits 1>");
  CHECK(again("a f32 1 absent\nvisits 0\n") == "<invalid_visits 2>");
  CHECK(again("w f32 1\nvisits 4294967296\n") == "<invalid_visits 2>");
}

TEST_CASE("G6: a name that is there twice is refused in a model file") {
  const auto parsed = model_text::parse("w f32 1\nb f32 1\n\"w\" f32 1\n");
  CHECK(parsed.error().kind == errc::duplicate_name);
  CHECK(parsed.error().found == 3);
  CHECK(parsed.error().tensor == 2);
  CHECK(test::mentions(parsed.message(), "duplicate name 'w'"));
  CHECK(test::mentions(parsed.message(), "line 3"));
  CHECK(again("\"\" f32 1 absent\n\"\" f32 2 absent\n") ==
        "\"\" f32 1 absent\n\"\" f32 2 absent\n");
}

TEST_CASE("T4: a dtype that nobody knows is refused, naming the tensor") {
  const auto parsed = model_text::parse("a f32 4\nb q4_9 10\n");
  CHECK(parsed.error().kind == errc::unsupported_dtype);
  CHECK(parsed.error().offset == 10);
  CHECK(test::mentions(parsed.message(), "line 2"));
  CHECK(test::mentions(parsed.message(), "'b'"));
  CHECK(test::mentions(parsed.message(), "'q4_9'"));
}

TEST_CASE("T4: a tensor without a dtype is refused, naming it") {
  const auto parsed = model_text::parse("a f32 4\nb\n");
  CHECK(parsed.error().kind == errc::bad_syntax);
  CHECK(test::mentions(parsed.message(), "line 2"));
  CHECK(test::mentions(parsed.message(), "'b'"));
}

TEST_CASE("no prefix and no damaged byte of a model file does harm") {
  const std::string whole = "in f32 1x3 absent\n\"w 1\" f32 3x4\nb bf16 4 frozen # x\nvisits 2 1\n";
  REQUIRE(again(whole).front() != '<');
  // What is accepted is a model: it can be written and read again.
  const auto check = [](const std::string& text) {
    const std::string read = again(text);
    if (!read.empty() && read.front() != '<') CHECK(again(read) == read);
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    check(whole.substr(0, at));
    for (int value = 0; value < 256; ++value) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      check(damaged);
    }
  }
}

TEST_CASE("a model file of 100,000 tensors takes no time") {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "t" + std::to_string(i) + " f32 1\n";
  text += "t99999 f32 1\n";
  CHECK(again(text) == "<duplicate_name 100001>");
}

TEST_CASE("a model file is opened by its path") {
  const ckpt_test::scratch dir;
  CHECK(model_text::open(dir.at("none")).error().kind == errc::not_found);
  const std::string text = "w f32 2x2\n";
  ckpt_test::bytes content(text.size());
  std::memcpy(content.data(), text.data(), text.size());
  ckpt_test::put(dir.at("m.txt"), content);
  const auto parsed = model_text::open(dir.at("m.txt"));
  REQUIRE(parsed.ok());
  CHECK(model_text::write(parsed->model().view()) == text);
  ckpt_test::put(dir.at("m.txt"), ckpt_test::bytes(4, std::byte{'x'}));
  CHECK(test::mentions(model_text::open(dir.at("m.txt")).message(), "m.txt"));
}
