#include <sys/mount.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "ckpt/ckpt.hpp"
#include "fixtures.hpp"
#include "scratch.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using ckpt_test::scratch;

namespace {

struct megabytes {
  static constexpr auto tensors = ckpt::tensors(
      {{"w", dtype::f32, {1 << 18}}, {"b", dtype::f32, {1 << 10}}, {"u", dtype::f32, {1 << 16}}});
};
using big_state = ckpt::state<megabytes, ckpt::adam>;

void paint(big_state& state, std::uint8_t colour) {
  for (std::size_t i = 0; i < 3; ++i) {
    std::memset(state.weight_bytes(i).data(), colour, state.weight_bytes(i).size());
    for (std::size_t s = 0; s < 2; ++s)
      std::memset(state.slot_bytes(s, i).data(), colour, state.slot_bytes(s, i).size());
  }
  state.training = {colour, colour};
}

/// Whether a state is of one colour throughout, and which.
int colour_of(const big_state& state) {
  const auto colour = static_cast<std::uint8_t>(state.weight_bytes(0)[0]);
  big_state painted;
  paint(painted, colour);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t s = 0; s < 3; ++s) {
      const auto found = s == 0 ? state.weight_bytes(i) : state.slot_bytes(s - 1, i);
      const auto wanted = s == 0 ? painted.weight_bytes(i) : painted.slot_bytes(s - 1, i);
      if (std::memcmp(found.data(), wanted.data(), found.size()) != 0) return -1;
    }
  return state.training == painted.training ? colour : -1;
}

}  // namespace

TEST_CASE("A1 a save that is killed leaves the old checkpoint or the new one, whole") {
  scratch directory;
  const std::string path = directory.at("a.ckpt");
  big_state old;
  paint(old, 1);
  REQUIRE(ckpt::save(path, old).ok());
  // Some of the kills must come behind a save, also on a slow host.
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(ckpt::save(path, old, {/*durable=*/false}).ok());
  const auto spent = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  const std::uint64_t longest =
      std::max<std::uint64_t>(20000, 4 * static_cast<std::uint64_t>(spent.count()));
  big_state fresh;
  paint(fresh, 2);
  const test::bytes images[] = {test::written<ckpt::onert>(old), test::written<ckpt::onert>(fresh)};
  test::random_numbers numbers(1);
  std::size_t replaced = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const pid_t child = ckpt_test::start_child([&] {
      for (;;)
        if (!ckpt::save(path, fresh, {/*durable=*/round % 8 == 0}).ok()) return 1;
    });
    ::usleep(static_cast<useconds_t>(numbers.below(longest)));
    ::kill(child, SIGKILL);
    REQUIRE(ckpt_test::wait_for(child) == -SIGKILL);
    big_state loaded;
    const auto report = ckpt::load(path, loaded);
    REQUIRE_MESSAGE(report.ok(), report.message());
    const int colour = colour_of(loaded);
    REQUIRE((colour == 1 || colour == 2));
    CHECK(test::read_file(path) == images[colour - 1]);
    if (colour == 2) ++replaced;
    CHECK(directory.names().size() <= 2);  // the checkpoint, and what one killed save left
    if (colour == 2) REQUIRE(ckpt::save(path, old, {/*durable=*/false}).ok());
  }
  CHECK(replaced > 0);
  REQUIRE(ckpt::save(path, old).ok());
  CHECK(directory.names() == std::vector<std::string>{"a.ckpt"});
}

