#include "ckpt/interop/json.hpp"

#include <string>
#include <vector>

#include "support.hpp"

using ckpt::errc;
using ckpt::json::reader;

namespace {

/// A string from its JSON; the kind of failure in brackets.
std::string string_of(const std::string& json) {
  reader text{ckpt::name_view(json)};
  std::string to;
  ckpt::status read = text.read_string(to);
  if (read.ok()) read = text.end();
  return read.ok() ? to : "<" + std::string(ckpt::name(read.kind)) + ">";
}

std::string number_of(const std::string& json) {
  reader text{ckpt::name_view(json)};
  const auto number = text.read_unsigned();
  ckpt::status read = number.error();
  if (read.ok()) read = text.end();
  return read.ok() ? std::to_string(*number) : "<" + std::string(ckpt::name(read.kind)) + ">";
}

/// Reads `{"key": "text", "numbers": [1, 2]}` in any order of the keys.
ckpt::status read_document(const std::string& json, std::string& seen) {
  reader text{ckpt::name_view(json)};
  if (const ckpt::status begun = text.begin_object(); !begun.ok()) return begun;
  for (std::string key;;) {
    const auto more = text.next_key(key);
    if (!more.ok()) return more.error();
    if (!*more) return text.end();
    seen += key + "=";
    std::string value;
    if (key == "key") {
      if (const ckpt::status read = text.read_string(value); !read.ok()) return read;
      seen += value + ";";
      continue;
    }
    if (const ckpt::status begun = text.begin_array(); !begun.ok()) return begun;
    for (;;) {
      const auto next = text.next_element();
      if (!next.ok()) return next.error();
      if (!*next) break;
      const auto number = text.read_unsigned();
      if (!number.ok()) return number.error();
      seen += std::to_string(*number) + ",";
    }
    seen += ";";
  }
}

errc kind_of(const std::string& json) {
  std::string seen;
  return read_document(json, seen).kind;
}

}  // namespace

TEST_CASE("JSON: an object of strings and arrays is read in its order") {
  std::string seen;
  CHECK(read_document(" {\"key\" : \"text\",\r\n\t\"numbers\":[1 , 22],\"x\":[]} \n", seen).ok());
  CHECK(seen == "key=text;numbers=1,22,;x=;");
  CHECK(kind_of("{}") == errc::ok);
  CHECK(kind_of("{ }") == errc::ok);
}

TEST_CASE("JSON: every proper prefix of a document is refused") {
  const std::string whole = "{\"key\":\"t\\u00e4\\ud83d\\ude00x\",\"n\":[1,2]}";
  CHECK(kind_of(whole) == errc::ok);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(kind_of(whole.substr(0, size)) == errc::bad_syntax);
  }
}

TEST_CASE("JSON: no single damaged byte of a document does harm") {
  const std::string whole = "{\"key\":\"a\\u00e4\",\"n\":[10,2]}";
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      const errc kind = kind_of(damaged);
      const bool known = kind == errc::ok || kind == errc::bad_syntax;
      CHECK(known);
    }
  }
}

TEST_CASE("JSON: the liberties that parsers take are refused") {
  for (const char* const json : {"",
                                 " ",
                                 "[",
                                 "{",
                                 "}",
                                 "null",
                                 "{\"key\":\"a\",}",
                                 "{,\"key\":\"a\"}",
                                 "{\"key\" \"a\"}",
                                 "{\"key\":\"a\"\"n\":[]}",
                                 "{key:\"a\"}",
                                 "{'key':'a'}",
                                 "{\"key\":\"a\"} x",
                                 "{\"key\":1}",
                                 "{\"key\":null}",
                                 "{\"n\":[1,]}",
                                 "{\"n\":[,1]}",
                                 "{\"n\":[1 2]}",
                                 "{\"n\":[1}",
                                 "{\"n\":[1]",
                                 "{\"n\":[\"1\"]}",
                                 "{\"n\":[[1]]}",
                                 "{\"n\":{}}",
                                 "\xEF\xBB\xBF{}",
                                 "{\"n\":[1]]",
                                 "{}{}",
                                 "/**/{}",
                                 "{\"n\":[true]}"}) {
    CAPTURE(json);
    CHECK(kind_of(json) == errc::bad_syntax);
  }
}

