#include "ckpt/io/stdio.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>

#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::errc;

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using stream = std::unique_ptr<std::FILE, closer>;

stream open_stream(const std::string& name, const char* mode) {
  return stream(std::fopen(name.c_str(), mode));
}

}  // namespace

TEST_CASE("bytes given to a stdio sink are in the file after a flush") {
  const scratch dir;
  const stream file = open_stream(dir.at("f"), "wb");
  REQUIRE(file);
  std::fputs("lead", file.get());
  ckpt::stdio_sink sink(file.get());
  const bytes content = pattern(10000);
  CHECK(sink.append(content).ok());
  CHECK(sink.append({}).ok());
  CHECK(sink.flush().ok());
  const bytes found = get(dir.at("f"));
  REQUIRE(found.size() == 10004);
  CHECK(std::equal(content.begin(), content.end(), found.begin() + 4));
}

TEST_CASE("a stdio sink on a full device is no_space at the latest in flush") {
  const stream file = open_stream("/dev/full", "wb");
  REQUIRE(file);
  ckpt::stdio_sink sink(file.get());
  const bytes content = pattern(100);
  const ckpt::status appended = sink.append(content);
  const ckpt::status flushed = sink.flush();
  CHECK(appended.ok());  // it is in the buffer only
  CHECK(flushed.kind == errc::no_space);
  CHECK(flushed.os_code == ENOSPC);
  const bytes large = pattern(1000000);
  CHECK(sink.append(large).kind == errc::no_space);
}

TEST_CASE("an error that a stream had before is reported in flush") {
  const scratch dir;
  put(dir.at("f"), pattern(1));
  const stream file = open_stream(dir.at("f"), "rb");
  REQUIRE(file);
  std::fputc('x', file.get());  // not open for writing
  ckpt::stdio_sink sink(file.get());
  CHECK_FALSE(sink.flush().ok());
}

TEST_CASE("a stdio source gives any range of the file, wherever the stream stands") {
  const scratch dir;
  const bytes content = pattern(10000);
  put(dir.at("f"), content);
  const stream file = open_stream(dir.at("f"), "rb");
  REQUIRE(file);
  std::fgetc(file.get());
  auto source = ckpt::stdio_source::open(file.get());
  REQUIRE(source.ok());
  CHECK(source->size() == 10000);
  for (const std::size_t offset :
       {std::size_t{9000}, std::size_t{0}, std::size_t{1}, std::size_t{9999}}) {
    CAPTURE(offset);
    bytes to(1 + offset % 3 * 100 > 10000 - offset ? 10000 - offset : 1 + offset % 3 * 100);
    CHECK(source->read_at(offset, to).ok());
    CHECK(std::equal(to.begin(), to.end(), content.begin() + static_cast<long>(offset)));
  }
}

TEST_CASE("a stdio source that ends too early is truncated") {
  const scratch dir;
  put(dir.at("f"), pattern(1000));
  const stream file = open_stream(dir.at("f"), "rb");
  REQUIRE(file);
  auto source = ckpt::stdio_source::open(file.get());
  REQUIRE(source.ok());
  bytes to(600);
  CHECK(source->read_at(500, to).kind == errc::truncated);
  CHECK(source->read_at(~std::uint64_t{0}, to).kind == errc::truncated);
  CHECK(source->read_at(1000, {}).ok());
  put(dir.at("f"), pattern(100000));
  source = ckpt::stdio_source::open(file.get());
  REQUIRE(source.ok());
  REQUIRE(::truncate(dir.at("f").c_str(), 50000) == 0);  // after its size was asked for
  to.resize(100000);
  const ckpt::status status = source->read_at(0, to);
  CHECK(status.kind == errc::truncated);
  CHECK(status.offset == 50000);
  CHECK(status.expected == 100000);
  CHECK(status.found == 50000);
}

TEST_CASE("a stdio source reads beyond 4 GiB where the host can") {
  if (sizeof(ckpt::detail::stdio_offset) < 8) return;
  const scratch dir;
  const bytes content = pattern(64);
  {
    const stream file = open_stream(dir.at("f"), "wb");
    REQUIRE(file);
    REQUIRE(ckpt::detail::stdio_seek(file.get(),
                                     static_cast<ckpt::detail::stdio_offset>(std::int64_t{5} << 30),
                                     SEEK_SET) == 0);
    ckpt::stdio_sink sink(file.get());
    CHECK(sink.append(content).ok());
    CHECK(sink.flush().ok());
  }
  const stream file = open_stream(dir.at("f"), "rb");
  auto source = ckpt::stdio_source::open(file.get());
  REQUIRE(source.ok());
  CHECK(source->size() == (std::uint64_t{5} << 30) + 64);
  bytes to(64);
  CHECK(source->read_at(std::uint64_t{5} << 30, to).ok());
  CHECK(to == content);
}

TEST_CASE("streams that are null or cannot seek are refused") {
  ckpt::stdio_sink sink(nullptr);
  CHECK(sink.append(pattern(1)).kind == errc::input_output);
  CHECK(sink.flush().kind == errc::input_output);
  CHECK(ckpt::stdio_source::open(nullptr).error().kind == errc::input_output);
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  const stream in(::fdopen(ends[0], "rb"));
  const stream out(::fdopen(ends[1], "wb"));
  CHECK(ckpt::stdio_source::open(in.get()).error().os_code == ESPIPE);
  ckpt::stdio_sink piped(out.get());
  const bytes content = pattern(100);
  CHECK(piped.append(content).ok());
  CHECK(piped.flush().ok());
  bytes received(100);
  CHECK(std::fread(received.data(), 1, 100, in.get()) == 100);
  CHECK(received == content);
}
