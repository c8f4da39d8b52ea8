#include "ckpt/io/directory.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "scaled_native.hpp"
#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::entry_kind;
using ckpt::errc;
using ckpt::path;
using counted = scaled_native<>;
using names = std::vector<std::string>;

errc list_kind(const path& directory) {
  return ckpt::list_directory(directory).error().kind;
}
errc entry_error(const path& name) {
  return ckpt::entry_at(name).error().kind;
}
std::u16string joined(std::u16string_view directory, std::u16string_view entry) {
  return ckpt::detail::joined(directory, entry);
}

}  // namespace

TEST_CASE("an entry is joined with one separator, whatever the directory ends with") {
  CHECK((path("runs") / "a.ckpt").native() == "runs/a.ckpt");
  CHECK((path("runs/") / "a.ckpt").native() == "runs/a.ckpt");
  CHECK((path("/") / std::string("a")).native() == "/a");
  CHECK((path() / "a").native() == "a");
  CHECK((path("runs") / "").native() == "runs/");
  CHECK((path("a\\") / "b").native() == "a\\/b");
  CHECK(joined(u"C:\\runs", u"a") == u"C:\\runs\\a");
  CHECK(joined(u"C:\\", u"a") == u"C:\\a");
  CHECK(joined(u"runs/", u"a") == u"runs/a");
  CHECK(joined(u"C:", u"a") == u"C:a");
  CHECK(joined(u"", u"a") == u"a");
}

TEST_CASE("joining keeps a path invalid and makes one invalid by a zero") {
  CHECK_FALSE((path("runs") / std::string_view("a\0b", 3)).is_valid());
  CHECK_FALSE((path(std::string_view("a\0b", 3)) / "c").is_valid());
}

TEST_CASE("a directory is made once, and what is there already is left alone") {
  const scratch dir;
  CHECK(ckpt::create_directory(dir.at("d")).ok());
  CHECK(ckpt::is_directory(dir.at("d")));
  CHECK(ckpt::create_directory(dir.at("d")).kind == errc::already_exists);
  put(dir.at("f"), pattern(3));
  CHECK(ckpt::create_directory(dir.at("f")).kind == errc::already_exists);
  CHECK(get(dir.at("f")) == pattern(3));
  CHECK(ckpt::create_directory(dir.at("missing/d")).kind == errc::not_found);
  CHECK(ckpt::create_directory(dir.at("f/d")).kind == errc::invalid_path);
  CHECK(ckpt::create_directory("").kind == errc::empty_path);
  CHECK(ckpt::create_directory(std::string("a\0b", 3)).kind == errc::invalid_path);
  CHECK(ckpt::create_directory(dir.at(std::string(300, 'n'))).kind == errc::invalid_path);
}

TEST_CASE("a name leads to nothing, a file, a directory or something else") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  CHECK(*ckpt::entry_at(dir.at("f")) == entry_kind::file);
  CHECK(*ckpt::entry_at(dir.root()) == entry_kind::directory);
  CHECK(*ckpt::entry_at(dir.at("missing")) == entry_kind::none);
  CHECK(*ckpt::entry_at("/dev/null") == entry_kind::other);
  REQUIRE(::symlink("missing", dir.at("dangling").c_str()) == 0);
  REQUIRE(::symlink(".", dir.at("here").c_str()) == 0);
  CHECK(*ckpt::entry_at(dir.at("dangling")) == entry_kind::none);
  CHECK(*ckpt::entry_at(dir.at("here")) == entry_kind::directory);
  CHECK(entry_error(dir.at("f/below")) == errc::invalid_path);
  CHECK(entry_error("") == errc::empty_path);
  CHECK_FALSE(ckpt::is_directory(dir.at("f")));
  CHECK_FALSE(ckpt::is_directory(dir.at("missing")));
  CHECK_FALSE(ckpt::is_directory(""));
}

TEST_CASE("a directory is listed in order, without the dots, with names that begin with dots") {
  const scratch dir;
  CHECK(ckpt::list_directory(dir.root())->empty());
  const names all = {"...", "..a", ".hidden", "a", "b-m", "b.m", "z", "\xC3\xA4\xE6\xBC\xA2"};
  for (const std::string& name : all) put(dir.at(name), pattern(1));
  REQUIRE(ckpt::create_directory(dir.at("m")).ok());
  names expected = all;
  expected.insert(expected.begin() + 6, "m");
  const auto listed = ckpt::list_directory(dir.root());
  REQUIRE(listed.ok());
  CHECK(*listed == expected);
}

TEST_CASE("listing names the failure: a file, nothing, no right") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  CHECK(list_kind(dir.at("f")) == errc::invalid_path);
  CHECK(list_kind(dir.at("missing")) == errc::not_found);
  CHECK(list_kind("") == errc::empty_path);
  REQUIRE(ckpt::create_directory(dir.at("closed")).ok());
  REQUIRE(::chmod(dir.at("closed").c_str(), 0) == 0);
  CHECK(in_child([&] {
          if (!drop_privileges()) return 0;
          if (list_kind(dir.at("closed")) != errc::permission_denied) return 1;
          if (entry_error(dir.at("closed/x")) != errc::permission_denied) return 2;
          if (ckpt::create_directory(dir.at("closed/x")).kind != errc::permission_denied) return 3;
          return ckpt::sync_directory(dir.at("closed")).kind == errc::permission_denied ? 0 : 4;
        }) == 0);
}