TEST_CASE("JSON: strings and their escapes") {
  CHECK(string_of("\"\"") == "");
  CHECK(string_of(" \"a b\" ") == "a b");
  CHECK(string_of(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(string_of(R"("\u0041\u00e4\u20AC\uD83d\uDe00")") ==
        "A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(string_of(R"("\u0000")") == std::string(1, '\0'));
  CHECK(string_of("\"\x7F\xC3\xA4\"") == "\x7F\xC3\xA4");
  for (const char* const json :
       {"\"", "\"a", "a\"", "\"\\\"", "\"\\x\"", "\"\\u\"", "\"\\u12\"", "\"\\u12g4\"",
        "\"\\U0041\"", "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\n\"", "\"\\ud800\\ud800\"",
        "\"\\udc00\"", "\"\\udc00\\udc00\"", "\"\\ud83d\\u0041\"", "\"a\nb\"", "\"a\tb\"",
        "\"\x01\""}) {
    CAPTURE(json);
    CHECK(string_of(json) == "<bad_syntax>");
  }
  CHECK(string_of(std::string("\"\0\"", 3)) == "<bad_syntax>");
}

TEST_CASE("JSON: what is not UTF-8 is refused") {
  for (const char* const bytes :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x80\x80", "\xE0\x9F\xBF",
        "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "\xFE", "\xE2\x82", "\xF0\x9F\x98"}) {
    CAPTURE(bytes);
    CHECK(string_of("\"" + std::string(bytes) + "\"") == "<bad_syntax>");
  }
}

TEST_CASE("JSON: numbers are digits and fit 64 bits") {
  CHECK(number_of("0") == "0");
  CHECK(number_of(" 10 ") == "10");
  CHECK(number_of("18446744073709551615") == "18446744073709551615");
  CHECK(number_of("18446744073709551616") == "<limit_exceeded>");
  CHECK(number_of("18446744073709551620") == "<limit_exceeded>");
  CHECK(number_of(std::string(100000, '9')) == "<limit_exceeded>");
  for (const char* const json : {"", "-1", "+1", "01", "00", "1.0", "1e3", "0x1", "1E0", ".5", "-0",
                                 "Infinity", "NaN", "1_000", "1,000"}) {
    CAPTURE(json);
    CHECK(number_of(json) == "<bad_syntax>");
  }
}

TEST_CASE("JSON: depth is bounded") {
  const std::string deep(1000000, '[');
  reader text{ckpt::name_view(deep)};
  std::size_t depth = 0;
  ckpt::status begun = text.begin_array();
  while (begun.ok()) {
    ++depth;
    REQUIRE(text.next_element().ok());
    begun = text.begin_array();
  }
  CHECK(depth == ckpt::json::max_depth);
  CHECK(begun.kind == errc::limit_exceeded);
}

TEST_CASE("JSON: an error says the byte, counted from where the text begins in its file") {
  const std::string json = "{\"a\" 1}";
  reader text(ckpt::name_view(json), 100);
  std::string key;
  REQUIRE(text.begin_object().ok());
  const auto more = text.next_key(key);
  CHECK(more.error().kind == errc::bad_syntax);
  CHECK(more.error().offset == 105);
}

TEST_CASE("JSON: a call that does not fit the text is refused, not believed") {
  reader text{ckpt::name_view("{\"a\":[1]}")};
  std::string key;
  CHECK_FALSE(text.next_element().ok());
  CHECK_FALSE(text.next_key(key).ok());
  REQUIRE(text.begin_object().ok());
  CHECK(text.next_element().ok());  // an object and an array begin their first part alike
  CHECK_FALSE(text.read_unsigned().ok());
  reader open{ckpt::name_view("{")};
  REQUIRE(open.begin_object().ok());
  CHECK(open.end().kind == errc::bad_syntax);
}

TEST_CASE("JSON: strings are written so that they come back") {
  std::string all;
  for (int c = 0; c < 0x80; ++c) all.push_back(static_cast<char>(c));
  all += "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";
  std::string json;
  ckpt::json::append_string(json, all);
  CHECK(string_of(json) == all);
  CHECK(json.find('\n') == std::string::npos);
  json.clear();
  ckpt::json::append_string(json, "a\"b\\c\nd\x01/");
  CHECK(json == "\"a\\\"b\\\\c\\nd\\u0001/\"");
}
