#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/store/trainer_member.hpp"
#include "sample.hpp"
#include "support.hpp"
#include "watched_native.hpp"

using ckpt::errc;
using namespace ckpt_test;
using serials = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

// Every call to the system that an operation of the store makes fails in turn, is interrupted, cut
// short, or leaves no memory behind it.
namespace {

using manager_type = ckpt::basic_checkpoint_manager<watched_native, small, ckpt::adam>;
using member_type = ckpt::basic_trainer_member<watched_native>;
using saver_type = manager_type::saver_type;

/// What an operation says.
struct outcome {
  ckpt::status error{};
  std::string message{};
  std::vector<ckpt::skipped_entry> reported{};  ///< what was skipped or not removed
  bool threw = false;                           ///< std::bad_alloc

  [[nodiscard]] bool ok() const { return error.ok() && !threw; }
};

/// What a success says beside that.
const std::vector<ckpt::skipped_entry>& reported_of(const ckpt::saved_checkpoint& done) {
  return done.not_removed;
}
const std::vector<ckpt::skipped_entry>& reported_of(const ckpt::removed_checkpoints& done) {
  return done.not_removed;
}
const std::vector<ckpt::skipped_entry>& reported_of(const ckpt::loaded_checkpoint& done) {
  return done.skipped;
}
const std::vector<ckpt::skipped_entry>& reported_of(
    const std::vector<ckpt::saved_checkpoint>& done) {
  REQUIRE(done.size() <= 1);
  static const std::vector<ckpt::skipped_entry> none;
  return done.empty() ? none : reported_of(done.front());
}

template <class T>
outcome outcome_of(const ckpt::file_result<T>& done) {
  return {done.error(), done.message(), reported_of(*done)};
}
template <class T>
outcome plain_outcome_of(const ckpt::file_result<T>& done) {
  return {done.error(), done.message(), {}};
}

std::string working_of(std::uint64_t serial) {
  return ckpt::detail::working_name(serial);
}

/// A directory with checkpoints 0 and 1 of the steps 10 and 20, for an operation on it.
class store_here {
 public:
  store_here() {
    watch_new_process();
    const ckpt::manager_settings settings = keeping(here_.at("prepared"), 3);
    auto manager = manager_type::open(settings).or_throw();
    for (const std::uint64_t step : {10U, 20U}) REQUIRE(manager.save(state_of(step)).ok());
  }

  /// Begins again with a new copy of it.
  void renew() {
    leave();
    fs::remove_all(directory());
    fs::copy(here_.at("prepared"), directory(), fs::copy_options::recursive);
  }
  [[nodiscard]] std::string directory() const { return here_.at("run"); }
  [[nodiscard]] std::string at(const std::string& name) const { return here_.at("run/" + name); }

  /// Takes the directory with a manager that keeps one.
  manager_type& take(std::uint64_t trainers = 1) {
    auto settings = keeping(directory(), 1);
    settings.trainer_count = trainers;
    settings.trainer_timeout = std::chrono::milliseconds(0);
    settings.announce = [this](std::uint64_t serial) { announce(serial); };
    manager_ = std::make_unique<manager_type>(manager_type::open(settings).or_throw());
    return *manager_;
  }
  [[nodiscard]] manager_type& manager() { return *manager_; }
  void adopt(manager_type manager) {
    manager_ = std::make_unique<manager_type>(std::move(manager));
  }
  void leave() { manager_.reset(); }

  /// Another trainer, which comes as soon as it is told.
  void join() {
    member_ = std::make_unique<member_type>(member_type::open(directory(), 1).or_throw());
  }

  /// Serials of all that are whole to the last byte, each with the state of its step.
  [[nodiscard]] serials whole() const {
    const auto reader = ckpt::checkpoint_directory::open(directory()).or_throw();
    serials found;
    for (const auto& entry : reader.list().or_throw()) {
      small_state state;
      if (!reader.load(entry.serial, state).ok()) continue;
      CHECK(is_of(state, 10 * (entry.serial + 1)));
      found.push_back(entry.serial);
    }
    return found;
  }
  /// Those that are there, whole or not.
  [[nodiscard]] serials listed() const {
    serials found;
    const auto reader = ckpt::checkpoint_directory::open(directory()).or_throw();
    for (const auto& entry : reader.list().or_throw()) found.push_back(entry.serial);
    return found;
  }
  /// Names of what is being made or removed.
  [[nodiscard]] std::vector<std::string> left_overs() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(directory())) {
      const std::string name = entry.path().filename().string();
      if (name.front() == '.' && name != ".ckpt-lock") found.push_back(name);
    }
    return found;
  }

 private:
  void announce(std::uint64_t serial) {
    if (member_ != nullptr) static_cast<void>(member_->write(serial, {}));
  }

  scratch here_{quick_place()};
  std::unique_ptr<manager_type> manager_;
  std::unique_ptr<member_type> member_;
};

