#include "ckpt/io/gather.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "scaled_native.hpp"
#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::bytes_view;
using ckpt::errc;

static_assert(ckpt::is_sink_v<ckpt::basic_gather_writer<scaled_native<>>>);

/// A new file, open for writing.
class output {
 public:
  explicit output(const std::string& name)
      : fd_(::open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666)) {
    REQUIRE(fd_ >= 0);
  }
  output(const output&) = delete;
  output& operator=(const output&) = delete;
  ~output() { ::close(fd_); }
  [[nodiscard]] ckpt::detail::native_handle handle() const { return fd_; }

 private:
  int fd_;
};

bytes joined(const std::vector<bytes>& pieces) {
  bytes whole;
  for (const bytes& piece : pieces) whole.insert(whole.end(), piece.begin(), piece.end());
  return whole;
}

std::vector<bytes> many_pieces() {
  std::vector<bytes> pieces;
  for (unsigned i = 0; i < 2500; ++i) pieces.push_back(pattern(i % 7 == 0 ? 300 : i % 5, i + 1));
  return pieces;
}

template <class Native>
void check_gather(const scratch& dir, std::size_t longest, std::size_t interrupt) {
  CAPTURE(longest);
  CAPTURE(interrupt);
  reset();
  now.longest_move = longest;
  now.interrupt_every = interrupt;
  const std::vector<bytes> pieces = many_pieces();
  const output file(dir.at("f"));
  ckpt::basic_gather_writer<Native> writer(file.handle());
  for (const bytes& piece : pieces) CHECK(writer.append(piece).ok());
  CHECK(writer.flush().ok());
  CHECK(get(dir.at("f")) == joined(pieces));
  CHECK(writer.position() == joined(pieces).size());
  CHECK(writer.counts().bytes == joined(pieces).size());
}

}  // namespace

TEST_CASE("what is appended is in the file, whatever the system makes of each call") {
  const scratch dir;
  for (const std::size_t longest :
       {std::size_t{0}, std::size_t{1}, std::size_t{13}, std::size_t{4096}}) {
    for (const std::size_t interrupt : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
      check_gather<scaled_native<>>(dir, longest, interrupt);
      check_gather<scaled_native<1>>(dir, longest, interrupt);
      check_gather<scaled_native<3>>(dir, longest, interrupt);
    }
  }
}

TEST_CASE("many pieces take few calls") {
  const scratch dir;
  const output file(dir.at("f"));
  std::vector<bytes> pieces;
  for (unsigned i = 0; i < 3000; ++i) pieces.push_back(pattern(100, i));
  ckpt::gather_writer writer(file.handle());
  for (const bytes& piece : pieces) CHECK(writer.append(piece).ok());
  CHECK(writer.flush().ok());
  CHECK(writer.counts().calls == 3);
  CHECK(get(dir.at("f")) == joined(pieces));
}

TEST_CASE("views that follow each other in memory are one piece") {
  const scratch dir;
  const output file(dir.at("f"));
  const bytes block = pattern(50000);
  reset();
  ckpt::basic_gather_writer<scaled_native<>> writer(file.handle());
  for (std::size_t i = 0; i < 5000; ++i)
    CHECK(writer.append(bytes_view(block.data() + i * 10, 10)).ok());
  CHECK(writer.flush().ok());
  CHECK(now.count(call::write) == 1);
  CHECK(now.most_pieces == 1);
  CHECK(get(dir.at("f")) == block);
}

TEST_CASE("a gathered call stays within what the system takes") {
  const scratch dir;
  const output file(dir.at("f"));
  const std::vector<bytes> pieces = {pattern(10, 1), pattern(3 * mebibyte + 5, 2), pattern(10, 3),
                                     pattern(mebibyte - 1, 4), pattern(mebibyte, 5)};
  reset();
  ckpt::basic_gather_writer<scaled_native<>> writer(file.handle());
  for (const bytes& piece : pieces) CHECK(writer.append(piece).ok());
  CHECK(writer.flush().ok());
  CHECK(now.largest_ask == mebibyte);
  CHECK(get(dir.at("f")) == joined(pieces));
}

TEST_CASE("a gather writer starts where it is told and goes on after each flush") {
  const scratch dir;
  const output file(dir.at("f"));
  const bytes first = pattern(10, 1);
  const bytes second = pattern(10, 2);
  ckpt::gather_writer writer(file.handle(), 5);
  CHECK(writer.position() == 5);
  CHECK(writer.append(first).ok());
  CHECK(writer.position() == 15);
  CHECK(writer.flush().ok());
  CHECK(writer.append(second).ok());
  CHECK(writer.append(bytes_view{}).ok());
  CHECK(writer.flush().ok());
  CHECK(writer.position() == 25);
  CHECK(get(dir.at("f")) == joined({bytes(5), first, second}));
}

TEST_CASE("a full device is no_space") {
  const int full = ::open("/dev/full", O_WRONLY);
  REQUIRE(full >= 0);
  ckpt::gather_writer writer(full);
  const bytes content = pattern(100);
  CHECK(writer.append(content).ok());
  const ckpt::status status = writer.flush();
  CHECK(status.kind == errc::no_space);
  CHECK(status.os_code == ENOSPC);
  ::close(full);
}

TEST_CASE("a write that moves nothing is an error, not an endless loop") {
  const scratch dir;
  const output file(dir.at("f"));
  reset();
  now.write_nothing = true;
  ckpt::basic_gather_writer<scaled_native<>> writer(file.handle());
  const bytes content = pattern(10);
  CHECK(writer.append(content).ok());
  CHECK(writer.flush().kind == errc::input_output);
}

TEST_CASE("a failed write is reported by every later call, so that it cannot be overlooked") {
  const scratch dir;
  const output file(dir.at("f"));
  reset();
  now.fail_kind = call::write;
  now.fail_at = 2;
  now.fail_error = ENOSPC;
  ckpt::basic_gather_writer<scaled_native<1>> writer(file.handle());
  const bytes content = pattern(10);
  const bytes other = pattern(10, 2);
  CHECK(writer.append(content).ok());
  CHECK(writer.append(other).ok());
  const ckpt::status status = writer.append(content);
  CHECK(status.kind == errc::no_space);
  CHECK(status.offset == 10);
  CHECK(writer.append(other).kind == errc::no_space);
  CHECK(writer.flush().kind == errc::no_space);
  CHECK(writer.flush().kind == errc::no_space);
  CHECK(now.count(call::write) == 2);
}
