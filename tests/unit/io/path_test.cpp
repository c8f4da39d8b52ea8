#include "ckpt/io/path.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "ckpt/io/detail/temporary_name.hpp"

namespace {

using ckpt::errc;
using ckpt::path;
namespace detail = ckpt::detail;

errc check_of(const path& p) {
  return p.check().kind;
}

std::u16string wide(std::string_view utf8) {
  std::u16string out;
  CHECK(detail::decode_path(utf8, out));
  return out;
}
bool is_utf8(std::string_view text) {
  std::u16string out;
  return detail::decode_path(text, out);
}
std::u16string repeated(std::size_t count, const std::u16string& text) {
  std::u16string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("a path is made from literals, strings, views and filesystem paths alike") {
  const std::string text = "runs/mlp.ckpt";
  CHECK(path("runs/mlp.ckpt").native() == text);
  CHECK(path(text).native() == text);
  CHECK(path(std::string_view(text)).native() == text);
  CHECK(path(std::filesystem::path(text)).native() == text);
  CHECK(path::from_native(text).native() == text);
  CHECK(std::string(path(text).c_str()) == text);
  CHECK(check_of("x") == errc::ok);
  CHECK(check_of(std::filesystem::path("x")) == errc::ok);
}

TEST_CASE("an empty path and a null pointer are empty_path") {
  CHECK(path().empty());
  CHECK(check_of(path()) == errc::empty_path);
  CHECK(check_of("") == errc::empty_path);
  CHECK(check_of(static_cast<const char*>(nullptr)) == errc::empty_path);
}

TEST_CASE("a zero inside of a path makes it invalid instead of cutting it") {
  const path cut(std::string("good\0bad", 8));
  CHECK_FALSE(cut.is_valid());
  CHECK(check_of(cut) == errc::invalid_path);
  CHECK(check_of(std::string(1, '\0')) == errc::invalid_path);
  CHECK(check_of(std::filesystem::path(std::string("a\0b", 3))) == errc::invalid_path);
  CHECK_FALSE(path("dir/x").sibling(std::string_view("a\0b", 3)).is_valid());
}

TEST_CASE("bytes of a path that are not UTF-8 stay as they are on POSIX") {
  const std::string latin1 = "caf\xE9.ckpt";
  CHECK(path(latin1).is_valid());
  CHECK(path(latin1).native() == latin1);
  CHECK(path(latin1).to_utf8() == latin1);
}

TEST_CASE("name, parent and sibling split a path at its last separator") {
  const auto split = [](const char* whole, const char* parent, const char* name) {
    CAPTURE(whole);
    CHECK(path(whole).parent().native() == parent);
    CHECK(path(whole).name() == name);
  };
  split("x.ckpt", ".", "x.ckpt");
  split("a/x.ckpt", "a", "x.ckpt");
  split("/x.ckpt", "/", "x.ckpt");
  split("/a/b/x.ckpt", "/a/b", "x.ckpt");
  split("a//x", "a", "x");
  split("//x", "/", "x");
  split("a/", "a", "");
  split("/", "/", "");
  split("./x", ".", "x");
  split("a\\b", ".", "a\\b");  // one name on POSIX
  CHECK(path("x").sibling("y").native() == "y");
  CHECK(path("a/x").sibling("y").native() == "a/y");
  CHECK(path("/x").sibling("y").native() == "/y");
  CHECK(path("a//x").sibling("y").native() == "a//y");
}

TEST_CASE("UTF-8 of every length becomes UTF-16 and comes back") {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
  const std::u16string expected = u"a\u00E9\u20AC\U0001F600z";
  CHECK(wide(text) == expected);
  CHECK(detail::encode_path(std::u16string_view(expected)) == text);
  CHECK(wide("\xEF\xBF\xBF\xF4\x8F\xBF\xBF") == u"\uFFFF\U0010FFFF");
  CHECK(wide("\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xF0\x90\x80\x80") ==
        u"\u007F\u0080\u07FF\u0800\U00010000");
  CHECK(wide("\xED\x9F\xBF\xEE\x80\x80") == u"\uD7FF\uE000");
}

TEST_CASE("text that is not strict UTF-8 is refused") {
  for (const std::string_view bad :
       {"\x80", "\xBF", "\xC0\xAF", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x9F\xBF", "\xE2\x82",
        "\xE2(\xA1", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF0\x9F\x98",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF", "ok\xE2\x82\xACthen\xC3"}) {
    CAPTURE(std::string(bad));
    CHECK_FALSE(is_utf8(bad));
  }
  const std::string_view euro = "\xE2\x82\xAC";  // what follows the text is not looked at
  CHECK_FALSE(is_utf8(euro.substr(0, 1)));
  CHECK_FALSE(is_utf8(euro.substr(0, 2)));
  CHECK(is_utf8(euro));
}

TEST_CASE("half a surrogate pair becomes the replacement character in messages") {
  const std::u16string broken = {u'a', char16_t(0xD83D), u'b', char16_t(0xDE00), char16_t(0xD83D)};
  CHECK(detail::encode_path(std::u16string_view(broken)) ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("Windows paths split at both separators and behind a drive") {
  const auto parent = [](std::u16string_view t) { return detail::parent_of(t); };
  const auto name = [](std::u16string_view t) {
    return std::u16string(t.substr(detail::name_offset(t)));
  };
  CHECK(parent(u"C:\\run\\x.ckpt") == u"C:\\run");
  CHECK(name(u"C:\\run\\x.ckpt") == u"x.ckpt");
  CHECK(parent(u"C:\\x") == u"C:\\");
  CHECK(parent(u"run/x") == u"run");
  CHECK(name(u"run/x") == u"x");
  CHECK(parent(u"x") == u".");
  CHECK(parent(u"C:x") == u"C:");
  CHECK(name(u"C:x") == u"x");
  CHECK(name(u"x:y") == u"y");  // C: is a drive whatever the letter
  CHECK(name(u"ab:c") == u"ab:c");
}

TEST_CASE("only long absolute Windows paths get the prefix, with their dots resolved") {
  const auto prefixed = [](std::u16string t) { return detail::with_long_prefix(std::move(t)); };
  const std::u16string deep = repeated(30, u"directory\\");
  CHECK(prefixed(u"C:\\short\\x") == u"C:\\short\\x");
  CHECK(prefixed(deep + u"x") == deep + u"x");
  CHECK(prefixed(u"C:\\" + deep + u"x") == u"\\\\?\\C:\\" + deep + u"x");
  CHECK(prefixed(u"C:/a/./b//../c/" + deep + u"x") == u"\\\\?\\C:\\a\\c\\" + deep + u"x");
  CHECK(prefixed(u"C:\\..\\..\\" + deep + u"x") == u"\\\\?\\C:\\" + deep + u"x");
  CHECK(prefixed(u"\\\\server\\share\\..\\" + deep + u"x") ==
        u"\\\\?\\UNC\\server\\share\\" + deep + u"x");
  CHECK(prefixed(u"C:\\" + deep + u"...") == u"\\\\?\\C:\\" + deep + u"...");
  const std::u16string done = u"\\\\?\\C:\\" + deep + u"x";
  CHECK(prefixed(done) == done);
}

TEST_CASE("a temporary is named after its target and a number") {
  CHECK(detail::temporary_name(std::string_view("mlp.ckpt"), 0) == ".mlp.ckpt.0.ckpt-tmp");
  CHECK(detail::temporary_name(std::string_view("mlp.ckpt"), 4095) == ".mlp.ckpt.4095.ckpt-tmp");
  CHECK(detail::temporary_name(std::u16string_view(u"x"), 12) == u".x.12.ckpt-tmp");
}

TEST_CASE("temporaries of long names are short, stable, distinct and whole characters") {
  const std::string a(255, 'a');
  const std::string b = std::string(254, 'a') + 'b';
  const std::string of_a = detail::temporary_name(std::string_view(a), 4095);
  CHECK(of_a.size() <= 143);
  CHECK(of_a == detail::temporary_name(std::string_view(a), 4095));
  CHECK(of_a != detail::temporary_name(std::string_view(b), 4095));
  std::string euros;
  for (int i = 0; i < 80; ++i) euros += "\xE2\x82\xAC";
  for (const char* lead : {"", "x", "xy"}) {
    CAPTURE(lead);
    CHECK(is_utf8(detail::temporary_name(std::string_view(lead + euros), 0)));
  }
}