/// A planned failure.
struct fault {
  call kind;
  std::size_t number;
  int error;
  bool all_behind;
};

/// Calls that may need space.
bool takes_space(call kind) {
  const call kinds[] = {call::create, call::write, call::sync,          call::sync_directory,
                        call::move,   call::close, call::make_directory};
  return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

std::vector<fault> faults_of(const std::array<std::size_t, call_kinds>& counts) {
  std::vector<fault> planned;
  for (std::size_t k = 0; k < call_kinds; ++k) {
    const call kind = static_cast<call>(k);
    for (std::size_t number = 1; number <= counts[k]; ++number) {
      planned.push_back({kind, number, EIO, false});
      if (takes_space(kind)) planned.push_back({kind, number, ENOSPC, false});
      if (number % 3 == 1) planned.push_back({kind, number, EIO, true});
    }
  }
  return planned;
}

/// How an operation went in which calls failed as planned.
struct trial {
  fault planned;
  outcome done;
  std::vector<change> failures;

  [[nodiscard]] const change& first() const { return failures.front(); }

  /// Whether a message names one of the files or directories that the failed calls were about.
  [[nodiscard]] bool is_named_in(const std::string& message) const {
    return std::any_of(failures.begin(), failures.end(), [&](const change& failed) {
      return test::mentions(message, failed.name) ||
             (!failed.target.empty() && test::mentions(message, failed.target));
    });
  }
  [[nodiscard]] bool is_of_planned_kind(const ckpt::status& reason) const {
    return reason.kind == (planned.error == ENOSPC ? errc::no_space : errc::input_output) &&
           reason.os_code == planned.error;
  }
  /// Whether it said which call on which name went wrong, as a failure or beside a success.
  [[nodiscard]] bool has_failed_for_that() const {
    return is_of_planned_kind(done.error) && is_named_in(done.message);
  }
  [[nodiscard]] bool has_reported_that() const {
    return std::any_of(done.reported.begin(), done.reported.end(), [&](const auto& entry) {
      return is_of_planned_kind(entry.reason) && is_named_in(entry.message);
    });
  }
  [[nodiscard]] bool is_about(call kind) const { return planned.kind == kind; }
  /// Whether it was about a file that the other trainer writes.
  [[nodiscard]] bool is_about_trainer() const {
    return test::mentions(first().name, ".ckpt-tmp/trainer_1") ||
           test::mentions(first().name, ".ckpt-tmp/.trainer_1");
  }
};

/// Lets each call of `act()` fail in turn, each time behind `prepare()`, and then checks the trial.
/// @returns the number of trials
template <class Prepare, class Act, class Check>
std::size_t fail_each_call(Prepare prepare, Act act, Check check) {
  prepare();
  watch_anew();
  REQUIRE(act().ok());
  const std::vector<fault> faults = faults_of(now.counts);
  for (const fault& planned : faults) {
    CAPTURE(static_cast<int>(planned.kind));
    CAPTURE(planned.number);
    CAPTURE(planned.error);
    CAPTURE(planned.all_behind);
    prepare();
    watch_anew();
    now.fail_kind = planned.kind;
    now.fail_at = planned.number;
    now.fail_on = planned.all_behind;
    now.fail_error = planned.error;
    trial made{planned, act(), watched.failures};
    watch_anew();
    REQUIRE_FALSE(made.failures.empty());
    INFO(made.first().name);
    INFO(made.done.message);
    check(made);
  }
  return faults.size();
}

/// Whether what failed was the removal of something under its working name, or a look before it.
bool is_failed_removal(const trial& made) {
  return made.is_about(call::remove_file) || made.is_about(call::remove_directory) ||
         made.is_about(call::list_directory) || made.is_about(call::describe_link);
}

/// A save that has failed has changed nothing that was good; one that has not is there.
void check_save(store_here& store, const trial& made) {
  const serials whole = store.whole();
  const bool is_there = std::find(whole.begin(), whole.end(), 2U) != whole.end();
  if (!made.done.ok()) {
    CHECK(made.has_failed_for_that());
    CHECK(std::count_if(whole.begin(), whole.end(), [](auto serial) { return serial < 2; }) == 2);
    // The last sync comes behind the move, and so after the point of no return.
    const bool is_last_sync =
        made.is_about(call::sync_directory) && !test::mentions(made.first().name, ".ckpt-tmp");
    CHECK(is_there == is_last_sync);
    if (!made.planned.all_behind) CHECK(store.left_overs().empty());
    return;
  }
  CHECK(is_there);
  CHECK(store.listed() == whole);
  if (made.done.reported.empty()) {
    // Where rotation could not look at a checkpoint, it has left that alone. A file that was only
    // read may close as it likes.
    const call looks[] = {call::open_read, call::describe, call::describe_path, call::read,
                          call::close};
    CHECK(std::find(std::begin(looks), std::end(looks), made.planned.kind) != std::end(looks));
    CHECK((made.is_about(call::close) ? whole.size() == 1 : whole.size() > 1));
    CHECK_FALSE(test::mentions(made.first().name, ".ckpt-tmp"));
  } else {
    CHECK(made.has_reported_that());
  }
  if (!is_failed_removal(made)) CHECK(store.left_overs().empty());
}

/// Later all is as it should be: the manager goes on, and nothing is left of what went wrong.
void check_next_save(store_here& store) {
  const auto next = store.manager().save(state_of(99));
  REQUIRE_MESSAGE(next.ok(), next.message());
  CHECK(next->not_removed.empty());
  CHECK(store.listed() == serials{next->serial});
  CHECK(store.left_overs().empty());
}

}  // namespace

