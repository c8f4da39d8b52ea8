#include "ckpt/io/scatter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "scaled_native.hpp"
#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::bytes_span;
using ckpt::errc;

struct wanted {
  std::size_t offset;
  std::size_t size;
};

template <class Native>
ckpt::status read_all(const std::string& name, const std::vector<wanted>& pieces,
                      std::vector<bytes>& to, ckpt::transfer_counts& counts) {
  auto file = ckpt::basic_file<Native>::open(name);
  if (!file) return file.error();
  ckpt::basic_scatter_reader<Native> reader(*file);
  to.clear();
  // One byte more on each side, to see what is written outside.
  for (const wanted& piece : pieces) to.emplace_back(piece.size + 2, std::byte{0x5A});
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bytes_span inner(to[i].data() + 1, pieces[i].size);
    if (const ckpt::status status = reader.queue(pieces[i].offset, inner); !status) return status;
  }
  const ckpt::status status = reader.flush();
  counts = reader.counts();
  return status;
}

bool right(const std::vector<wanted>& pieces, const std::vector<bytes>& to, const bytes& content) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (to[i].front() != std::byte{0x5A} || to[i].back() != std::byte{0x5A}) return false;
    if (!std::equal(to[i].begin() + 1, to[i].end() - 1,
                    content.begin() + static_cast<long>(pieces[i].offset)))
      return false;
  }
  return true;
}

/// The calls that it takes to read the pieces, having checked what was read.
template <class Native = scaled_native<>>
std::uint64_t calls_for(const scratch& dir, const std::vector<wanted>& pieces) {
  const bytes content = get(dir.at("f"));
  std::vector<bytes> to;
  ckpt::transfer_counts counts;
  CHECK(read_all<Native>(dir.at("f"), pieces, to, counts).ok());
  CHECK(right(pieces, to, content));
  return counts.calls;
}

std::vector<wanted> random_pieces(std::size_t file_size, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<wanted> pieces;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = random() % 4 == 0 ? random() % 20000 : random() % 40;
    pieces.push_back({random() % (file_size - size), size});
  }
  return pieces;
}

template <class Native>
void check_random(const scratch& dir, const bytes& content, std::size_t longest,
                  std::size_t interrupt) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    CAPTURE(longest);
    CAPTURE(interrupt);
    reset();
    now.longest_move = longest;
    now.interrupt_every = interrupt;
    const auto pieces = random_pieces(content.size(), longest == 1 ? 60 : 1200, seed);
    std::vector<bytes> to;
    ckpt::transfer_counts counts;
    CHECK(read_all<Native>(dir.at("f"), pieces, to, counts).ok());
    CHECK(right(pieces, to, content));
  }
}

}  // namespace

TEST_CASE("pieces in any order, overlapping or apart, arrive in their place only") {
  const scratch dir;
  const bytes content = pattern(300000);
  put(dir.at("f"), content);
  for (const std::size_t longest :
       {std::size_t{0}, std::size_t{1}, std::size_t{13}, std::size_t{5000}, std::size_t{20000}}) {
    for (const std::size_t interrupt : {std::size_t{0}, std::size_t{2}}) {
      check_random<scaled_native<>>(dir, content, longest, interrupt);
      check_random<scaled_native<1>>(dir, content, longest, interrupt);
      check_random<scaled_native<2>>(dir, content, longest, interrupt);
      check_random<scaled_native<7>>(dir, content, longest, interrupt);
    }
  }
}

TEST_CASE("neighbours in the file are read by one call") {
  const scratch dir;
  put(dir.at("f"), pattern(100000));
  reset();
  CHECK(calls_for(dir, {{0, 10}, {10, 5000}, {5010, 1}, {5011, 80000}}) == 1);
  CHECK(calls_for(dir, {{5011, 80000}, {5010, 1}, {10, 5000}, {0, 10}}) == 1);
}

TEST_CASE("small holes are read over and large ones are left out") {
  const scratch dir;
  put(dir.at("f"), pattern(100000));
  reset();
  CHECK(calls_for(dir, {{0, 10}, {11, 10}, {40, 10}}) == 1);
  CHECK(calls_for(dir, {{0, 10}, {10 + 16384, 10}}) == 1);
  CHECK(calls_for(dir, {{0, 10}, {10 + 16385, 10}}) == 2);
  CHECK(calls_for(dir, {{0, 10}, {50000, 10}, {50020, 10}}) == 2);
}

