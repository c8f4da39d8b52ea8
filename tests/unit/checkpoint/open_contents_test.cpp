#include "ckpt/checkpoint/open_contents.hpp"

#include <algorithm>

#include "allocations.hpp"
#include "ckpt/ckpt.hpp"
#include "format/handmade.hpp"
#include "scratch.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt_test::scratch;

namespace {

struct net {
  static constexpr auto tensors =
      ckpt::tensors({{"fc.w", dtype::f32, {5, 3}}, {"fc.b", dtype::f32, {5}}});
};

template <class Format>
test::bytes sample() {
  test::owned_state<net, ckpt::adam> state;
  state.fill(3);
  return test::written<Format>(state.view);
}

/// The same file with other characters in a name, and its fingerprint and checksum made right.
test::bytes renamed(test::bytes file, const std::string& from, const std::string& to) {
  const std::size_t manifest = handmade::manifest_at(file);
  const auto end = file.begin() + static_cast<std::ptrdiff_t>(handmade::checksums_at(file));
  const auto* const characters = reinterpret_cast<const std::byte*>(from.data());
  const auto found = std::search(file.begin() + static_cast<std::ptrdiff_t>(manifest), end,
                                 characters, characters + from.size());
  REQUIRE(found != end);
  std::memcpy(&*found, to.data(), to.size());
  const test::bytes constant(file.begin() + static_cast<std::ptrdiff_t>(manifest), end);
  handmade::set(file, manifest + 32, handmade::fingerprint(constant), 8);
  handmade::seal(file);
  return file;
}

/// A file of so many tensors of four bytes, slots and names included.
test::bytes large_file(std::size_t count) {
  ckpt::model_builder builder;
  for (std::size_t i = 0; i < count; ++i)
    builder.add("a name that no string keeps in itself, " + std::to_string(i), dtype::f32, {1});
  test::owned_state<ckpt::dynamic_model, ckpt::adam> state(builder.model().view());
  state.fill(1);
  return handmade::written<ckpt::v2>(state);
}

}  // namespace

TEST_CASE("a file in which a name comes twice is refused when it is opened") {
  const auto check = [](const test::bytes& file) {
    const test::bytes twice = renamed(file, "fc.b", "fc.w");
    REQUIRE(ckpt::verify(test::view(twice)).error.ok());
    const ckpt::status said = ckpt::contents_of(test::view(twice)).error();
    CHECK(said.kind == errc::duplicate_name);
    CHECK(said.tensor == 1);
    scratch directory;
    const std::string path = directory.at("twice.ckpt");
    ckpt_test::put(path, twice);
    const auto opened = ckpt::open_contents(path);
    CHECK(opened.error().kind == errc::duplicate_name);
    CHECK(test::mentions(opened.message(), "tensor 1 is 'fc.w'"));
  };
  check(sample<ckpt::onert_plus>());
  check(sample<ckpt::v2>());
}

TEST_CASE("a damaged payload of a file with a manifest is told by the name of its tensor") {
  scratch directory;
  const std::string path = directory.at("damaged.ckpt");
  const auto check = [&path](test::bytes file, std::uint64_t place) {
    file[static_cast<std::size_t>(place)] ^= std::byte{1};
    ckpt_test::put(path, file);
    const auto opened = ckpt::open_contents(path);
    CHECK(opened.error().kind == errc::checksum_mismatch);
    CHECK(opened.error().tensor == 1);
    CHECK_MESSAGE(test::mentions(opened.message(), "tensor 1 is 'fc.b'"), opened.message());
  };
  using plus = ckpt::layout<net, ckpt::adam, ckpt::onert_plus>;
  using v2 = ckpt::layout<net, ckpt::adam, ckpt::v2>;
  check(sample<ckpt::onert_plus>(), plus::slot_offset<1>(1));
  check(sample<ckpt::v2>(), v2::offset(1));
}

TEST_CASE("memory that runs out while contents are read is a status") {
  const test::bytes file = large_file(500);
  scratch directory;
  const std::string path = directory.at("large.ckpt");
  ckpt_test::put(path, file);
  REQUIRE(ckpt::contents_of(test::view(file)).ok());
  const std::size_t before = test::allocated_bytes();
  for (const std::size_t limit : {400U, 1000U, 4000U, 10000U, 30000U}) {
    CAPTURE(limit);
    test::limit_allocations(limit);
    const errc read = ckpt::contents_of(test::view(file)).error().kind;
    const errc opened = ckpt::open_contents(path).error().kind;
    test::limit_allocations(0);
    CHECK(read == errc::no_memory);
    CHECK(opened == errc::no_memory);
    CHECK(test::allocated_bytes() == before);
  }
}