TEST_CASE("a save whose every call fails in turn says why and where, and loses nothing") {
  store_here store;
  std::int64_t handles = 0;
  const auto prepare = [&] {
    store.renew();
    store.take();
    handles = now.open_handles;
  };
  const auto act = [&] { return outcome_of(store.manager().save(state_of(30))); };
  const std::size_t trials = fail_each_call(prepare, act, [&](const trial& made) {
    CHECK(now.open_handles == handles);
    check_save(store, made);
    check_next_save(store);
  });
  MESSAGE(trials << " failing calls");
  CHECK(trials > 100);
  store.leave();
  CHECK(now.open_handles == 0);
}

TEST_CASE("a save in the background whose calls fail says so once, and loses nothing") {
  store_here store;
  std::unique_ptr<saver_type> saver;
  const auto prepare = [&] {
    saver.reset();
    store.renew();
    saver.reset(new saver_type(store.take().asynchronous()));
  };
  const auto act = [&] {
    CHECK(saver->save(state_of(30)).ok());
    return outcome_of(saver->wait());
  };
  const std::size_t trials = fail_each_call(prepare, act, [&](const trial& made) {
    check_save(store, made);
    const auto again = saver->wait();
    CHECK(again.ok());
    CHECK(again->empty());
    check_next_save(store);
  });
  CHECK(trials > 100);
  saver.reset();
  store.leave();
  CHECK(now.open_handles == 0);
}

TEST_CASE("a save for two trainers whose every call fails in turn loses nothing") {
  store_here store;
  const auto prepare = [&] {
    store.renew();
    store.take(2);
    store.join();
  };
  const auto act = [&] { return outcome_of(store.manager().save(state_of(30))); };
  const std::size_t trials = fail_each_call(prepare, act, [&](const trial& made) {
    if (made.done.error.kind == errc::not_finished) {
      CHECK(test::mentions(made.done.message, "1 of 2 trainers"));
      CHECK(store.whole() == serials{0, 1});
      if (!made.planned.all_behind) CHECK(store.left_overs().empty());
    } else if (made.done.ok() &&
               (made.is_about_trainer() || made.first().name == store.at(working_of(2)))) {
      CHECK(store.whole() == serials{2});  // it was there in spite of that, or not needed
    } else {
      check_save(store, made);
    }
  });
  CHECK(trials > 150);
  store.leave();
  CHECK(now.open_handles == 0);
}

