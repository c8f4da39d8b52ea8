#include "ckpt/io/file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "scaled_native.hpp"
#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::errc;
using scaled_file = ckpt::basic_file<scaled_native<>>;

static_assert(ckpt::is_source_v<scaled_file>);
static_assert(!std::is_copy_constructible_v<ckpt::native_file>);
static_assert(std::is_nothrow_move_constructible_v<ckpt::native_file>);
static_assert(std::is_nothrow_move_assignable_v<ckpt::native_file>);

errc kind_of_opening(const ckpt::path& name) {
  const auto since = std::chrono::steady_clock::now();
  const errc kind = ckpt::native_file::open(name).error().kind;
  CHECK(within_a_second(since));
  return kind;
}

}  // namespace

TEST_CASE("a file gives its size and any range of its bytes") {
  const scratch dir;
  const bytes content = pattern(10000);
  put(dir.at("f"), content);
  auto file = ckpt::native_file::open(dir.at("f"));
  REQUIRE(file.ok());
  CHECK(file->size() == 10000);
  struct range {
    std::size_t offset;
    std::size_t size;
  };
  for (const range asked : {range{0, 10000}, {1, 1}, {4095, 4097}, {9999, 1}, {10000, 0}, {0, 0}}) {
    CAPTURE(asked.offset);
    bytes to(asked.size);
    CHECK(file->read_at(asked.offset, to).ok());
    CHECK(std::equal(to.begin(), to.end(), content.begin() + static_cast<long>(asked.offset)));
  }
}

TEST_CASE("names that lead to no file say why, with the code of the system") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  CHECK(kind_of_opening("") == errc::empty_path);
  CHECK(kind_of_opening(std::string("a\0b", 3)) == errc::invalid_path);
  CHECK(kind_of_opening(dir.at("none")) == errc::not_found);
  CHECK(kind_of_opening(dir.at("f/x")) == errc::invalid_path);
  CHECK(kind_of_opening(dir.at(std::string(300, 'n'))) == errc::invalid_path);
  CHECK(ckpt::native_file::open(dir.at("none")).error().os_code == ENOENT);
}

