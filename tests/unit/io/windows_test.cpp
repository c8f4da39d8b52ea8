// What only Windows does. The rest of the tests of this floor needs POSIX.
#if defined(_WIN32)

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ckpt/io/file.hpp"
#include "ckpt/io/mapping.hpp"
#include "ckpt/io/replace.hpp"
#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::errc;
namespace fs = std::filesystem;

ckpt::status save(const ckpt::path& target, const bytes& content) {
  auto made = ckpt::native_replacement::begin(target);
  if (!made) return made.error();
  if (const ckpt::status sent = made->writer().append(content); !sent.ok()) return sent;
  return made->commit(/*durable=*/true);
}

bytes load(const ckpt::path& source) {
  auto file = ckpt::native_file::open(source);
  if (!file) return {};
  bytes content(static_cast<std::size_t>(file->size()));
  return file->read_at(0, content).ok() ? content : bytes();
}

errc open_kind(const ckpt::path& source) {
  return ckpt::native_file::open(source).error().kind;
}

/// A handle of another program.
class foreign_handle {
 public:
  foreign_handle(const fs::path& name, DWORD access, DWORD share, DWORD how = OPEN_EXISTING)
      : handle_(::CreateFileW(name.c_str(), access, share, nullptr, how, 0, nullptr)) {
    REQUIRE(handle_ != INVALID_HANDLE_VALUE);
  }
  foreign_handle(const foreign_handle&) = delete;
  foreign_handle& operator=(const foreign_handle&) = delete;
  ~foreign_handle() { ::CloseHandle(handle_); }

  void mark_deleted() const {
    FILE_DISPOSITION_INFO gone{TRUE};
    REQUIRE(::SetFileInformationByHandle(handle_, FileDispositionInfo, &gone, sizeof gone) != 0);
  }

 private:
  HANDLE handle_;
};

constexpr DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// Bytes that a stream in text mode would change.
bytes text_mode_traps() {
  bytes content(256);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(i);
  for (const int value : {0x0A, 0x0A, 0x0D, 0x0A, 0x0D, 0x0D, 0x0A, 0x1A, 0x1A, 0x0A})
    content.push_back(static_cast<std::byte>(value));
  return content;
}

}  // namespace

TEST_CASE("every byte comes back, also what text mode would change") {
  const scratch dir;
  const bytes content = text_mode_traps();
  REQUIRE(save(dir.at("a"), content).ok());
  CHECK(load(dir.at("a")) == content);
  CHECK(fs::file_size(dir.at("a")) == content.size());
  CHECK(get(dir.at("a")) == content);
}

TEST_CASE("names in any script work, as a path and as UTF-8") {
  const scratch dir;
  for (const wchar_t* const name : {L"\u043f\u0440\u0438\u0432\u0435\u0442", L"\u6a21\u578b",
                                    L"\U0001F600\U0001F9E0", L"a b'c;%&"}) {
    const fs::path target = fs::path(dir.root()) / name;
    const std::string utf8 = ckpt::path(target).to_utf8();
    CAPTURE(utf8);
    CHECK(save(target, pattern(10)).ok());
    CHECK(fs::exists(target));
    CHECK(load(utf8) == pattern(10));
    CHECK(save(utf8, pattern(20)).ok());
    CHECK(fs::file_size(target) == 20);
    CHECK(fs::remove(target));
    CHECK(open_kind(utf8) == errc::not_found);
  }
  CHECK(dir.names().empty());
}

TEST_CASE("paths of any length work, across the limit of 260 and beyond it") {
  const scratch dir;
  const fs::path root = fs::path(dir.root()).make_preferred();
  for (std::size_t size = 190; size <= 262; ++size) {
    CAPTURE(size);
    const fs::path target = root / std::wstring(size - root.native().size() - 1, L'x');
    CHECK(save(target, pattern(size)).ok());
    CHECK(load(target) == pattern(size));
    CHECK(::DeleteFileW((L"\\\\?\\" + target.native()).c_str()) != 0);
  }
  std::wstring deep = L"\\\\?\\" + root.native();
  for (int i = 0; i < 8; ++i) {
    deep += L"\\" + std::wstring(50, static_cast<wchar_t>(L'a' + i));
    REQUIRE(::CreateDirectoryW(deep.c_str(), nullptr) != 0);
  }
  const fs::path target = fs::path(deep.substr(4)) / std::wstring(200, L'n');
  CHECK(save(target, pattern(5)).ok());
  CHECK(load(fs::path(target.generic_wstring())) == pattern(5));
  CHECK(::DeleteFileW((L"\\\\?\\" + target.native()).c_str()) != 0);
  for (int i = 0; i < 8; ++i) {
    CHECK(::RemoveDirectoryW(deep.c_str()) != 0);
    deep.resize(deep.rfind(L'\\'));
  }
}

