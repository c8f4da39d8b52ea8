// Cases of kind Y: saves in the background, through the manager.
#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

#include "cases.hpp"
#include "name_watching_native.hpp"
#include "scaled_native.hpp"

using ckpt::errc;
using namespace ckpt_test;

namespace {

using counted_manager = ckpt::basic_checkpoint_manager<scaled_native<>, small, ckpt::adam>;
using watched_manager = ckpt::basic_checkpoint_manager<name_watching_native, small, ckpt::adam>;

/// A manager whose saves begin slowly, the first of all slowest.
ckpt::manager_settings slow_at_first(const std::string& directory) {
  auto settings = keeping(directory, 9);
  settings.announce = [](std::uint64_t serial) {
    std::this_thread::sleep_for(std::chrono::milliseconds(serial == 0 ? 50 : 1));
  };
  return settings;
}

}  // namespace

TEST_CASE("Y1 the checkpoint holds the state as it was at the call, however slow the writer") {
  const scratch here;
  auto manager = small_manager::open(slow_at_first(here.at("run"))).or_throw();
  auto saver = manager.asynchronous();
  small_state state;
  fill(state, 1);
  REQUIRE(saver.save(state).ok());
  fill(state, 99, 9);
  CHECK(latest_step(here.at("run")) == -1);  // it is still being written
  REQUIRE(saver.wait().ok());
  REQUIRE(manager.load_latest(state).ok());
  CHECK(is_of(state, 1));
}

TEST_CASE("Y3 of a slow and a quick save both load, and the latest is that of the later call") {
  const scratch here;
  auto manager = small_manager::open(slow_at_first(here.at("run"))).or_throw();
  auto saver = manager.asynchronous();
  REQUIRE(saver.save(state_of(1)).ok());
  REQUIRE(saver.save(state_of(2)).ok());
  REQUIRE(saver.wait().ok());
  small_state loaded;
  for (const std::uint64_t serial : {0U, 1U}) {
    REQUIRE(manager.load(serial, loaded).ok());
    CHECK(is_of(loaded, serial + 1));
  }
  CHECK(latest_step(here.at("run")) == 2);
}

TEST_CASE("Y4 no space in the background is reported once, and the older one is the latest") {
  const scratch here;
  const std::string run = here.at("run");
  auto manager = counted_manager::open(keeping(run, 1)).or_throw();
  save_each(manager, {10});
  auto saver = manager.asynchronous();
  reset();
  now.fail_kind = call::write;
  now.fail_at = 1;
  now.fail_error = ENOSPC;
  REQUIRE(saver.save(state_of(20)).ok());
  const auto failed = saver.wait();
  CHECK(failed.error().kind == errc::no_space);
  CHECK(failed.message().find(run) != std::string::npos);
  CHECK(saver.wait().ok());
  CHECK(saver.poll().ok());
  CHECK(steps_in(run) == counters{10});
  CHECK(working_names(run).empty());
  REQUIRE(saver.save(state_of(30)).ok());
  REQUIRE(saver.wait().ok());
  CHECK(steps_in(run) == counters{30});
}

TEST_CASE("Y4 a program that ends right after a save in the background has finished it") {
  const scratch here;
  const int code = in_child([&] {
    auto manager = small_manager::open(slow_at_first(here.at("run"))).or_throw();
    auto saver = manager.asynchronous();
    return saver.save(state_of(5)).ok() ? 7 : 1;
  });
  CHECK(code == 7);
  CHECK(steps_in(here.at("run")) == counters{5});
  CHECK(working_names(here.at("run")).empty());
}

TEST_CASE("Y4 a program that ends without destructors leaves the last save whole or not at all") {
  const scratch here;
  const std::string run = here.at("run");
  { save_each(*quick_manager::open(keeping(run, 3)), {1}); }
  for (int wait = 0; wait < 20; ++wait) {
    const int code = in_child([&] {
      auto manager = small_manager::open(keeping(run, 3)).or_throw();
      auto saver = manager.asynchronous();
      if (!saver.save(state_of(5)).ok()) return 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(wait));
      ::_exit(7);
    });
    CHECK(code == 7);
    small_state loaded;
    const auto found = reader_of(run).load_latest(loaded);
    REQUIRE_MESSAGE(found.ok(), found.message());
    CHECK(found->skipped.empty());
    CHECK((is_of(loaded, 1) || is_of(loaded, 5)));
  }
}

TEST_CASE("Y5 a save in the background that is killed at any name leaves the one before") {
  std::size_t kept = 0;
  std::size_t published = 0;
  for (std::size_t name = 0;; ++name) {
    CAPTURE(name);
    const scratch here;
    const std::string run = here.at("run");
    { save_each(*quick_manager::open(keeping(run, 1)), {10}); }
    const int ended = in_child([&] {
      std::size_t left = name;
      auto manager = watched_manager::open(keeping(run, 1)).or_throw();
      auto saver = manager.asynchronous();
      watch_names([&](const name_call&) {
        if (left-- == 0) kill_itself();
      });
      return saver.save(state_of(20)).ok() && saver.wait().ok() ? 0 : 1;
    });
    if (ended == 0) break;
    REQUIRE(ended == -SIGKILL);
    const bool is_new = std::filesystem::exists(run + "/checkpoint_1");
    const int resumed = in_child([&] {
      auto manager = small_manager::open(keeping(run, 1)).or_throw();
      small_state loaded;
      const auto found = manager.load_latest(loaded);
      return found.ok() && is_of(loaded, is_new ? 20 : 10) ? 0 : 1;
    });
    CHECK(resumed == 0);
    ++(is_new ? published : kept);
  }
  CHECK(kept >= 6);
  CHECK(published >= 6);
}
