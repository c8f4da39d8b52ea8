// When to save and what to keep, through a real manager; retention_test.cpp has the rules alone.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "sample.hpp"

using namespace ckpt_test;
using serials = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

ckpt::trainer_arguments with_loss(double loss) {
  ckpt::trainer_arguments arguments;
  REQUIRE(arguments.set_real("loss", loss).ok());
  return arguments;
}

/// Saves once for each loss, with steps that go on.
template <class Manager>
void save_losses(Manager& manager, const std::vector<double>& losses, std::uint64_t first = 1) {
  for (const double loss : losses) {
    const auto saved = manager.save(state_of(first++), with_loss(loss));
    REQUIRE_MESSAGE(saved.ok(), saved.message());
    CHECK(saved->not_removed.empty());
  }
}

template <class Manager>
void save_at_steps(Manager& manager, const serials& steps) {
  for (const std::uint64_t step : steps) REQUIRE(manager.save(state_of(step)).ok());
}

ckpt::manager_settings keeping_best(const std::string& directory, std::size_t count,
                                    ckpt::better order = ckpt::better::lower) {
  auto settings = keeping(directory, 1);
  settings.best = {"loss", order, count};
  return settings;
}

}  // namespace

TEST_CASE("F6 at each save the best and the one just written are there, whatever the metrics do") {
  for (const auto order : {ckpt::better::lower, ckpt::better::higher}) {
    const scratch here;
    auto manager = small_manager::open(keeping_best(here.at("run"), 1, order)).or_throw();
    const std::vector<double> losses = {5, 3, 7, not_a_number, 3, 1, 9, 9, -2, not_a_number, 0};
    std::uint64_t best = 0;
    for (std::uint64_t serial = 0; serial < losses.size(); ++serial) {
      CAPTURE(serial);
      const double loss = losses[static_cast<std::size_t>(serial)];
      const double so_far = losses[static_cast<std::size_t>(best)];
      if (order == ckpt::better::lower ? loss < so_far : loss > so_far) best = serial;
      save_losses(manager, {loss}, serial + 1);
      CHECK(serials_in(manager) == (best == serial ? serials{best} : serials{best, serial}));
    }
  }
}

TEST_CASE("several best stay, and a better one pushes out the worst of them") {
  const scratch here;
  auto manager = small_manager::open(keeping_best(here.at("run"), 2)).or_throw();
  save_losses(manager, {4, 3, 9, 8});
  CHECK(serials_in(manager) == serials{0, 1, 3});
  save_losses(manager, {2}, 5);
  CHECK(serials_in(manager) == serials{1, 4});
  save_losses(manager, {5}, 6);
  CHECK(serials_in(manager) == serials{1, 4, 5});
}

TEST_CASE("NaN and a missing metric are never the best") {
  const scratch here;
  auto manager = small_manager::open(keeping_best(here.at("run"), 1)).or_throw();
  save_losses(manager, {not_a_number, 7, not_a_number});
  CHECK(serials_in(manager) == serials{1, 2});
  REQUIRE(manager.save(state_of(4)).ok());
  ckpt::trainer_arguments wordy;
  REQUIRE(wordy.set_text("loss", "low").ok());
  REQUIRE(manager.save(state_of(5), wordy).ok());
  CHECK(serials_in(manager) == serials{1, 4});
}

TEST_CASE("a manager that opens the directory again knows which was the best") {
  const scratch here;
  {
    auto manager = small_manager::open(keeping_best(here.at("run"), 1)).or_throw();
    save_losses(manager, {1, 2});
  }
  auto manager = small_manager::open(keeping_best(here.at("run"), 1)).or_throw();
  save_losses(manager, {4, 3}, 3);
  CHECK(serials_in(manager) == serials{0, 3});
}

TEST_CASE("the best of saves in the background stays, too") {
  const scratch here;
  auto manager = small_manager::open(keeping_best(here.at("run"), 1)).or_throw();
  {
    auto saver = manager.asynchronous();
    std::uint64_t step = 0;
    for (const double loss : {0.1, 0.5, 0.4, 0.6, 0.3})
      REQUIRE(saver.save(state_of(++step), with_loss(loss)).ok());
    REQUIRE(saver.wait().ok());
  }
  CHECK(serials_in(manager) == serials{0, 4});
}