TEST_CASE("what cannot be opened says why") {
  const scratch dir;
  put(dir.at("f"), pattern(10));
  put(dir.at("empty"), {});
  CHECK(open_kind(dir.at("no")) == errc::not_found);
  CHECK(open_kind(dir.at("no\\file")) == errc::not_found);
  CHECK(save(dir.at("no\\file"), pattern(1)).kind == errc::not_found);
  CHECK(open_kind(dir.root()) == errc::not_a_regular_file);
  CHECK(save(dir.root(), pattern(1)).kind == errc::not_a_regular_file);
  CHECK(open_kind("NUL") == errc::not_a_regular_file);
  CHECK(save("NUL", pattern(1)).kind == errc::not_a_regular_file);
  CHECK(ckpt::native_mapping::open(dir.at("empty")).error().kind == errc::empty_file);
  for (const char* const name : {"a?b", "a*b", "a<b", "a|b", "a\"b"}) {
    CHECK(open_kind(dir.at(name)) == errc::invalid_path);
    CHECK(save(dir.at(name), pattern(1)).kind == errc::invalid_path);
  }
  CHECK(open_kind("\xFF.ckpt") == errc::invalid_path);
  const foreign_handle alone(dir.at("f"), GENERIC_READ, 0);
  CHECK(open_kind(dir.at("f")) == errc::busy);
  CHECK(dir.names() == std::vector<std::string>{"empty", "f"});
}

// Windows 10 replaces a file that others read; older systems, FAT and Wine refuse.
TEST_CASE("a file that is read or mapped is replaced, or stays and says busy") {
  const scratch dir;
  const std::string name = dir.at("a");
  const bytes old = pattern(5000, 1);
  const bytes fresh = pattern(5000, 2);
  REQUIRE(save(name, old).ok());
  {
    auto reader = ckpt::native_file::open(name);
    REQUIRE(reader.ok());
    const ckpt::status saved = save(name, fresh);
    CHECK((saved.ok() || saved.kind == errc::busy));
    bytes seen(5000);
    CHECK(reader->read_at(0, seen).ok());
    CHECK(seen == old);
    CHECK(load(name) == (saved.ok() ? fresh : old));
  }
  REQUIRE(save(name, old).ok());
  {
    const auto mapped = ckpt::native_mapping::open(name);
    REQUIRE(mapped.ok());
    const ckpt::status saved = save(name, fresh);
    CHECK((saved.ok() || saved.kind == errc::busy));
    CHECK(bytes(mapped->bytes().begin(), mapped->bytes().end()) == old);
    CHECK(load(name) == (saved.ok() ? fresh : old));
  }
  CHECK(save(name, fresh).ok());
  CHECK(dir.names() == std::vector<std::string>{"a"});
}

TEST_CASE("a file that another program keeps from being deleted stays, and says busy") {
  const scratch dir;
  put(dir.at("a"), pattern(10));
  {
    const foreign_handle other(dir.at("a"), GENERIC_READ, FILE_SHARE_READ);
    CHECK(save(dir.at("a"), pattern(20)).kind == errc::busy);
    CHECK(load(dir.at("a")) == pattern(10));
  }
  CHECK(save(dir.at("a"), pattern(20)).ok());
  CHECK(dir.names() == std::vector<std::string>{"a"});
}

TEST_CASE("a temporary of the dead is removed; one in use is left alone") {
  const scratch dir;
  const std::string stale = dir.at(".a.0.ckpt-tmp");
  put(stale, pattern(100));
  CHECK(save(dir.at("a"), pattern(1)).ok());
  CHECK(dir.names() == std::vector<std::string>{"a"});
  {
    auto living = ckpt::native_replacement::begin(dir.at("a"));
    REQUIRE(living.ok());
    CHECK(save(dir.at("a"), pattern(2)).ok());
    CHECK(dir.names() == std::vector<std::string>{".a.0.ckpt-tmp", "a"});
  }
  CHECK(dir.names() == std::vector<std::string>{"a"});
  CHECK(load(dir.at("a")) == pattern(2));
}

TEST_CASE("a temporary that is being deleted does not stand in the way") {
  const scratch dir;
  put(dir.at(".a.0.ckpt-tmp"), pattern(100));
  const foreign_handle scanner(dir.at(".a.0.ckpt-tmp"), GENERIC_READ | DELETE, share_all);
  scanner.mark_deleted();
  CHECK(save(dir.at("a"), pattern(2)).ok());
  CHECK(load(dir.at("a")) == pattern(2));
}

#endif
