#include "ckpt/checkpoint/progress.hpp"

#include "ckpt/checkpoint/save.hpp"
#include "ckpt/checkpoint/state.hpp"
#include "fixtures.hpp"
#include "mobilenet_v2.hpp"
#include "scaled_native.hpp"
#include "scratch.hpp"
#include "support.hpp"

using ckpt::errc;
using ckpt_test::call;
using ckpt_test::scratch;
using fixture::three;

namespace {

using adam_state = test::owned_state<three, ckpt::adam>;
using counted = ckpt_test::scaled_native<>;
constexpr std::uint64_t piece = ckpt::detail::progress_piece_bytes;

/// Keeps what it hears.
struct listener {
  void operator()(std::uint64_t done, std::uint64_t total) {
    heard.push_back(done);
    totals.push_back(total);
  }
  /// Whether it heard of a whole file: 0 first, then more each time, all bytes last.
  [[nodiscard]] bool heard_all(std::uint64_t total) const {
    if (heard.size() < 2 || heard.front() != 0 || heard.back() != total) return false;
    for (std::size_t i = 1; i < heard.size(); ++i)
      if (heard[i] <= heard[i - 1] || heard[i] - heard[i - 1] > piece) return false;
    return std::count(totals.begin(), totals.end(), total) ==
           static_cast<std::ptrdiff_t>(totals.size());
  }

  std::vector<std::uint64_t> heard;
  std::vector<std::uint64_t> totals;
};

/// A sink that counts, and keeps apart what waits and what is written.
struct counting_sink {
  ckpt::status append(ckpt::bytes_view part) {
    appended += part.size();
    largest = (std::max)(largest, std::uint64_t{part.size()});
    ++appends;
    return {};
  }
  ckpt::status flush() {
    if (fails) return ckpt::fail(errc::no_space);
    flushed = appended;
    ++flushes;
    return {};
  }

  std::uint64_t appended = 0;
  std::uint64_t flushed = 0;
  std::uint64_t largest = 0;
  std::size_t appends = 0;
  std::size_t flushes = 0;
  bool fails = false;
};

ckpt::save_options telling(listener& who) {
  ckpt::save_options how;
  how.progress = ckpt::progress_to(who);
  return how;
}

}  // namespace

TEST_CASE("options without progress are written as before") {
  CHECK((ckpt::save_options{}.progress.call == nullptr));
  CHECK_FALSE(ckpt::save_options{false}.durable);
  scratch directory;
  adam_state state;
  CHECK(ckpt::save(directory.at("a"), state.view, {}).ok());
  CHECK(ckpt::save(directory.at("b"), state.view, {false}).ok());
}

TEST_CASE("progress begins with nothing and ends with every byte of the file") {
  scratch directory;
  adam_state state;
  state.fill(1);
  listener who;
  const auto saved = ckpt::save(directory.at("a"), state.view, telling(who));
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(who.heard == std::vector<std::uint64_t>{0, 148});
  CHECK(who.heard_all(148));
  CHECK(test::read_file(directory.at("a")) == test::written<ckpt::onert>(state.view));
}

TEST_CASE("formats with checksums report each byte once, too") {
  scratch directory;
  adam_state state;
  state.fill(2);
  listener who;
  const auto saved = ckpt::save<ckpt::v2>(directory.at("a"), state.view, telling(who));
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(who.heard_all(saved->file_bytes));
}

TEST_CASE("a large tensor is reported in pieces of at most 8 MiB, each of them written") {
  scratch directory;
  const std::string path = directory.at("mobilenet");
  ckpt::state<mobilenet_v2, ckpt::adam> state;
  listener who;
  std::uint64_t unwritten = 0;
  auto checking = [&](std::uint64_t done, std::uint64_t total) {
    who(done, total);
    const auto& counts = ckpt_test::now;
    if (done != 0 && counts.count(call::write) == 0) ++unwritten;
    if (counts.count(call::sync) != 0) ++unwritten;
  };
  ckpt::save_options how;
  how.progress = ckpt::progress_to(checking);
  ckpt_test::reset();
  const auto saved = ckpt::detail::save_with<counted, ckpt::onert>(path, state, how);
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(who.heard_all(saved->file_bytes));
  CHECK(who.heard.size() == 1 + (saved->file_bytes + piece - 1) / piece);
  CHECK(unwritten == 0);
  CHECK(ckpt_test::now.count(call::sync) == 1);
}

