// Cases of kind E: step, epoch and learning rate after a resume through the manager.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cases.hpp"

using ckpt::errc;
using namespace ckpt_test;
namespace fs = std::filesystem;

namespace {

/// The loop of the manager's documentation, three batches long. Gives the batches that it drew.
counters run_session(const std::string& run) {
  auto manager = small_manager::open(keeping(run, 3)).or_throw();
  small_state state;
  auto found = manager.load_latest(state);
  if (!found.ok() && found.error().kind != errc::no_checkpoint) found.or_throw();
  counters drawn;
  const std::uint64_t end = state.training.step + 3;
  while (state.training.step < end) {
    drawn.push_back(state.training.step);  // the number of the batch
    ++state.training.step;
  }
  ++state.training.epoch;
  manager.save(state).or_throw();
  return drawn;
}

}  // namespace

TEST_CASE("E1 three sessions of three batches repeat none and skip none") {
  const scratch here;
  counters drawn;
  for (std::uint64_t session = 1; session <= 3; ++session) {
    const counters now_drawn = run_session(here.at("run"));
    drawn.insert(drawn.end(), now_drawn.begin(), now_drawn.end());
    const auto latest = reader_of(here.at("run")).latest().or_throw();
    CHECK(latest.entry.step == 3 * session);  // what is done, not what is next
    CHECK(latest.entry.epoch == session);
  }
  CHECK(drawn == counters{0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(steps_in(here.at("run")) == counters{3, 6, 9});
}

TEST_CASE("E2 loading and saving in ten processes moves no counter and no byte") {
  const scratch here;
  const std::string run = here.at("run");
  ckpt::trainer_arguments own;
  REQUIRE(own.set_real("rate", 0.1).ok());
  { REQUIRE(small_manager::open(keeping(run, 1))->save(state_of(41, 3), own).ok()); }
  const std::string first = run + "/checkpoint_0/";
  const bytes parts[] = {get(first + "model.ckpt"), get(first + "trainer_0"),
                         get(first + "_SUCCESS")};
  for (int round = 0; round < 10; ++round) {
    const int code = in_child([&] {
      auto manager = small_manager::open(keeping(run, 1)).or_throw();
      small_state state;
      const auto found = manager.load_latest(state);
      if (!found.ok() || state.training.step != 41 || state.training.epoch != 3) return 1;
      return manager.save(state, found->entry.arguments).ok() ? 0 : 2;
    });
    CHECK(code == 0);
  }
  const auto latest = reader_of(run).latest().or_throw();
  CHECK(latest.entry.serial == 10);
  CHECK(latest.entry.step == 41);
  CHECK(latest.entry.epoch == 3);
  CHECK(get(run + "/checkpoint_10/model.ckpt") == parts[0]);
  CHECK(get(run + "/checkpoint_10/trainer_0") == parts[1]);
  CHECK(get(run + "/checkpoint_10/_SUCCESS") == parts[2]);
}

namespace {

/// Ten steps of warming up, then half a cosine down to nothing.
struct schedule {
  double highest = 0;
  std::int64_t warm_up = 0;
  std::int64_t total = 0;

  [[nodiscard]] double rate(std::uint64_t step) const {
    const auto done = static_cast<double>(step);
    const auto warm = static_cast<double>(warm_up);
    if (done < warm) return highest * done / warm;
    const double pi = std::acos(-1.0);
    return highest / 2 * (1 + std::cos(pi * (done - warm) / (static_cast<double>(total) - warm)));
  }
};

void train_until_cut(const std::string& run, const schedule& planned) {
  auto manager = small_manager::open(keeping(run, 3)).or_throw();
  ckpt::trainer_arguments own;
  REQUIRE(own.set_real("highest", planned.highest).ok());
  REQUIRE(own.set_integer("warm_up", planned.warm_up).ok());
  REQUIRE(own.set_integer("total", planned.total).ok());
  for (const std::uint64_t step : {15U, 30U, 45U}) REQUIRE(manager.save(state_of(step), own).ok());
}

}  // namespace

TEST_CASE("E3 a schedule made from what the checkpoint gives back equals the uninterrupted one") {
  const scratch here;
  const schedule planned{0.1 / 3, 10, 100};
  train_until_cut(here.at("run"), planned);

  small_state state;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  const auto found = manager.load_latest(state).or_throw();
  const ckpt::trainer_arguments& own = found.entry.arguments;
  const schedule resumed{*own.real("highest"), *own.integer("warm_up"), *own.integer("total")};
  CHECK(state.training.step == 45);
  std::uint64_t compared = 0;
  while (state.training.step < 100) {
    ++state.training.step;
    CHECK(resumed.rate(state.training.step) == planned.rate(45 + ++compared));
  }
  CHECK(compared == 55);
  CHECK(planned.rate(46) != planned.rate(1));  // so this test can fail
  CHECK(planned.rate(100) == 0);
}

TEST_CASE("E5 counters of 32 bits come back through the manager, and the next one is refused") {
  const scratch here;
  const std::string run = here.at("run");
  constexpr std::uint64_t beyond = std::uint64_t{1} << 32;
  auto manager = quick_manager::open(keeping(run, 1)).or_throw();
  small_state loaded;
  for (const std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{1}, (beyond >> 1) - 1, beyond >> 1, beyond - 1}) {
    CAPTURE(count);
    REQUIRE(manager.save(state_of(count, beyond - 1 - count)).ok());
    const auto found = manager.load_latest(loaded);
    REQUIRE_MESSAGE(found.ok(), found.message());
    CHECK(is_of(loaded, count, beyond - 1 - count));
    CHECK(found->entry.step == count);
    CHECK(found->entry.epoch == beyond - 1 - count);
  }
  const auto before = tree_of(run);
  CHECK(manager.save(state_of(beyond, 0)).error().kind == errc::counter_out_of_range);
  CHECK(manager.save(state_of(0, beyond)).error().kind == errc::counter_out_of_range);
  CHECK(tree_of(run) == before);
}

TEST_CASE("E5 with v2 the manager counts to 2^64 - 1") {
  using v2_manager = ckpt::checkpoint_manager<small, ckpt::adam, ckpt::v2>;
  const scratch here;
  auto manager = v2_manager::open(keeping(here.at("run"), 1)).or_throw();
  constexpr std::uint64_t most = ckpt::manager_settings::never;
  REQUIRE(manager.save(state_of(most, std::uint64_t{1} << 32)).ok());
  small_state loaded;
  REQUIRE(manager.load_latest(loaded).ok());
  CHECK(is_of(loaded, most, std::uint64_t{1} << 32));
}

TEST_CASE("E7 nothing there begins anew; nothing readable is an error, and history stays") {
  const scratch here;
  small_state state;
  fill(state, 5);
  fs::create_directory(here.at("empty"));
  auto fresh = small_manager::open(keeping(here.at("empty"), 1)).or_throw();
  CHECK(fresh.load_latest(state).error().kind == errc::no_checkpoint);

  const std::string run = here.at("run");
  { save_each(*small_manager::open(keeping(run, 2)), {1, 2}); }
  put(run + "/checkpoint_0/model.ckpt", bytes(10));
  fs::remove(run + "/checkpoint_1/_SUCCESS");
  const auto before = tree_of(run);
  auto manager = small_manager::open(keeping(run, 1)).or_throw();
  const auto none = manager.load_latest(state);
  CHECK(none.error().kind == errc::no_good_checkpoint);
  for (const char* part :
       {"checkpoint_0/model.ckpt", "truncated", "checkpoint_1/_SUCCESS", "is missing"})
    CHECK(none.message().find(part) != std::string::npos);
  CHECK(is_of(state, 5));
  CHECK(tree_of(run) == before);

  REQUIRE(manager.save(state).ok());  // a trainer that goes on all the same overwrites nothing
  for (const auto& [name, content] : before) CHECK(get(name) == content);
}