TEST_CASE("a directory is taken or not, whichever call fails, and the lock is not lost") {
  store_here store;
  for (const bool is_new : {false, true}) {
    CAPTURE(is_new);
    const std::string nested = store.at("deep/down");
    const auto settings = keeping(is_new ? nested : store.directory(), 1);
    const auto prepare = [&] {
      store.renew();
      fs::create_directory(store.at(working_of(7)));
      put_text(store.at(working_of(7)) + "/model.ckpt", "half");
    };
    const auto act = [&] {
      auto opened = manager_type::open(settings);
      if (opened.ok()) store.adopt(std::move(*opened));
      return plain_outcome_of(opened);
    };
    static_cast<void>(fail_each_call(prepare, act, [&](const trial& made) {
      CHECK(now.open_handles == (made.done.ok() ? 1 : 0));
      if (!made.done.ok()) {
        // Of a directory that is there making it fails first, which may be all that is known.
        CHECK((made.has_failed_for_that() || made.is_about(call::describe_path)));
        CHECK(made.is_named_in(made.done.message));
        auto again = manager_type::open(settings);
        REQUIRE_MESSAGE(again.ok(), again.message());
        store.adopt(std::move(*again));
      }
      CHECK(store.whole() == serials{0, 1});
      CHECK(manager_type::open(settings).error().kind == errc::busy);
      const std::uint64_t serial = is_new ? 0 : 8;
      CHECK(store.manager().save(state_of(10 * (serial + 1))).or_throw().serial == serial);
      CHECK((is_new || store.left_overs().empty()));
    }));
  }
  store.leave();
  CHECK(now.open_handles == 0);
}

TEST_CASE("a removal whose every call fails in turn removes one checkpoint or none, never half") {
  store_here store;
  const auto prepare = [&] {
    store.renew();
    store.take();
  };
  const auto act = [&] { return outcome_of(store.manager().remove(0)); };
  static_cast<void>(fail_each_call(prepare, act, [&](const trial& made) {
    CHECK(now.open_handles == 1);
    CHECK(made.has_failed_for_that());
    CHECK(store.listed() == store.whole());
    CHECK(store.whole().back() == 1);
    const bool has_moved = !store.left_overs().empty();
    CHECK(store.whole().size() == (has_moved ? 1U : 2U));
    check_next_save(store);
  }));
  store.leave();
  CHECK(now.open_handles == 0);
}

TEST_CASE("a clearing whose every call fails in turn reports each that is left") {
  store_here store;
  const auto prepare = [&] {
    store.renew();
    store.take();
  };
  const auto act = [&] { return outcome_of(store.manager().clear()); };
  static_cast<void>(fail_each_call(prepare, act, [&](const trial& made) {
    CHECK(now.open_handles == 1);
    CHECK(store.listed() == store.whole());
    if (!made.done.ok()) {
      CHECK(made.has_failed_for_that());
      CHECK(made.first().name == store.directory());  // it could not be listed
      CHECK(store.whole() == serials{0, 1});
    } else if (!made.done.reported.empty()) {
      CHECK(made.has_reported_that());
      CHECK(store.listed().size() + store.left_overs().size() == made.done.reported.size());
    } else {
      CHECK(store.listed().empty());
      CHECK(store.left_overs().empty());
    }
    check_next_save(store);
  }));
  store.leave();
  CHECK(now.open_handles == 0);
}

TEST_CASE("a load whose every call fails in turn gives a whole state, or says that it did not") {
  store_here store;
  store.renew();
  store.take();
  small_state state;
  const auto check = [&](const trial& made) {
    CHECK(now.open_handles == 1);
    CHECK(store.whole() == serials{0, 1});
    if (made.done.ok()) {
      const std::size_t skipped = made.done.reported.size();
      CHECK(is_of(state, skipped == 0 ? 20 : 10));
      CHECK((skipped == 0 ? made.is_about(call::close) : made.has_reported_that()));
      return;
    }
    if (!made.done.error.indeterminate) CHECK(is_of(state, 9999));
    if (made.first().name == store.directory()) {
      CHECK(made.has_failed_for_that());
    } else {
      CHECK(made.done.error.kind == errc::no_good_checkpoint);
      CHECK(made.planned.all_behind);
      CHECK(made.is_named_in(made.done.message));
    }
  };
  const auto prepare = [&] { fill(state, 9999); };
  const std::size_t loads = fail_each_call(
      prepare, [&] { return outcome_of(store.manager().load_latest(state)); }, check);
  CHECK(loads > 30);

  const auto begin = [&] {
    fill(state, 9999);
    store.leave();
    store.take();
  };
  static_cast<void>(fail_each_call(
      begin, [&] { return outcome_of(store.manager().rollback(state)); },
      [&](const trial& made) {
        check(made);
        // It has gone back only as far as it says.
        const bool at_the_end = made.done.ok() && is_of(state, 10);
        const bool at_first = made.done.ok() && is_of(state, 20);
        const auto next = store.manager().rollback(state);
        CHECK(next.ok() != at_the_end);
        if (next.ok()) CHECK(next->entry.serial == (at_first ? 0U : 1U));
      }));
  store.leave();
  CHECK(now.open_handles == 0);
}