TEST_CASE("what is not a regular file is refused at once, and never waited for") {
  const scratch dir;
  REQUIRE(::mkfifo(dir.at("fifo").c_str(), 0666) == 0);
  CHECK(kind_of_opening(dir.at("fifo")) == errc::not_a_regular_file);
  CHECK(kind_of_opening(dir.root()) == errc::not_a_regular_file);
  CHECK(kind_of_opening("/dev/zero") == errc::not_a_regular_file);
  CHECK(kind_of_opening("/dev/null") == errc::not_a_regular_file);
  const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, dir.at("socket").c_str(), sizeof address.sun_path - 1);
  REQUIRE(::bind(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK(kind_of_opening(dir.at("socket")) == errc::not_a_regular_file);
  ::close(server);
}

TEST_CASE("a file of /proc, which says that it is empty and is not, is no regular file") {
  if (!std::filesystem::exists("/proc/self/status")) return;
  CHECK(kind_of_opening("/proc/self/status") == errc::not_a_regular_file);
}

TEST_CASE("a file that may not be read is permission_denied, and reading needs no right to write") {
  const scratch dir;
  put(dir.at("secret"), pattern(1));
  put(dir.at("readable"), pattern(1));
  ::chmod(dir.at("secret").c_str(), 0000);
  ::chmod(dir.at("readable").c_str(), 0444);
  CHECK(in_child([&] {
          if (!drop_privileges()) return 77;
          if (!ckpt::native_file::open(dir.at("readable")).ok()) return 1;
          return ckpt::native_file::open(dir.at("secret")).error().kind == errc::permission_denied
                     ? 0
                     : 2;
        }) == 0);
}

TEST_CASE("an open file is closed in programs that are started") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  const auto file = ckpt::native_file::open(dir.at("f"));
  REQUIRE(file.ok());
  CHECK((::fcntl(static_cast<int>(file->handle()), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("reading goes on after short counts and interruptions") {
  const scratch dir;
  const bytes content = pattern(5000);
  put(dir.at("f"), content);
  for (const std::size_t longest : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    for (const std::size_t interrupt : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
      CAPTURE(longest);
      CAPTURE(interrupt);
      reset();
      now.longest_move = longest;
      now.interrupt_every = interrupt;
      auto file = scaled_file::open(dir.at("f"));
      REQUIRE(file.ok());
      bytes to(4998);
      CHECK(file->read_at(1, to).ok());
      CHECK(std::equal(to.begin(), to.end(), content.begin() + 1));
    }
  }
}

TEST_CASE("one call never asks for more than the system takes") {
  const scratch dir;
  const bytes content = pattern(5 * mebibyte + 3);
  put(dir.at("f"), content);
  reset();
  auto file = scaled_file::open(dir.at("f"));
  REQUIRE(file.ok());
  bytes to(content.size());
  CHECK(file->read_at(0, to).ok());
  CHECK(to == content);
  CHECK(now.largest_ask == mebibyte);
  CHECK(now.count(call::read) == 6);
}

TEST_CASE("a file that ends too early is truncated, and where it ends is said") {
  const scratch dir;
  put(dir.at("f"), pattern(1000));
  auto file = ckpt::native_file::open(dir.at("f"));
  REQUIRE(file.ok());
  REQUIRE(::truncate(dir.at("f").c_str(), 600) == 0);  // after it was opened
  bytes to(1000);
  const ckpt::status status = file->read_at(0, to);
  CHECK(status.kind == errc::truncated);
  CHECK(status.offset == 600);
  CHECK(status.expected == 1000);
  CHECK(status.found == 600);
  CHECK(file->read_at(2000, bytes(1)).kind == errc::truncated);
}

TEST_CASE("offsets that no file reaches are truncated, not wrapped") {
  const scratch dir;
  put(dir.at("f"), pattern(100));
  auto file = ckpt::native_file::open(dir.at("f"));
  REQUIRE(file.ok());
  bytes to(16);
  for (const std::uint64_t offset :
       {~std::uint64_t{0}, ~std::uint64_t{0} - 15, std::uint64_t{1} << 63,
        (std::uint64_t{1} << 63) - 8, (std::uint64_t{1} << 63) - 16, std::uint64_t{1} << 32}) {
    CAPTURE(offset);
    CHECK(file->read_at(offset, to).kind == errc::truncated);
  }
}

TEST_CASE("bytes beyond 4 GiB are reached") {
  const scratch dir;
  put(dir.at("f"), {});
  const std::uint64_t far = std::uint64_t{5} << 30;
  const bytes content = pattern(64);
  const auto written = ckpt::native::open_existing_for_lock(dir.at("f").c_str());
  REQUIRE(written.ok());
  const auto handle = static_cast<ckpt::detail::native_handle>(written.value);
  const auto piece = ckpt::native::make_piece(content.data(), content.size());
  REQUIRE(ckpt::native::write_at(handle, far, &piece, 1).value == 64);
  CHECK(ckpt::native::close(handle).ok());
  auto file = ckpt::native_file::open(dir.at("f"));
  REQUIRE(file.ok());
  CHECK(file->size() == far + 64);
  bytes to(64);
  CHECK(file->read_at(far, to).ok());
  CHECK(to == content);
}

TEST_CASE("a failing read gives the code of the system and the place") {
  const scratch dir;
  put(dir.at("f"), pattern(3 * mebibyte));
  reset();
  now.fail_kind = call::read;
  now.fail_at = 2;
  auto file = scaled_file::open(dir.at("f"));
  REQUIRE(file.ok());
  bytes to(3 * mebibyte);
  const ckpt::status status = file->read_at(0, to);
  CHECK(status.kind == errc::input_output);
  CHECK(status.os_code == EIO);
  CHECK(status.offset == mebibyte);
}

TEST_CASE("files own their handle through every move, and opening leaks none") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  reset();
  {
    auto first = scaled_file::open(dir.at("f"));
    auto second = scaled_file::open(dir.at("f"));
    CHECK(now.open_handles == 2);
    *first = std::move(*second);
    CHECK(now.open_handles == 1);
    CHECK_FALSE(second->is_open());
    scaled_file& same = *first;
    *first = std::move(same);
    CHECK(first->is_open());
    CHECK(now.open_handles == 1);
    const scaled_file third(std::move(*first));
    CHECK(third.is_open());
    CHECK(now.open_handles == 1);
    CHECK(scaled_file::open(dir.root()).error().kind == errc::not_a_regular_file);
    now.fail_kind = call::describe;
    now.fail_at = now.count(call::describe) + 1;
    CHECK(scaled_file::open(dir.at("f")).error().kind == errc::input_output);
    CHECK(now.open_handles == 1);
  }
  CHECK(now.open_handles == 0);
}