TEST_CASE("A12 two writers and a reader at one name never meet a mix or a missing file") {
  scratch directory;
  const std::string path = directory.at("shared.ckpt");
  const std::vector<ckpt::tensor_spec> specs(1, ckpt::tensor_spec("w", dtype::u8, {2048}));
  const ckpt::model_view view{ckpt::span<const ckpt::tensor_spec>(specs), {}};
  const auto writer = [&](std::uint64_t seed) {
    return ckpt_test::start_child([&, seed] {
      test::owned_state<ckpt::dynamic_model, ckpt::sgd> state(view);
      state.fill(seed);
      for (int i = 0; i < 200; ++i)
        if (!ckpt::save(path, state.view, {/*durable=*/false}).ok()) return 1;
      return 0;
    });
  };
  test::owned_state<ckpt::dynamic_model, ckpt::sgd> images[2] = {
      test::owned_state<ckpt::dynamic_model, ckpt::sgd>(view),
      test::owned_state<ckpt::dynamic_model, ckpt::sgd>(view)};
  images[0].fill(1);
  images[1].fill(2);
  REQUIRE(ckpt::save(path, images[0].view).ok());
  const pid_t first = writer(1);
  const pid_t second = writer(2);
  std::size_t seen = 0;
  for (int i = 0; i < 400; ++i) {
    test::owned_state<ckpt::dynamic_model, ckpt::sgd> loaded(view);
    const auto report = ckpt::load(path, loaded.view);
    REQUIRE_MESSAGE(report.ok(), report.message());
    if (loaded.memory == images[0].memory || loaded.memory == images[1].memory) ++seen;
  }
  CHECK(ckpt_test::wait_for(first) == 0);
  CHECK(ckpt_test::wait_for(second) == 0);
  CHECK(seen == 400);
  CHECK(directory.names() == std::vector<std::string>{"shared.ckpt"});
}

TEST_CASE("A2 a full disk says no space, keeps the old checkpoint and gives its room back") {
  scratch directory;
  const std::string small = directory.at("small");
  std::filesystem::create_directory(small);
  if (::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=64k") != 0) {
    MESSAGE("SKIP: mounting a small file system needs rights that this user does not have");
    return;
  }
  const std::string path = small + "/a.ckpt";
  const auto sized = [](std::uint64_t bytes) {
    return std::vector<ckpt::tensor_spec>(1, ckpt::tensor_spec("w", dtype::u8, {bytes}));
  };
  const auto good_specs = sized(20 << 10);
  test::owned_state<ckpt::dynamic_model, ckpt::sgd> good(ckpt::model_view{good_specs, {}});
  good.fill(1);
  CHECK(ckpt::save(path, good.view).ok());
  const test::bytes before = test::read_file(path);
  const auto room = std::filesystem::space(small).available;
  const auto large_specs = sized(100 << 10);
  test::owned_state<ckpt::dynamic_model, ckpt::sgd> large(ckpt::model_view{large_specs, {}});
  const auto saved = ckpt::save(path, large.view);
  CHECK(saved.error().kind == errc::no_space);
  CHECK(test::mentions(saved.message(), "no space"));
  CHECK(test::mentions(saved.message(), path));
  CHECK(test::read_file(path) == before);
  CHECK(std::distance(std::filesystem::directory_iterator(small), {}) == 1);
  CHECK(std::filesystem::space(small).available == room);
  CHECK(::umount(small.c_str()) == 0);
}

TEST_CASE("E1 E2 sessions that resume neither repeat nor skip, and reloading moves nothing") {
  scratch directory;
  const std::string path = directory.at("loop.ckpt");
  const std::uint64_t batches = 3;
  std::vector<std::uint64_t> seen;
  for (std::uint64_t session = 0; session < 3; ++session) {
    ckpt::state<fixture::three, ckpt::adam> state;
    if (session > 0) REQUIRE(ckpt::load(path, state).ok());
    // The documented idiom: `step` counts what is done, so it is the number of the next batch.
    for (const std::uint64_t end = state.training.step + batches; state.training.step < end;
         ++state.training.step)
      seen.push_back(state.training.step);
    ++state.training.epoch;
    REQUIRE(ckpt::save(path, state).ok());
    CHECK(state.training.step == 3 * (session + 1));
  }
  for (std::uint64_t i = 0; i < 9; ++i) CHECK(seen[static_cast<std::size_t>(i)] == i);
  CHECK(seen.size() == 9);

  const test::bytes before = test::read_file(path);
  for (int round = 0; round < 10; ++round) {
    const int code = ckpt_test::in_child([&] {
      ckpt::state<fixture::three, ckpt::adam> state;
      return ckpt::load(path, state).ok() && ckpt::save(path, state).ok() ? 0 : 1;
    });
    CHECK(code == 0);
  }
  CHECK(test::read_file(path) == before);
}