TEST_CASE("arguments of a trainer are there or not, whichever call fails") {
  store_here store;
  for (const bool is_again : {false, true}) {
    CAPTURE(is_again);
    const std::string file = store.at(working_of(2)) + "/trainer_1";
    const auto prepare = [&] {
      store.renew();
      fs::create_directory(store.at(working_of(2)));
      if (is_again) put_text(file, "old");
    };
    const auto member = member_type::open(store.directory(), 1).or_throw();
    const auto act = [&] { return plain_outcome_of(member.write(2, {})); };
    static_cast<void>(fail_each_call(prepare, act, [&](const trial& made) {
      CHECK(now.open_handles == 0);
      const std::string found = get_text(file);
      const bool is_written = found == "epoch=0\nstep=0\n";
      CHECK((is_written || found == (is_again ? "old" : "")));
      CHECK((!made.done.ok() || is_written));
      if (!made.done.ok()) {
        CHECK(made.done.error.os_code == made.planned.error);
        CHECK(test::mentions(made.done.message, file));
        CHECK((!is_written || made.is_about(call::sync_directory)));
      }
      for (const auto& entry : fs::directory_iterator(store.at(working_of(2)))) {
        const std::string name = entry.path().filename().string();
        CHECK((name == "trainer_1" || ckpt::detail::is_left_over_name(name)));
      }
      CHECK(member.write(2, {}).ok());
    }));
  }
}

namespace {

/// An operation of the store, and what it needs before.
struct operation {
  const char* name;
  bool needs_manager;
  outcome (*act)(store_here& store, small_state& state);
};

outcome save_behind(store_here& store, small_state& state) {
  saver_type saver(store.manager().asynchronous());
  fill(state, 30);
  const auto started = saver.save(state);
  return started.ok() ? outcome_of(saver.wait()) : plain_outcome_of(started);
}
outcome open_here(store_here& store, small_state&) {
  auto opened = manager_type::open(keeping(store.directory(), 1));
  if (opened.ok()) store.adopt(std::move(*opened));
  return plain_outcome_of(opened);
}
outcome save_here(store_here& store, small_state& state) {
  return outcome_of(store.manager().save(state));
}
outcome remove_here(store_here& store, small_state&) {
  return outcome_of(store.manager().remove(0));
}
outcome clear_here(store_here& store, small_state&) {
  return outcome_of(store.manager().clear());
}
outcome load_here(store_here& store, small_state& state) {
  return outcome_of(store.manager().load_latest(state));
}
outcome go_back_here(store_here& store, small_state& state) {
  return outcome_of(store.manager().rollback(state));
}
outcome write_here(store_here& store, small_state&) {
  const auto member = member_type::open(store.directory(), 1);
  return member.ok() ? plain_outcome_of(member->write(7, {})) : plain_outcome_of(member);
}

constexpr operation operations[] = {
    {"open", false, open_here},    {"save", true, save_here},
    {"remove", true, remove_here}, {"clear", true, clear_here},
    {"load", true, load_here},     {"go back", true, go_back_here},
    {"write", false, write_here},  {"save behind", true, save_behind},
};

void prepare(store_here& store, small_state& state, const operation& planned) {
  store.renew();
  if (planned.needs_manager) store.take();
  if (planned.act == write_here) fs::create_directory(store.at(working_of(7)));
  fill(state, 30);
  watch_anew();
}

/// Whatever the operation was, what is there is whole and usable.
void check_starved(store_here& store, const small_state& state, const operation& planned,
                   const outcome& done) {
  const serials whole = store.whole();
  CHECK(store.listed() == whole);
  const bool is_save = planned.act == save_here || planned.act == save_behind;
  const bool removes = planned.act == remove_here || planned.act == clear_here;
  if (is_save) {
    const bool is_there = !whole.empty() && whole.back() == 2;
    if (done.ok()) CHECK(is_there);
    if (!is_there) CHECK(whole == serials{0, 1});
    if (!is_there) CHECK(store.left_overs().empty());
  } else if (!removes) {
    CHECK(whole == serials{0, 1});
  }
  if (planned.act == load_here || planned.act == go_back_here) {
    if (done.ok()) CHECK(is_of(state, 20));  // the newest is good: no other is taken
    if (!done.ok() && !done.error.indeterminate) CHECK(is_of(state, 30));
  }
  if (!done.ok() && !done.threw) CHECK(done.error.kind == errc::no_memory);
  if (!planned.needs_manager && !(planned.act == open_here && done.ok())) store.take();
  CHECK(manager_type::open(keeping(store.directory(), 1)).error().kind == errc::busy);
  check_next_save(store);
}

}  // namespace

