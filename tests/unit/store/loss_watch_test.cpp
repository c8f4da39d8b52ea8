#include "ckpt/store/loss_watch.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace {

using ckpt::errc;
using ckpt::loss_settings;
using ckpt::loss_verdict;
using ckpt::loss_watch;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

loss_watch watch_of(std::uint32_t rises, std::uint32_t roll_backs = 3) {
  return loss_watch(loss_settings{rises, roll_backs});
}

/// The verdict on the last of some reports; all before it must say to go on.
loss_verdict last_of(loss_watch& watch, std::initializer_list<double> losses) {
  loss_verdict last = loss_verdict::go_on;
  for (const double loss : losses) {
    CHECK(last == loss_verdict::go_on);
    last = watch.report(loss);
  }
  return last;
}

/// Reports a first loss and `count` rises.
loss_verdict rise(loss_watch& watch, std::uint32_t count) {
  loss_verdict last = watch.report(0.0);
  for (std::uint32_t i = 1; i <= count; ++i) {
    CHECK(last == loss_verdict::go_on);
    last = watch.report(i);
  }
  return last;
}

/// A loss that falls, and the save that follows.
void recover(loss_watch& watch) {
  CHECK(last_of(watch, {2.0, 1.0}) == loss_verdict::go_on);
  watch.progressed();
}

}  // namespace

TEST_CASE("a loss that falls, stays or swings goes on for ever") {
  loss_watch watch = watch_of(2);
  for (int i = 0; i < 1000; ++i) CHECK(watch.report(1000.0 - i) == loss_verdict::go_on);
  for (int i = 0; i < 1000; ++i) CHECK(watch.report(1.0) == loss_verdict::go_on);
  for (int i = 0; i < 1000; ++i) CHECK(watch.report(i % 2) == loss_verdict::go_on);
}

TEST_CASE("so many rises in a row roll back, one fewer does not") {
  for (const std::uint32_t rises : {1U, 2U, 3U, 30U}) {
    CAPTURE(rises);
    loss_watch short_of = watch_of(rises);
    CHECK(rise(short_of, rises - 1) == loss_verdict::go_on);
    loss_watch watch = watch_of(rises);
    CHECK(rise(watch, rises) == loss_verdict::roll_back);
  }
}

TEST_CASE("thirty rises roll back unless it is set otherwise") {
  loss_watch watch;
  CHECK(rise(watch, 30) == loss_verdict::roll_back);
}

TEST_CASE("a report that is not above the last begins the count anew") {
  loss_watch watch = watch_of(3);
  CHECK(last_of(watch, {1, 2, 3, 2.5, 3, 4, 4, 5, 6}) == loss_verdict::go_on);  // equal is no rise
  CHECK(watch.report(7) == loss_verdict::roll_back);
}

TEST_CASE("what is compared is the last report, not the best") {
  loss_watch watch = watch_of(2);
  CHECK(last_of(watch, {9, 1, 8, 2, 7, 3, 6}) == loss_verdict::go_on);
  CHECK(watch.report(6.5) == loss_verdict::roll_back);
}

TEST_CASE("losses below zero and the smallest of differences count as they are") {
  loss_watch watch = watch_of(2);
  const double above = -1.0 + std::numeric_limits<double>::epsilon();
  CHECK(last_of(watch, {-1.0, above, -0.5}) == loss_verdict::roll_back);
  CHECK(last_of(watch, {-0.0, 0.0, 0.0}) == loss_verdict::go_on);
  CHECK(last_of(watch, {std::numeric_limits<double>::lowest(), -1.0}) == loss_verdict::go_on);
}

TEST_CASE("a loss that is no finite number rolls back at once") {
  for (const double loss : {not_a_number, -not_a_number, infinite, -infinite,
                            std::numeric_limits<double>::signaling_NaN()}) {
    loss_watch first;
    CHECK(first.report(loss) == loss_verdict::roll_back);
    loss_watch later;
    CHECK(last_of(later, {3.0, 2.0, 1.0, loss}) == loss_verdict::roll_back);
  }
  loss_watch watch;
  const float narrow = std::numeric_limits<float>::quiet_NaN();
  CHECK(watch.report(static_cast<double>(narrow)) == loss_verdict::roll_back);
  CHECK(watch.report(std::numeric_limits<double>::max()) == loss_verdict::go_on);
}

