#include "ckpt/store/retention.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "ckpt/store/save_schedule.hpp"

using ckpt::checkpoint_entry;
using ckpt::manager_settings;
using ckpt::detail::save_schedule;
using ckpt::detail::surplus;
using serials = std::vector<std::uint64_t>;

namespace {

checkpoint_entry entry(std::uint64_t serial, std::uint64_t step, double loss) {
  checkpoint_entry made;
  made.serial = serial;
  made.step = step;
  static_cast<void>(made.arguments.set_real("loss", loss));
  return made;
}

const std::vector<checkpoint_entry> five = {entry(0, 100, 0.1), entry(1, 200, 0.5),
                                            entry(2, 300, 0.4), entry(3, 400, 0.6),
                                            entry(4, 500, 0.3)};

}  // namespace

TEST_CASE("the newest stay, by their serial and not by their step") {
  manager_settings settings;
  settings.max_to_keep = 3;
  CHECK(surplus(five, settings, {4}) == serials{0, 1});
  settings.max_to_keep = 5;
  CHECK(surplus(five, settings, {4}).empty());
  const std::vector<checkpoint_entry> reused = {entry(0, 500, 0), entry(1, 600, 0),
                                                entry(2, 700, 0), entry(3, 100, 0)};
  settings.max_to_keep = 1;
  CHECK(surplus(reused, settings, {3}) == serials{0, 1, 2});
}

TEST_CASE("F6 the best stays beside the last, and NaN is never the best") {
  manager_settings settings;
  settings.max_to_keep = 1;
  settings.best.metric = "loss";
  CHECK(surplus(five, settings, {4}) == serials{1, 2, 3});
  settings.best.order = ckpt::better::higher;
  CHECK(surplus(five, settings, {4}) == serials{0, 1, 2});
  settings.best.order = ckpt::better::lower;
  settings.best.count = 2;
  CHECK(surplus(five, settings, {4}) == serials{1, 2, 3});
  settings.best.count = 3;
  CHECK(surplus(five, settings, {4}) == serials{1, 3});

  const double nan = std::numeric_limits<double>::quiet_NaN();
  settings.best.count = 1;
  for (const auto order : {ckpt::better::lower, ckpt::better::higher}) {
    settings.best.order = order;
    CHECK(surplus({entry(0, 1, nan), entry(1, 2, 7.0), entry(2, 3, nan)}, settings, {2}) ==
          serials{0});
  }
  settings.best.metric = "accuracy";
  CHECK(surplus(five, settings, {4}) == serials{0, 1, 2, 3});
}

TEST_CASE("of equally good ones the older is the best, so that it does not wander") {
  manager_settings settings;
  settings.max_to_keep = 1;
  settings.best.metric = "loss";
  CHECK(surplus({entry(0, 1, 2.0), entry(1, 2, 2.0), entry(2, 3, 2.0)}, settings, {2}) ==
        serials{1});
}

TEST_CASE("the first of every so many steps stays for ever") {
  manager_settings settings;
  settings.max_to_keep = 1;
  settings.keep_every = 200;
  CHECK(surplus(five, settings, {4}) == serials{0, 2});
  // A run that begins anew has permanent ones of its own, and its beginning divides the two.
  CHECK(surplus({entry(0, 250, 0), entry(1, 50, 0), entry(2, 210, 0), entry(3, 220, 0),
                 entry(4, 230, 0)},
                settings, {4}) == serials{3});
}

TEST_CASE("what is needed stays whatever the settings say") {
  manager_settings settings;
  settings.max_to_keep = 1;
  CHECK(surplus(five, settings, {4, 1}) == serials{0, 2, 3});
}

TEST_CASE("what a keeper kept it keeps when the others are gone") {
  manager_settings settings;
  settings.max_to_keep = 2;
  settings.keep_every = 300;
  settings.best.metric = "loss";
  std::vector<checkpoint_entry> there;
  std::vector<bool> was_removed(200, false);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t step = 70 * (i % 90 + 1);  // a new run begins twice
    there.push_back(entry(i, step, static_cast<double>((i * 7919) % 101)));
    for (const std::uint64_t gone : surplus(there, settings, {i})) {
      was_removed[static_cast<std::size_t>(gone)] = true;
      for (std::size_t k = 0; k < there.size(); ++k)
        if (there[k].serial == gone) there.erase(there.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t now = 70 * (i % 90 + 1) / 300;
    if (now != last) CHECK_FALSE(was_removed[static_cast<std::size_t>(i)]);
    last = now;
  }
}

TEST_CASE("a checkpoint is due at multiples of the intervals, once for each step") {
  manager_settings settings;
  settings.step_interval = 10;
  settings.epoch_interval = 2;
  const save_schedule::time_point start{};
  save_schedule schedule(settings, start);
  CHECK_FALSE(schedule.is_due(0, 0, start));
  CHECK_FALSE(schedule.is_due(9, 0, start));
  CHECK(schedule.is_due(10, 0, start));
  CHECK_FALSE(schedule.is_due(10, 0, start));
  CHECK_FALSE(schedule.is_due(20, 1, start));
  CHECK(schedule.is_due(30, 2, start));
  schedule.note(40, start);  // loaded
  CHECK_FALSE(schedule.is_due(40, 2, start));
  CHECK(schedule.is_due(50, 2, start));
}

TEST_CASE("a checkpoint is also due when the time has come, whatever the step") {
  manager_settings settings;
  settings.step_interval = manager_settings::never;
  settings.time_interval = std::chrono::seconds(600);
  const save_schedule::time_point start{};
  save_schedule schedule(settings, start);
  CHECK_FALSE(schedule.is_due(7, 0, start + std::chrono::seconds(599)));
  CHECK(schedule.is_due(8, 0, start + std::chrono::seconds(600)));
  CHECK_FALSE(schedule.is_due(9, 0, start + std::chrono::seconds(601)));
  CHECK(schedule.is_due(10, 0, start + std::chrono::seconds(1200)));
}

TEST_CASE("F5 settings that make no sense are refused with the name of the setting") {
  using ckpt::detail::settings_fault;
  manager_settings good;
  good.directory = "runs";
  CHECK(settings_fault(good).empty());
  const auto fault = [&](auto change) {
    manager_settings settings = good;
    change(settings);
    return settings_fault(settings);
  };
  CHECK(fault([](auto& s) { s.directory = ""; }).find("directory") == 0);
  CHECK(fault([](auto& s) { s.max_to_keep = 0; }).find("max_to_keep") == 0);
  CHECK(fault([](auto& s) { s.epoch_interval = 0; }).find("epoch_interval") == 0);
  CHECK(fault([](auto& s) { s.step_interval = 0; }).find("step_interval") == 0);
  CHECK(fault([](auto& s) { s.time_interval = std::chrono::seconds(-1); }).find("time_interval") ==
        0);
  CHECK(fault([](auto& s) { s.trainer_count = 0; }).find("trainer_count") == 0);
  CHECK(fault([](auto& s) {
          s.trainer_timeout = std::chrono::seconds(-1);
        }).find("trainer_timeout") == 0);
  CHECK(fault([](auto& s) {
          s.best.metric = "loss";
          s.best.count = 0;
        }).find("best.count") == 0);
}