TEST_CASE("interrupted calls and short transfers make no difference") {
  store_here store;
  small_state state;
  for (const operation& planned : operations)
    for (const std::size_t interrupt_every : {0U, 2U, 3U})
      for (const std::size_t longest_move : {0U, 1U, 7U}) {
        CAPTURE(planned.name);
        CAPTURE(interrupt_every);
        CAPTURE(longest_move);
        prepare(store, state, planned);
        now.interrupt_every = interrupt_every;
        now.longest_move = longest_move;
        const outcome done = planned.act(store, state);
        watch_anew();
        CHECK_MESSAGE(done.ok(), done.message);
        CHECK(done.reported.empty());
        CHECK(store.listed() == store.whole());
        if (planned.act == load_here || planned.act == go_back_here) CHECK(is_of(state, 20));
      }
}

TEST_CASE("a disk that takes no bytes fails the save, and nothing is left of it") {
  store_here store;
  small_state state;
  for (const auto act : {save_here, save_behind}) {
    prepare(store, state, {"", true, act});
    now.write_nothing = true;
    const outcome done = act(store, state);
    watch_anew();
    CHECK(done.error.kind == errc::input_output);
    CHECK(test::mentions(done.message, working_of(2) + "/model.ckpt"));
    CHECK(store.whole() == serials{0, 1});
    CHECK(store.left_overs().empty());
  }
}

namespace {

/// When memory is short, and how short it is.
struct shortage {
  std::size_t number;  ///< behind this call; 0: before the first
  std::size_t length;  ///< so many calls; 0: to the end
  std::size_t above;   ///< blocks of more bytes are not given
};

outcome act_in_shortage(store_here& store, small_state& state, const operation& planned,
                        const shortage& how) {
  watched.starves_at = how.number;
  watched.starves_for = how.length;
  watched.starved_above = how.above;
  if (how.number == 0) starve();
  outcome done;
  try {
    done = planned.act(store, state);
  } catch (const std::bad_alloc&) {
    done.threw = true;
  }
  feed();
  watch_anew();
  return done;
}

/// All shortages that an operation of so many calls can meet.
std::vector<shortage> shortages_of(std::size_t calls) {
  std::vector<shortage> found;
  for (std::size_t number = 0; number < calls; ++number)
    for (const std::size_t length : {0U, 1U})
      for (const std::size_t above : {1U, 100U}) found.push_back({number, length, above});
  return found;
}

}  // namespace

TEST_CASE("memory that runs out at any call loses neither locks nor checkpoints") {
  store_here store;
  small_state state;
  std::size_t trials = 0;
  std::size_t failed = 0;
  for (const operation& planned : operations) {
    CAPTURE(planned.name);
    prepare(store, state, planned);
    static_cast<void>(planned.act(store, state));
    for (const shortage& how : shortages_of(watched.calls)) {
      CAPTURE(how.number);
      CAPTURE(how.length);
      CAPTURE(how.above);
      prepare(store, state, planned);
      const std::int64_t handles = now.open_handles;
      const outcome done = act_in_shortage(store, state, planned, how);
      const bool has_taken = planned.act == open_here && done.ok();
      CHECK(now.open_handles == handles + (has_taken ? 1 : 0));
      check_starved(store, state, planned, done);
      ++trials;
      failed += done.ok() ? 0U : 1U;
    }
  }
  MESSAGE(trials << " trials, " << failed << " failed");
  CHECK(failed > 100);
  store.leave();
  CHECK(now.open_handles == 0);
}
