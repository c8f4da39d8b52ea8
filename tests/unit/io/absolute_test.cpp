#include "ckpt/io/absolute.hpp"

#include <doctest/doctest.h>

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>

#include "scaled_native.hpp"
#endif

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt/io/create_directories.hpp"
#include "ckpt/io/detail/collapsed.hpp"
#include "ckpt/io/native.hpp"
#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::errc;
using ckpt::path;
using names = std::vector<std::string>;

std::string collapsed(std::string_view text) {
  return ckpt::detail::collapsed(text);
}
std::u16string collapsed(std::u16string_view text) {
  return ckpt::detail::collapsed(text);
}

std::string absolute(const path& name) {
  const auto found = ckpt::absolute_path(name);
  return found.ok() ? found->to_utf8() : std::string(ckpt::name(found.error().kind).data());
}
errc absolute_kind(const path& name) {
  return ckpt::absolute_path(name).error().kind;
}

/// Goes to a directory for a while.
class inside {
 public:
  explicit inside(const std::string& directory) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(directory);
    here_ = std::filesystem::current_path().string();  // TMPDIR may be a link
  }
  inside(const inside&) = delete;
  inside& operator=(const inside&) = delete;
  ~inside() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
  }
  [[nodiscard]] const std::string& here() const { return here_; }

 private:
  std::filesystem::path before_;
  std::string here_;
};

}  // namespace

TEST_CASE("separators that say nothing are left out, and so is the directory itself") {
  for (const char* const same : {"runs/a", "runs//a", "runs/a/", "./runs/a", ".//runs/./a/.",
                                 "runs/a///", "runs/././a/./"}) {
    CAPTURE(same);
    CHECK(collapsed(same) == "runs/a");
  }
  CHECK(collapsed("//runs//a/") == "/runs/a");
  CHECK(collapsed("/") == "/");
  CHECK(collapsed("///") == "/");
  CHECK(collapsed("/./.") == "/");
  CHECK(collapsed("./") == ".");
  CHECK(collapsed(".") == ".");
  CHECK(collapsed("") == "");
}

TEST_CASE("two dots stay, because what they lead to depends on links") {
  CHECK(collapsed("a/../b") == "a/../b");
  CHECK(collapsed("..") == "..");
  CHECK(collapsed("./../") == "..");
  CHECK(collapsed("/..") == "/..");
  CHECK(collapsed(".../.a/a.") == ".../.a/a.");
}

TEST_CASE("names of Windows keep their server and the root of their drive") {
  CHECK(collapsed(u"C:\\runs\\\\a\\") == u"C:\\runs\\a");
  CHECK(collapsed(u"C:/runs/.\\a") == u"C:\\runs\\a");
  CHECK(collapsed(u"C:\\") == u"C:\\");
  CHECK(collapsed(u"C:\\.\\") == u"C:\\");
  CHECK(collapsed(u"C:") == u"C:");
  CHECK(collapsed(u"C:runs\\") == u"C:runs");
  CHECK(collapsed(u"\\runs") == u"\\runs");
  CHECK(collapsed(u"\\\\server\\share\\\\a\\") == u"\\\\server\\share\\a");
  CHECK(collapsed(u"\\\\?\\C:\\runs\\") == u"\\\\?\\C:\\runs");
  CHECK(collapsed(u"\\\\?\\C:\\") == u"\\\\?\\C:\\");
  CHECK(collapsed(u"\\\\?\\UNC\\server\\share\\a") == u"\\\\?\\UNC\\server\\share\\a");
  CHECK(collapsed(u".\\") == u".");
}

TEST_CASE("however a name is spelled, it is one absolute name") {
  const scratch dir;
  const inside here(dir.root());
  const std::string expected = (std::filesystem::path(here.here()) / "runs" / "a").string();
  for (const char* const same : {"runs/a", "runs/a/", "./runs/a", "runs//a", "runs/./a//"}) {
    CAPTURE(same);
    CHECK(absolute(same) == expected);
    CHECK(absolute(path(here.here() + "/" + same)) == expected);
  }
  CHECK(absolute(".") == here.here());
  CHECK(absolute(path(expected)) == expected);
}