TEST_CASE("a thousand entries are all listed") {
  const scratch dir;
  names expected;
  for (int i = 1000; i < 2000; ++i) {
    expected.push_back(std::to_string(i) + std::string(200, 'n'));
    put(dir.at(expected.back()), pattern(0));
  }
  CHECK(*ckpt::list_directory(dir.root()) == expected);
}

TEST_CASE("only an empty directory is removed") {
  const scratch dir;
  REQUIRE(ckpt::create_directory(dir.at("d")).ok());
  put(dir.at("d/f"), pattern(1));
  const ckpt::status refused = ckpt::remove_directory(dir.at("d"));
  CHECK(refused.kind == errc::already_exists);
  CHECK(refused.os_code != 0);
  CHECK(ckpt::remove_directory(dir.at("d/f")).kind == errc::invalid_path);
  CHECK(ckpt::remove_file(dir.at("d/f")).ok());
  CHECK(ckpt::remove_file(dir.at("d/f")).kind == errc::not_found);
  CHECK_FALSE(ckpt::remove_file(dir.at("d")).ok());
  CHECK(ckpt::remove_directory(dir.at("d")).ok());
  CHECK(ckpt::remove_directory(dir.at("d")).kind == errc::not_found);
  CHECK(dir.names().empty());
}

TEST_CASE("removing a link leaves what it leads to") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  REQUIRE(::symlink("f", dir.at("link").c_str()) == 0);
  CHECK(ckpt::remove_file(dir.at("link")).ok());
  CHECK(dir.names() == names{"f"});
}

TEST_CASE("files and directories are moved, a file over a file, nothing over a full directory") {
  const scratch dir;
  put(dir.at("a"), pattern(5, 1));
  put(dir.at("b"), pattern(5, 2));
  CHECK(ckpt::move_entry(dir.at("a"), dir.at("b")).ok());
  CHECK(get(dir.at("b")) == pattern(5, 1));
  CHECK(ckpt::move_entry(dir.at("a"), dir.at("c")).kind == errc::not_found);
  REQUIRE(ckpt::create_directory(dir.at("d")).ok());
  REQUIRE(ckpt::create_directory(dir.at("e")).ok());
  put(dir.at("e/f"), pattern(1));
  CHECK(ckpt::move_entry(dir.at("d"), dir.at("e")).kind == errc::already_exists);
  CHECK(ckpt::move_entry(dir.at("d"), dir.at("b")).kind == errc::invalid_path);
  CHECK(ckpt::move_entry(dir.at("b"), dir.at("d")).kind == errc::not_a_regular_file);
  CHECK(ckpt::move_entry(dir.at("e"), dir.at("d")).ok());
  CHECK(get(dir.at("d/f")) == pattern(1));
  CHECK(ckpt::move_entry(dir.at("d"), "").kind == errc::empty_path);
  CHECK(ckpt::move_entry("", dir.at("d")).kind == errc::empty_path);
}

TEST_CASE("a directory is synced; where the system cannot, that is no failure") {
  const scratch dir;
  CHECK(ckpt::sync_directory(dir.root()).ok());
  CHECK(ckpt::sync_directory(dir.at("missing")).kind == errc::not_found);
  reset();
  now.fail_kind = call::sync_directory;
  now.fail_at = 1;
  now.fail_error = EINVAL;
  CHECK(ckpt::sync_directory<counted>(dir.root()).ok());
  reset();
  now.fail_kind = call::sync_directory;
  now.fail_at = 1;
  CHECK(ckpt::sync_directory<counted>(dir.root()).kind == errc::input_output);
  reset();
}

TEST_CASE("a call that a signal interrupts is made again, any other failure is reported") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  reset();
  now.fail_kind = call::list_directory;
  now.fail_at = 1;
  now.fail_error = EINTR;
  CHECK(*ckpt::list_directory<counted>(dir.root()) == names{"f"});
  CHECK(now.count(call::list_directory) == 2);
  reset();
  now.fail_kind = call::list_directory;
  now.fail_at = 1;
  const ckpt::status failed = ckpt::list_directory<counted>(dir.root()).error();
  CHECK(failed.kind == errc::input_output);
  CHECK(failed.os_code == EIO);
  reset();
  now.interrupt_every = 2;
  CHECK(ckpt::create_directory<counted>(dir.at("d")).ok());
  CHECK(ckpt::move_entry<counted>(dir.at("d"), dir.at("e")).ok());
  CHECK(ckpt::remove_directory<counted>(dir.at("e")).ok());
  CHECK(ckpt::remove_file<counted>(dir.at("f")).ok());
  CHECK(*ckpt::entry_at<counted>(dir.at("f")) == entry_kind::none);
  reset();
}