TEST_CASE("a best one that is broken protects nothing: it is not counted and not removed") {
  const scratch here;
  auto manager = small_manager::open(keeping_best(here.at("run"), 1)).or_throw();
  save_losses(manager, {1, 2});
  fs::resize_file(here.at("run/checkpoint_0/model.ckpt"), 10);
  save_losses(manager, {4, 3}, 3);
  CHECK(serials_in(manager) == serials{1, 3});
  CHECK(fs::file_size(here.at("run/checkpoint_0/model.ckpt")) == 10);
}

TEST_CASE("the first checkpoint of every so many steps stays for ever") {
  const scratch here;
  auto settings = keeping(here.at("run"), 2);
  settings.keep_every = 100;
  auto manager = small_manager::open(settings).or_throw();
  save_at_steps(manager, {40, 80, 120, 160, 200, 240, 280, 320});
  CHECK(serials_in(manager) == serials{2, 4, 6, 7});  // 120, 200; 280, 320
  save_at_steps(manager, {360, 400, 440, 480});
  CHECK(serials_in(manager) == serials{2, 4, 7, 9, 10, 11});  // 120, 200, 320, 400; 440, 480
}

TEST_CASE("permanent ones stay when the directory is opened again, and beside the best") {
  const scratch here;
  auto settings = keeping_best(here.at("run"), 1);
  settings.keep_every = 3;
  {
    auto manager = small_manager::open(settings).or_throw();
    save_losses(manager, {9, 1, 8, 7});  // steps 1 to 4
    CHECK(serials_in(manager) == serials{1, 2, 3});
  }
  auto manager = small_manager::open(settings).or_throw();
  save_losses(manager, {6, 5, 4, 3}, 5);  // steps 5 to 8
  CHECK(serials_in(manager) == serials{1, 2, 5, 7});
}

TEST_CASE("a checkpoint is due when the time has come, counted from the last one of any kind") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  settings.step_interval = ckpt::manager_settings::never;
  settings.time_interval = std::chrono::seconds(600);
  const auto opened = small_manager::clock::now();
  auto manager = small_manager::open(settings).or_throw();
  const auto after = [&](int seconds) { return opened + std::chrono::seconds(seconds); };
  CHECK_FALSE(manager.should_save(1000, 0, after(599)));
  CHECK(manager.should_save(1001, 0, after(601)));
  CHECK_FALSE(manager.should_save(1001, 0, after(5000)));  // once for a step
  CHECK(manager.should_save(1002, 0, after(5000)));
  CHECK_FALSE(manager.should_save(1003, 0, after(5599)));
}

TEST_CASE("time that really passes makes a checkpoint due") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  settings.step_interval = ckpt::manager_settings::never;
  settings.time_interval = std::chrono::hours(1);
  auto patient = small_manager::open(settings).or_throw();
  CHECK_FALSE(patient.should_save(5, 0));
  settings.directory = here.at("other");
  settings.time_interval = std::chrono::nanoseconds(1);
  auto impatient = small_manager::open(settings).or_throw();
  const auto start = small_manager::clock::now();
  while (small_manager::clock::now() - start < std::chrono::microseconds(10)) {
  }
  CHECK(impatient.should_save(5, 0));
}

TEST_CASE("an interval that never comes makes no step due, nor does a step that was loaded") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  settings.step_interval = ckpt::manager_settings::never;
  auto manager = small_manager::open(settings).or_throw();
  for (std::uint64_t step = 0; step < 2000; ++step) CHECK_FALSE(manager.should_save(step, 0));
  settings.directory = here.at("other");
  settings.step_interval = 1;
  auto other = small_manager::open(settings).or_throw();
  REQUIRE(other.save(state_of(7)).ok());
  small_state state;
  REQUIRE(other.load_latest(state).ok());
  CHECK_FALSE(other.should_save(7, 0));
  CHECK(other.should_save(8, 0));
  REQUIRE(other.rollback(state).ok());
  CHECK_FALSE(other.should_save(7, 0));
  CHECK(other.should_save(8, 0));
}