TEST_CASE("an absolute name stays what it is when the process goes elsewhere") {
  const scratch dir;
  path name;
  {
    const inside here(dir.root());
    put("f", pattern(7));
    const auto found = ckpt::absolute_path("f");
    REQUIRE(found.ok());
    name = *found;
  }
  CHECK(get(name.to_utf8()) == pattern(7));
}

TEST_CASE("what is no name has no absolute one") {
  CHECK(absolute_kind("") == errc::empty_path);
  CHECK(absolute_kind(std::string("a\0b", 3)) == errc::invalid_path);
}

TEST_CASE("directories are made with all that are missing above them") {
  const scratch dir;
  CHECK(ckpt::create_directories(dir.at("a/b/c/d"), true).ok());
  CHECK(ckpt::is_directory(dir.at("a/b/c/d")));
  CHECK(ckpt::create_directories(dir.at("a/b/c/d"), true).ok());
  CHECK(ckpt::create_directories(dir.at("a/b/x//y/./"), false).ok());
  CHECK(ckpt::is_directory(dir.at("a/b/x/y")));
  CHECK(dir.names() == names{"a"});
}

TEST_CASE("directories are made below the one that the process is in") {
  const scratch dir;
  const inside here(dir.root());
  CHECK(ckpt::create_directories("one", true).ok());
  CHECK(ckpt::create_directories("./two/three/", true).ok());
  CHECK(ckpt::create_directories(".", true).ok());
  CHECK(ckpt::create_directories("/", true).ok());
  CHECK(ckpt::is_directory("two/three"));
  CHECK(dir.names() == names{"one", "two"});
}

TEST_CASE("what is no name is made no directory of") {
  CHECK(ckpt::create_directories("", true).kind == errc::empty_path);
  CHECK(ckpt::create_directories(std::string("a\0b", 3), true).kind == errc::invalid_path);
}

TEST_CASE("a file in the place of a directory is left alone") {
  const scratch dir;
  put(dir.at("f"), pattern(3));
  CHECK(ckpt::create_directories(dir.at("f"), true).kind == errc::already_exists);
  CHECK_FALSE(ckpt::create_directories(dir.at("f/a/b"), true).ok());
  CHECK(get(dir.at("f")) == pattern(3));
  CHECK(dir.names() == names{"f"});
}

#if !defined(_WIN32)

namespace {

using counted = scaled_native<>;

std::size_t count_syncs(const path& directory, bool durable) {
  reset();
  CHECK(ckpt::create_directories<counted>(directory, durable).ok());
  return now.count(call::sync_directory);
}

}  // namespace

TEST_CASE("names in any script and any bytes stay as they are") {
  const scratch dir;
  const inside here(dir.root());
  for (const std::string name :
       {"\xC3\xA4\xE6\xBC\xA2", "\xF0\x9F\x98\x80", "a\xFFz", " ", "a\\b", "line\nfeed"}) {
    CAPTURE(name);
    CHECK(absolute(path(name + "/x/")) == here.here() + "/" + name + "/x");
    CHECK(ckpt::create_directories(name + "/x", true).ok());
    CHECK(ckpt::is_directory(name + "/x"));
  }
  CHECK(ckpt::create_directories("below/a\xFFz", false).ok());
  const inside there(here.here() + "/below/a\xFFz");
  CHECK(absolute("f") == there.here() + "/f");
}

TEST_CASE("a working directory of any depth has a name") {
  const scratch dir;
  const inside back(dir.root());
  std::string expected = back.here();
  for (int i = 0; i < 30; ++i) {
    const std::string level(100, static_cast<char>('a' + i % 26));
    REQUIRE(::mkdir(level.c_str(), 0777) == 0);
    REQUIRE(::chdir(level.c_str()) == 0);
    expected += "/" + level;
    CHECK(absolute("f") == expected + "/f");
  }
}