TEST_CASE("what is reported is written, not only queued") {
  counting_sink under;
  std::uint64_t ahead = 0;
  std::size_t reports = 0;
  auto checking = [&](std::uint64_t done, std::uint64_t) {
    ahead += done - under.flushed;
    ++reports;
  };
  const test::bytes data(static_cast<std::size_t>(2 * piece + 100));
  ckpt::detail::progress_sink<counting_sink> sink(under, ckpt::progress_to(checking), data.size());
  CHECK(sink.append(test::prefix(data, 100)).ok());
  CHECK(under.flushes == 0);
  CHECK(sink.append({data.data() + 100, data.size() - 100}).ok());
  CHECK(under.flushes == 2);
  CHECK(under.largest <= piece);
  CHECK(sink.flush().ok());
  CHECK(sink.flush().ok());
  CHECK(under.flushed == data.size());
  CHECK(ahead == 0);
  CHECK(reports == 4);
}

TEST_CASE("nothing is cut or flushed where nobody listens") {
  counting_sink under;
  const test::bytes data(static_cast<std::size_t>(2 * piece + 100));
  ckpt::detail::progress_sink<counting_sink> sink(under, {}, data.size());
  CHECK(sink.append(test::view(data)).ok());
  CHECK(under.appends == 1);
  CHECK(under.flushes == 0);
  CHECK(sink.flush().ok());
  CHECK(under.flushes == 1);
}

TEST_CASE("a failure ends the reports before the end") {
  counting_sink under;
  listener who;
  const test::bytes data(static_cast<std::size_t>(2 * piece));
  ckpt::detail::progress_sink<counting_sink> sink(under, ckpt::progress_to(who), data.size());
  CHECK(sink.append(test::prefix(data, static_cast<std::size_t>(piece))).ok());
  under.fails = true;
  CHECK(sink.append(test::prefix(data, static_cast<std::size_t>(piece))).kind == errc::no_space);
  CHECK(sink.flush().kind == errc::no_space);
  CHECK(who.heard == std::vector<std::uint64_t>{0, piece});

  scratch directory;
  adam_state state;
  ckpt_test::reset();
  ckpt_test::now.fail_kind = call::write;
  ckpt_test::now.fail_at = 1;
  ckpt_test::now.fail_error = ENOSPC;
  listener other;
  const auto saved =
      ckpt::detail::save_with<counted, ckpt::onert>(directory.at("a"), state.view, telling(other));
  ckpt_test::reset();
  CHECK(saved.error().kind == errc::no_space);
  CHECK(other.heard == std::vector<std::uint64_t>{0});
  CHECK(directory.names().empty());
}

TEST_CASE("a callable that is const can listen") {
  std::uint64_t last = 0;
  const auto keep = [&last](std::uint64_t done, std::uint64_t) { last = done; };
  const ckpt::progress_callback bound = ckpt::progress_to(keep);
  bound.call(bound.context, 7, 9);
  CHECK(last == 7);
}

#if CKPT_EXCEPTIONS
TEST_CASE("a listener that throws gives a save up and leaves the old file") {
  scratch directory;
  const std::string path = directory.at("a");
  ckpt_test::put(path, fixture::adam());
  adam_state state;
  auto stop = [](std::uint64_t done, std::uint64_t) {
    if (done > 0) throw 1;
  };
  ckpt::save_options how;
  how.progress = ckpt::progress_to(stop);
  CHECK_THROWS_AS(static_cast<void>(ckpt::save(path, state.view, how)), int);
  CHECK(test::read_file(path) == fixture::adam());
  CHECK(directory.names() == std::vector<std::string>{"a"});
}
#endif