TEST_CASE("after a roll back nothing is compared with what was before it") {
  loss_watch watch = watch_of(1);
  CHECK(last_of(watch, {1.0, not_a_number}) == loss_verdict::roll_back);
  CHECK(watch.report(5.0) == loss_verdict::go_on);  // though it is above 1
}

TEST_CASE("each roll back without progress doubles the rises that the next one takes") {
  loss_watch watch = watch_of(3, 10);
  for (const std::uint32_t needed : {3U, 6U, 12U, 24U}) {
    CAPTURE(needed);
    CHECK(watch.rises_needed() == needed);
    CHECK(rise(watch, needed) == loss_verdict::roll_back);
  }
}

TEST_CASE("after so many roll backs without progress it gives up") {
  for (const std::uint32_t most : {0U, 1U, 3U}) {
    CAPTURE(most);
    loss_watch watch = watch_of(30, most);
    for (std::uint32_t i = 0; i < most; ++i)
      CHECK(watch.report(not_a_number) == loss_verdict::roll_back);
    CHECK(watch.report(not_a_number) == loss_verdict::give_up);
    CHECK(watch.report(not_a_number) == loss_verdict::give_up);  // and says no other
  }
}

TEST_CASE("rises give up just as well") {
  loss_watch watch = watch_of(2, 2);
  CHECK(rise(watch, 2) == loss_verdict::roll_back);
  CHECK(rise(watch, 4) == loss_verdict::roll_back);
  CHECK(rise(watch, 8) == loss_verdict::give_up);
}

TEST_CASE("progress brings the setting and all roll backs again") {
  loss_watch watch = watch_of(2, 2);
  for (int round = 0; round < 10; ++round) {
    CAPTURE(round);
    CHECK(rise(watch, 2) == loss_verdict::roll_back);
    CHECK(watch.report(not_a_number) == loss_verdict::roll_back);
    CHECK(watch.roll_backs() == 2);
    recover(watch);
    CHECK(watch.roll_backs() == 0);
    CHECK(watch.rises_needed() == 2);
  }
}

TEST_CASE("a checkpoint that is saved while the loss rises, or before any sign, is no progress") {
  loss_watch watch = watch_of(2, 3);
  recover(watch);
  CHECK(watch.report(not_a_number) == loss_verdict::roll_back);
  watch.progressed();
  CHECK(watch.roll_backs() == 1);
  CHECK(watch.report(1.0) == loss_verdict::go_on);  // compared with nothing
  watch.progressed();
  CHECK(watch.roll_backs() == 1);
  CHECK_FALSE(watch.is_healthy());
  CHECK(watch.report(1.5) == loss_verdict::go_on);
  watch.progressed();
  CHECK(watch.roll_backs() == 1);
  CHECK(watch.report(1.5) == loss_verdict::go_on);
  CHECK(watch.is_healthy());
  watch.progressed();
  CHECK(watch.roll_backs() == 0);
}

TEST_CASE("a run that saves after every step and diverges again and again comes to an end") {
  loss_watch watch = watch_of(5);
  std::uint32_t roll_backs = 0;
  for (int step = 0; step < 10000; ++step) {
    const loss_verdict said = watch.report(step);
    if (said == loss_verdict::give_up) break;
    if (said == loss_verdict::roll_back) ++roll_backs;
    if (said == loss_verdict::go_on) watch.progressed();
  }
  CHECK(roll_backs == 3);
}

TEST_CASE("no count ever wraps") {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  loss_watch watch = watch_of(1, most);
  for (int i = 0; i < 100; ++i) CHECK(watch.report(not_a_number) == loss_verdict::roll_back);
  CHECK(watch.rises_needed() == most);
  CHECK(rise(watch, 1000) == loss_verdict::go_on);
  loss_watch patient = watch_of(most, 3);
  CHECK(patient.report(not_a_number) == loss_verdict::roll_back);
  CHECK(patient.rises_needed() == most);
}

TEST_CASE("settings that would roll back without a rise are refused") {
  CHECK(loss_settings{}.check().ok());
  CHECK(loss_settings{1, 0}.check().ok());
  CHECK(loss_settings{0, 3}.check().kind == errc::invalid_settings);
  loss_watch watch = watch_of(0);  // not looked at: as if it were 1
  CHECK(last_of(watch, {2.0, 1.0, 1.0, 1.5}) == loss_verdict::roll_back);
}

TEST_CASE("a watch works before the program runs") {
  constexpr auto verdict = [] {
    loss_watch watch(loss_settings{1, 1});
    return watch.rises_needed();
  }();
  static_assert(verdict == 1);
}
