#include "ckpt/io/memory.hpp"

#include <doctest/doctest.h>

#include "scratch.hpp"

using namespace ckpt_test;

TEST_CASE("a vector sink appends to what is there") {
  bytes to = pattern(3, 1);
  ckpt::vector_sink sink(to);
  const bytes more = pattern(1000, 2);
  CHECK(sink.append(more).ok());
  CHECK(sink.append({}).ok());
  CHECK(sink.append(more).ok());
  CHECK(sink.flush().ok());
  bytes expected = pattern(3, 1);
  expected.insert(expected.end(), more.begin(), more.end());
  expected.insert(expected.end(), more.begin(), more.end());
  CHECK(to == expected);
}

TEST_CASE("a vector sink that finds no memory says so and leaves the vector as it was") {
  bytes to = pattern(3);
  ckpt::vector_sink sink(to);
  // Larger than any vector; never looked at, as the vector is asked first.
  const ckpt::bytes_view impossible(to.data(), ~std::size_t{0} / 2);
  CHECK(sink.append(impossible).kind == ckpt::errc::no_memory);
  CHECK(to == pattern(3));
}
