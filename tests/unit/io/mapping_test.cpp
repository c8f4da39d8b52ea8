#include "ckpt/io/mapping.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "ckpt/io/replace.hpp"
#include "scaled_native.hpp"
#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::errc;
using scaled_mapping = ckpt::basic_mapping<scaled_native<>>;

bool holds(ckpt::bytes_view view, const bytes& content) {
  return view.size() == content.size() && std::equal(view.begin(), view.end(), content.begin());
}

}  // namespace

TEST_CASE("a mapping shows the whole file at an aligned address") {
  const scratch dir;
  const bytes content = pattern(70001);
  put(dir.at("f"), content);
  const auto mapping = ckpt::native_mapping::open(dir.at("f"));
  REQUIRE(mapping.ok());
  CHECK(holds(mapping->bytes(), content));
  CHECK(reinterpret_cast<std::uintptr_t>(mapping->bytes().data()) % 4096 == 0);
}

TEST_CASE("an empty file cannot be mapped, and says so") {
  const scratch dir;
  put(dir.at("f"), {});
  CHECK(ckpt::native_mapping::open(dir.at("f")).error().kind == errc::empty_file);
}

TEST_CASE("what cannot be opened cannot be mapped") {
  const scratch dir;
  const auto since = std::chrono::steady_clock::now();
  REQUIRE(::mkfifo(dir.at("fifo").c_str(), 0666) == 0);
  CHECK(ckpt::native_mapping::open("").error().kind == errc::empty_path);
  CHECK(ckpt::native_mapping::open(dir.at("none")).error().kind == errc::not_found);
  CHECK(ckpt::native_mapping::open(dir.root()).error().kind == errc::not_a_regular_file);
  CHECK(ckpt::native_mapping::open(dir.at("fifo")).error().kind == errc::not_a_regular_file);
  CHECK(ckpt::native_mapping::open("/dev/zero").error().kind == errc::not_a_regular_file);
  CHECK(within_a_second(since));
}

TEST_CASE("a mapping keeps the old bytes when the file is replaced") {
  const scratch dir;
  const bytes old = pattern(5000, 1);
  const bytes fresh = pattern(9000, 2);
  put(dir.at("f"), old);
  const auto mapping = ckpt::native_mapping::open(dir.at("f"));
  REQUIRE(mapping.ok());
  auto replacement = ckpt::native_replacement::begin(dir.at("f"));
  REQUIRE(replacement.ok());
  CHECK(replacement->writer().append(fresh).ok());
  CHECK(replacement->commit(false).ok());
  CHECK(holds(mapping->bytes(), old));
  CHECK(get(dir.at("f")) == fresh);
}

TEST_CASE("a mapping can be saved over its own file") {
  const scratch dir;
  const bytes content = pattern(50000);
  put(dir.at("f"), content);
  const auto mapping = ckpt::native_mapping::open(dir.at("f"));
  REQUIRE(mapping.ok());
  auto replacement = ckpt::native_replacement::begin(dir.at("f"));
  REQUIRE(replacement.ok());
  CHECK(replacement->writer().append(mapping->bytes()).ok());
  CHECK(replacement->commit(true).ok());
  CHECK(get(dir.at("f")) == content);
}

TEST_CASE("mappings are unmapped once through every move, and keep no handle") {
  const scratch dir;
  put(dir.at("f"), pattern(10));
  reset();
  {
    auto first = scaled_mapping::open(dir.at("f"));
    auto second = scaled_mapping::open(dir.at("f"));
    CHECK(now.open_handles == 0);
    CHECK(now.mapped == 2);
    *first = std::move(*second);
    CHECK(now.mapped == 1);
    CHECK_FALSE(second->is_open());
    scaled_mapping& same = *first;
    *first = std::move(same);
    CHECK(first->is_open());
    const scaled_mapping third(std::move(*first));
    CHECK(third.bytes().size() == 10);
    CHECK(now.mapped == 1);
  }
  CHECK(now.mapped == 0);
}

TEST_CASE("a failing map is reported and leaves no handle behind") {
  const scratch dir;
  put(dir.at("f"), pattern(10));
  reset();
  now.fail_kind = call::map;
  now.fail_at = 1;
  now.fail_error = ENOMEM;
  const auto mapping = scaled_mapping::open(dir.at("f"));
  CHECK(mapping.error().kind == errc::no_memory);
  CHECK(mapping.error().os_code == ENOMEM);
  CHECK(now.open_handles == 0);
}
