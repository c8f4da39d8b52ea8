#include "ckpt/store/stop_signals.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <type_traits>
#include <utility>
#include <vector>

#include "scratch.hpp"

namespace {

using namespace ckpt_test;
using ckpt::errc;
using ckpt::stop_signals;

static_assert(!std::is_copy_constructible_v<stop_signals>);

/// Gives the signals the handlers that a program begins with, instead of those of the tests.
void begin_as_a_program() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_DFL);
}

/// Runs `body(signals)` in a child that watches.
template <class Body>
pid_t start_watching(Body body) {
  return start_child([&] {
    begin_as_a_program();
    auto signals = stop_signals::watch();
    return signals.ok() ? body(*signals) : 99;
  });
}

/// A trainer as it should be: looks once a step, and ends by convention.
int train(const stop_signals& signals, int ready) {
  if (::write(ready, "x", 1) != 1) return 98;
  while (!signals.stop_requested()) ::usleep(100);
  return 128 + signals.signal_number();
}

/// Starts a trainer, waits until it watches, calls `send(child)`, and gives how it ended.
template <class Send>
int after(Send send) {
  int ready[2] = {};
  REQUIRE(::pipe(ready) == 0);
  const pid_t child =
      start_watching([&](const stop_signals& signals) { return train(signals, ready[1]); });
  ::close(ready[1]);
  char said = 0;
  CHECK(::read(ready[0], &said, 1) == 1);
  ::close(ready[0]);
  send(child);
  return wait_for(child);
}

/// Longer than a request to stop counts as the same one.
void let_repeats_pass() {
  const auto since = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - since < std::chrono::milliseconds(2100))
    ::usleep(10000);
}

std::atomic<int> last_heard{0};
void hear(int number) {
  last_heard = number;
}

}  // namespace

TEST_CASE("nothing is requested before a signal arrives") {
  const auto signals = stop_signals::watch();
  REQUIRE(signals.ok());
  CHECK_FALSE(signals->stop_requested());
  CHECK_FALSE(signals->take_save_request());
  CHECK(signals->signal_number() == 0);
}

TEST_CASE("each signal to stop requests that, and is known by its number") {
  for (const int number : {SIGINT, SIGTERM}) {
    const auto signals = stop_signals::watch();
    REQUIRE(signals.ok());
    CHECK_FALSE(signals->stop_requested());
    REQUIRE(std::raise(number) == 0);
    CHECK(signals->stop_requested());
    CHECK(signals->stop_requested());
    CHECK(signals->signal_number() == number);
    CHECK_FALSE(signals->take_save_request());
  }
}

TEST_CASE("the first of several signals counts, and repeats within a second are the same request") {
  const auto signals = stop_signals::watch();
  REQUIRE(signals.ok());
  for (const int number : {SIGTERM, SIGTERM, SIGINT, SIGTERM}) REQUIRE(std::raise(number) == 0);
  CHECK(signals->signal_number() == SIGTERM);
}

TEST_CASE("a request to save is taken once, and stops nothing however often it comes") {
  const auto signals = stop_signals::watch();
  REQUIRE(signals.ok());
  for (int i = 0; i < 3; ++i) {
    for (int repeats = 0; repeats <= i; ++repeats) REQUIRE(std::raise(SIGHUP) == 0);
    CHECK(signals->take_save_request());
    CHECK_FALSE(signals->take_save_request());
  }
  CHECK_FALSE(signals->stop_requested());
}

TEST_CASE("any part of the program can ask, also after the end of the watch") {
  {
    const auto signals = stop_signals::watch();
    REQUIRE(signals.ok());
    REQUIRE(std::raise(SIGTERM) == 0);
  }
  CHECK(stop_signals::stop_requested());
  CHECK(stop_signals::signal_number() == SIGTERM);
  const auto again = stop_signals::watch();
  REQUIRE(again.ok());
  CHECK_FALSE(stop_signals::stop_requested());
}

TEST_CASE("one object watches at a time") {
  {
    auto first = stop_signals::watch();
    REQUIRE(first.ok());
    CHECK(stop_signals::watch().error().kind == errc::busy);
    REQUIRE(std::raise(SIGHUP) == 0);  // the refused one has changed nothing
    CHECK(first->take_save_request());
    const stop_signals moved(std::move(*first));
    CHECK(stop_signals::watch().error().kind == errc::busy);
    REQUIRE(std::raise(SIGHUP) == 0);
    CHECK(moved.take_save_request());
  }
  CHECK(stop_signals::watch().ok());
}

TEST_CASE("the former handlers come back") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(number);
    const auto before = std::signal(number, &hear);
    last_heard = 0;
    {
      const auto signals = stop_signals::watch();
      REQUIRE(signals.ok());
      REQUIRE(std::raise(number) == 0);
      CHECK(last_heard == 0);
    }
    REQUIRE(std::raise(number) == 0);
    CHECK(last_heard == number);
    std::signal(number, before);
    CHECK(in_child([&] {
            begin_as_a_program();
            if (!stop_signals::watch().ok()) return 1;
            return std::raise(number);
          }) == -number);
  }
}

TEST_CASE("what was ignored before stays ignored, as nohup wants it") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(number);
    CHECK(in_child([&] {
            begin_as_a_program();
            std::signal(number, SIG_IGN);
            {
              const auto signals = stop_signals::watch();
              if (!signals.ok() || std::raise(number) != 0) return 1;
              if (signals->stop_requested() || signals->take_save_request()) return 2;
              if (std::raise(number == SIGINT ? SIGTERM : SIGINT) != 0) return 3;
              if (!signals->stop_requested()) return 4;
            }
            return std::raise(number) == 0 && std::signal(number, SIG_DFL) == SIG_IGN ? 0 : 5;
          }) == 0);
  }
}

TEST_CASE("a trainer that is told to stop ends by itself, with a code that says why") {
  for (const int number : {SIGINT, SIGTERM})
    CHECK(after([&](pid_t child) { ::kill(child, number); }) == 128 + number);
}

TEST_CASE("a signal that is sent twice at once stops as one does (timeout sends it so)") {
  for (int i = 0; i < 50; ++i) {
    CHECK(after([&](pid_t child) {
            ::kill(child, SIGTERM);
            if (i % 2 == 0) ::sched_yield();
            ::kill(child, SIGTERM);
          }) == 128 + SIGTERM);
  }
}

TEST_CASE("requests to save that rain on a trainer do it no harm") {
  CHECK(after([](pid_t child) {
          for (int i = 0; i < 5000; ++i) ::kill(child, SIGHUP);
          ::kill(child, SIGINT);
        }) == 128 + SIGINT);
}

TEST_CASE("a program that hangs is ended by a second signal") {
  struct pair {
    int first;
    int second;
  };
  std::vector<std::pair<pid_t, int>> children;
  for (const pair& sent : {pair{SIGINT, SIGINT}, {SIGTERM, SIGTERM}, {SIGINT, SIGTERM}}) {
    const auto hang = [&](const stop_signals& signals) {
      if (std::raise(sent.first) != 0 || !signals.stop_requested()) return 1;
      let_repeats_pass();
      if (std::raise(SIGHUP) != 0 || !signals.take_save_request()) return 2;
      return std::raise(sent.second);
    };
    children.emplace_back(start_watching(hang), sent.second);
  }
  for (const auto& [child, number] : children) CHECK(wait_for(child) == -number);
}