TEST_CASE("many small pieces take few calls, and pieces that follow in memory count as one") {
  const scratch dir;
  const bytes content = pattern(10000 * 256);
  put(dir.at("f"), content);
  reset();
  std::vector<wanted> pieces;
  for (std::size_t i = 0; i < 10000; ++i) pieces.push_back({i * 256, 256});
  CHECK(calls_for(dir, pieces) == 20);
  auto file = ckpt::native_file::open(dir.at("f"));
  REQUIRE(file.ok());
  ckpt::scatter_reader reader(*file);
  bytes block(content.size());
  for (std::size_t i = 0; i < 10000; ++i)
    CHECK(reader.queue(i * 256, bytes_span(block.data() + i * 256, 256)).ok());
  CHECK(reader.flush().ok());
  CHECK(block == content);
  CHECK(reader.counts().calls == 1);
  CHECK(reader.counts().bytes == content.size());
}

TEST_CASE("a scattered call stays within what the system takes") {
  const scratch dir;
  put(dir.at("f"), pattern(5 * mebibyte));
  reset();
  CHECK(calls_for(dir, {{1, 3 * mebibyte}, {3 * mebibyte + 1, 100}, {4 * mebibyte, 1000}}) == 5);
  CHECK(now.largest_ask <= mebibyte);
  reset();  // a hole that the limit lies in
  CHECK(calls_for(dir, {{0, mebibyte - 100}, {mebibyte + 100, 1000}}) == 2);
  CHECK(calls_for(dir, {{0, mebibyte - 100}, {mebibyte, 1000}}) == 2);
  CHECK(now.largest_ask <= mebibyte);
  reset();
  CHECK(calls_for<scaled_native<3>>(dir, {{0, 5}, {6, 5}, {12, 5}, {17, 5}}) == 2);
  CHECK(now.most_pieces <= 3);
}

TEST_CASE("pieces without bytes are ignored") {
  const scratch dir;
  put(dir.at("f"), pattern(100));
  reset();
  CHECK(calls_for(dir, {{0, 0}, {50, 0}}) == 0);
  CHECK(calls_for(dir, {{10, 10}, {5, 0}, {20, 10}}) == 1);
}

TEST_CASE("a scattered read of a file that ends too early says where") {
  const scratch dir;
  put(dir.at("f"), pattern(1000));
  for (const std::size_t longest : {std::size_t{0}, std::size_t{10}}) {
    reset();
    now.longest_move = longest;
    std::vector<bytes> to;
    ckpt::transfer_counts counts;
    const ckpt::status status =
        read_all<scaled_native<>>(dir.at("f"), {{0, 900}, {900, 200}}, to, counts);
    CHECK(status.kind == errc::truncated);
    CHECK(status.offset == 1000);
    CHECK(status.expected == 1100);
    CHECK(status.found == 1000);
  }
  std::vector<bytes> to;
  ckpt::transfer_counts counts;
  CHECK(read_all<ckpt::native>(dir.at("f"), {{0, 990}, {1010, 1}}, to, counts).kind ==
        errc::truncated);
  CHECK(read_all<ckpt::native>(dir.at("f"), {{5000, 1}}, to, counts).kind == errc::truncated);
  for (const std::uint64_t offset :
       {~std::uint64_t{0}, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1}) {
    auto file = ckpt::native_file::open(dir.at("f"));
    ckpt::scatter_reader reader(*file);
    bytes two(2);
    const ckpt::status queued = reader.queue(offset, two);
    CHECK(queued.kind == errc::truncated);
    CHECK(queued.offset == offset);
  }
}

TEST_CASE("after a failure a scatter reader asks for nothing old") {
  const scratch dir;
  const bytes content = pattern(1000);
  put(dir.at("f"), content);
  reset();
  now.fail_kind = call::read;
  now.fail_at = 1;
  auto file = ckpt::basic_file<scaled_native<>>::open(dir.at("f"));
  REQUIRE(file.ok());
  ckpt::basic_scatter_reader<scaled_native<>> reader(*file);
  bytes old(100);
  bytes fresh(100);
  CHECK(reader.queue(500, old).ok());
  const ckpt::status status = reader.flush();
  CHECK(status.kind == errc::input_output);
  CHECK(status.offset == 500);
  CHECK(status.os_code == EIO);
  CHECK(reader.queue(0, fresh).ok());
  CHECK(reader.flush().ok());
  CHECK(old == bytes(100));
  CHECK(std::equal(fresh.begin(), fresh.end(), content.begin()));
}