TEST_CASE("a full path is written whole or not at all, whatever room there is") {
  const scratch dir;
  const inside here(dir.root());
  const std::string expected = here.here() + "/file";
  for (const std::string& name : {std::string("file"), expected}) {
    for (std::size_t room = 1; room < expected.size() + 3; ++room) {
      CAPTURE(room);
      std::vector<char> text(room);  // sanitizers see the end of it
      const auto done = ckpt::native::full_path(name.c_str(), text.data(), room);
      REQUIRE(done.ok());
      const auto size = static_cast<std::size_t>(done.value);
      CHECK((size <= room) == (expected.size() <= room));
      if (size <= room) CHECK(std::string(text.data(), size) == expected);
    }
  }
}

TEST_CASE("links are not resolved") {
  const scratch dir;
  REQUIRE(::mkdir(dir.at("d").c_str(), 0777) == 0);
  REQUIRE(::symlink("d", dir.at("link").c_str()) == 0);
  const inside here(dir.root());
  CHECK(absolute("link/") == here.here() + "/link");
  CHECK(absolute("link/../f") == here.here() + "/link/../f");
}

TEST_CASE("from a directory that is gone only absolute names have an absolute name") {
  const scratch dir;
  CHECK(in_child([&] {
          if (::mkdir(dir.at("gone").c_str(), 0777) != 0 || ::chdir(dir.at("gone").c_str()) != 0)
            return 1;
          if (::rmdir(dir.at("gone").c_str()) != 0) return 2;
          if (absolute_kind("f") != errc::not_found) return 3;
          if (ckpt::create_directories("f", true).kind != errc::not_found) return 4;
          return absolute("/f/") == "/f" ? 0 : 5;
        }) == 0);
}

TEST_CASE("a name that the system does not give is reported, and asking has an end") {
  reset();
  now.fail_kind = call::full_path;
  now.fail_at = 1;
  now.fail_error = EACCES;
  const ckpt::status denied = ckpt::absolute_path<counted>("f").error();
  CHECK(denied.kind == errc::permission_denied);
  CHECK(denied.os_code == EACCES);
  reset();
  now.interrupt_every = 2;
  CHECK(ckpt::absolute_path<counted>("f").ok());
  CHECK(ckpt::absolute_path<counted>("f").ok());
  reset();
  struct doubling : scaled_native<> {
    static result full_path(const char*, char*, std::size_t room) noexcept {
      static_cast<void>(now.enter(call::full_path));
      return {static_cast<std::int64_t>(room) * 2, 0};
    }
  };
  CHECK(ckpt::absolute_path<doubling>("f").error().kind == errc::invalid_path);
  CHECK(now.count(call::full_path) < 20);
  reset();
}

TEST_CASE("each new directory is synced into the one that it is in, where that is asked for") {
  const scratch dir;
  CHECK(count_syncs(dir.at("a/b/c"), true) == 3);
  CHECK(count_syncs(dir.at("a/b/c"), true) == 0);
  CHECK(count_syncs(dir.at("a/b/d"), true) == 1);
  CHECK(count_syncs(dir.at("a/b/e/"), true) == 1);
  CHECK(count_syncs(dir.at("x/y"), false) == 0);
  static std::vector<std::string> synced;
  synced.clear();
  struct watched : scaled_native<> {
    static result sync_directory(const char* path) noexcept {
      synced.emplace_back(path);
      return scaled_native<>::sync_directory(path);
    }
  };
  reset();
  CHECK(ckpt::create_directories<watched>(dir.at("u/v//w/"), true).ok());
  CHECK(synced == names{dir.root(), dir.at("u"), dir.at("u/v")});
  synced.clear();
  CHECK(ckpt::create_directories<watched>(dir.at("u/x/"), true).ok());
  CHECK(ckpt::create_directories<watched>(dir.at("u/x/./y/."), true).ok());
  CHECK(synced == names{dir.at("u"), dir.at("u/x")});
}

TEST_CASE("two dots on the way are followed when all in front of them is there") {
  const scratch dir;
  CHECK(ckpt::create_directories(dir.at("new/../other/z"), false).ok());
  CHECK(dir.names() == names{"new", "other"});
}

TEST_CASE("where nothing is found up to the root, that is the answer") {
  reset();
  now.fail_kind = call::make_directory;
  now.fail_at = 1;
  now.fail_on = true;
  now.fail_error = ENOENT;
  CHECK(ckpt::create_directories<counted>("/no/such/drive", true).kind == errc::not_found);
  CHECK(now.count(call::make_directory) == 4);
  CHECK(ckpt::create_directories<counted>("a/b", true).kind == errc::not_found);
  CHECK(now.count(call::make_directory) == 7);
  reset();
}

TEST_CASE("a link to a directory serves as one, at the end and on the way") {
  const scratch dir;
  REQUIRE(::mkdir(dir.at("d").c_str(), 0777) == 0);
  REQUIRE(::symlink("d", dir.at("link").c_str()) == 0);
  REQUIRE(::symlink("missing", dir.at("dangling").c_str()) == 0);
  CHECK(ckpt::create_directories(dir.at("link"), true).ok());
  CHECK(ckpt::create_directories(dir.at("link/a/b"), true).ok());
  CHECK(ckpt::is_directory(dir.at("d/a/b")));
  CHECK(ckpt::create_directories(dir.at("dangling"), true).kind == errc::already_exists);
  CHECK(ckpt::create_directories(dir.at("dangling/a"), true).kind == errc::already_exists);
}

TEST_CASE("what stands in the way of a directory is named") {
  const scratch dir;
  put(dir.at("f"), pattern(3));
  CHECK(ckpt::create_directories(dir.at("f/a/b"), true).kind == errc::invalid_path);
  CHECK(ckpt::create_directories(dir.at("a/" + std::string(256, 'n') + "/b"), true).kind ==
        errc::invalid_path);
  REQUIRE(::mkdir(dir.at("closed").c_str(), 0555) == 0);
  REQUIRE(::mkdir(dir.at("closed/d").c_str(), 0777) == 0);
  REQUIRE(::chmod(dir.at("closed/d").c_str(), 0777) == 0);
  CHECK(in_child([&] {
          if (!drop_privileges()) return 77;
          if (ckpt::create_directories(dir.at("closed/a/b"), true).kind != errc::permission_denied)
            return 1;
          return ckpt::create_directories(dir.at("closed/d/e"), true).ok() ? 0 : 2;
        }) == 0);
}

TEST_CASE("whichever call fails, making directories says so and can be repeated") {
  for (const call kind : {call::make_directory, call::sync_directory, call::describe_path}) {
    for (std::size_t at = 1; at <= 4; ++at) {
      const scratch dir;
      CAPTURE(at);
      reset();
      now.fail_kind = kind;
      now.fail_at = at;
      const ckpt::status done = ckpt::create_directories<counted>(dir.at("a/b"), true);
      CHECK(done.ok() == (now.count(kind) < at));
      if (!done.ok()) CHECK(done.os_code == EIO);
      reset();
      CHECK(ckpt::create_directories<counted>(dir.at("a/b"), true).ok());
      CHECK(ckpt::is_directory(dir.at("a/b")));
    }
  }
}

TEST_CASE("several processes make the same directories at a time, and all of them succeed") {
  const scratch dir;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(start_child([&] {
      for (int round = 0; round < 200; ++round)
        if (!ckpt::create_directories(dir.at(std::to_string(round) + "/a/b/c"), false).ok())
          return 1;
      return 0;
    }));
  }
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  CHECK(dir.names().size() == 200);
  CHECK(ckpt::is_directory(dir.at("199/a/b/c")));
}

#endif
