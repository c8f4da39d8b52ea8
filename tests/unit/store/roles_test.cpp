// One chief and other trainers make a checkpoint together. roles_process_test.cpp has the same with
// real processes, some of which are killed.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ckpt/store/trainer_member.hpp"
#include "name_watching_native.hpp"
#include "sample.hpp"

using ckpt::errc;
using ckpt::trainer_arguments;
using ckpt::trainer_member;
using namespace ckpt_test;
using serials = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

namespace {

using milliseconds = std::chrono::milliseconds;
using watched_manager = ckpt::basic_checkpoint_manager<name_watching_native, small, ckpt::adam>;

/// What trainer number `trainer` has to say in a checkpoint.
trainer_arguments own_of(std::uint64_t trainer, std::uint64_t serial) {
  trainer_arguments own;
  own.step = 100 * serial + trainer;
  own.epoch = trainer;
  REQUIRE(own.set_text("shard", "shard " + std::to_string(trainer)).ok());
  return own;
}

ckpt::status join(const std::string& directory, std::uint64_t trainer, std::uint64_t serial) {
  const auto member = trainer_member::open(directory, trainer);
  return member.ok() ? member->write(serial, own_of(trainer, serial)).error() : member.error();
}

/// Settings under which every member writes at once when it is told the serial.
ckpt::manager_settings together(const std::string& directory, std::uint64_t count) {
  auto settings = keeping(directory, 3);
  settings.trainer_count = count;
  settings.announce = [directory, count](std::uint64_t serial) {
    for (std::uint64_t trainer = 1; trainer < count; ++trainer)
      CHECK(join(directory, trainer, serial).ok());
  };
  return settings;
}

const std::vector<std::string> only_the_lock = {".ckpt-lock"};

/// Waits for something that another thread does.
template <class Condition>
bool comes_true(Condition condition) {
  for (int i = 0; i < 5000 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(1));
  return condition();
}

}  // namespace

TEST_CASE("four trainers that come in any order make one checkpoint with what each had to say") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = keeping(run, 99);
  settings.trainer_count = 4;
  std::array<std::uint64_t, 3> order = {1, 2, 3};
  std::thread others;
  settings.announce = [&](std::uint64_t serial) {
    others = std::thread([&run, order, serial] {
      for (const std::uint64_t trainer : order) {
        std::this_thread::sleep_for(milliseconds(3));
        CHECK(join(run, trainer, serial).ok());
      }
    });
  };
  auto manager = small_manager::open(settings).or_throw();
  std::uint64_t serial = 0;
  do {
    const auto saved = manager.save(state_of(serial + 1));
    others.join();
    REQUIRE_MESSAGE(saved.ok(), saved.message());
    CHECK(saved->serial == serial);
    CHECK(manager.latest().or_throw().entry.trainer_count == 4);
    for (std::uint64_t trainer = 1; trainer < 4; ++trainer) {
      const auto own = manager.directory().load_arguments(serial, trainer).or_throw();
      CHECK(own.encode() == own_of(trainer, serial).encode());
    }
    CHECK(manager.directory().load_arguments(serial, 0).or_throw().step == serial + 1);
    ++serial;
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(serial == 6);
}

TEST_CASE("trainers that come all at once do not disturb each other") {
  const scratch here;
  const std::string run = here.at("run");
  constexpr std::uint64_t count = 9;
  auto settings = keeping(run, 2);
  settings.trainer_count = count;
  std::atomic<std::uint64_t> told{0};  // one more than the serial
  settings.announce = [&](std::uint64_t serial) { told = serial + 1; };
  auto manager = small_manager::open(settings).or_throw();
  std::vector<std::thread> members;
  for (std::uint64_t trainer = 1; trainer < count; ++trainer)
    members.emplace_back([&, trainer] {
      for (std::uint64_t serial = 0; serial < 10; ++serial) {
        while (told <= serial) std::this_thread::yield();
        CHECK(join(run, trainer, serial).ok());
      }
    });
  for (std::uint64_t step = 1; step <= 10; ++step) CHECK(manager.save(state_of(step)).ok());
  for (std::thread& member : members) member.join();
  CHECK(serials_in(manager) == serials{8, 9});
  CHECK(manager.latest().or_throw().entry.serial == 9);
  for (std::uint64_t trainer = 1; trainer < count; ++trainer)
    CHECK(manager.directory().load_arguments(9, trainer).or_throw().step == 900 + trainer);
}

TEST_CASE("nothing is to be seen of a checkpoint until the last trainer has come") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = keeping(run, 1);
  settings.trainer_count = 4;
  std::atomic<bool> is_told{false};
  settings.announce = [&](std::uint64_t) { is_told = true; };
  auto manager = small_manager::open(settings).or_throw();
  std::atomic<bool> is_saved{false};
  std::thread chief([&] {
    CHECK(manager.save(state_of(1)).ok());
    is_saved = true;
  });
  REQUIRE(comes_true([&] { return is_told.load(); }));
  const auto directory = ckpt::checkpoint_directory::open(run).or_throw();
  small_state state;
  for (const std::uint64_t trainer : {3U, 1U}) {
    CHECK(join(run, trainer, 0).ok());
    std::this_thread::sleep_for(milliseconds(20));
    CHECK_FALSE(is_saved);
    CHECK(directory.latest().error().kind == errc::no_checkpoint);
    CHECK(directory.load_latest(state).error().kind == errc::no_checkpoint);
    CHECK(directory.load_arguments(0, trainer).error().kind == errc::not_found);
    CHECK(directory.list().or_throw().empty());
    CHECK_FALSE(fs::exists(run + "/checkpoint_0"));
  }
  CHECK(join(run, 2, 0).ok());
  chief.join();
  CHECK(directory.latest().or_throw().entry.step == 1);
}

TEST_CASE("trainers that do not come in time fail the save, and its serial is not used again") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = keeping(run, 1);
  settings.trainer_count = 4;
  settings.trainer_timeout = milliseconds(30);
  std::vector<std::uint64_t> coming = {1, 2, 3};
  settings.announce = [&](std::uint64_t serial) {
    for (const std::uint64_t trainer : coming) CHECK(join(run, trainer, serial).ok());
  };
  auto manager = small_manager::open(settings).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  coming = {2};
  const auto failed = manager.save(state_of(2));
  CHECK(failed.error().kind == errc::not_finished);
  CHECK(failed.error().expected == 4);
  CHECK(failed.error().found == 2);  // the chief and trainer 2
  CHECK(failed.message().find("2 of 4 trainers") != std::string::npos);
  CHECK(failed.message().find("trainer_1") != std::string::npos);
  CHECK(names_in(run) == std::vector<std::string>{".ckpt-lock", "checkpoint_0"});
  CHECK(manager.latest().or_throw().entry.step == 1);  // and nothing was rotated away

  CHECK(join(run, 1, 1).kind == errc::not_found);
  coming = {1, 2, 3};
  const auto saved = manager.save(state_of(3));
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(saved->serial == 2);
  CHECK(saved->removed == serials{0});
}

TEST_CASE("with no time at all a save takes who is there and does not wait") {
  const scratch here;
  auto settings = together(here.at("run"), 3);
  settings.trainer_timeout = milliseconds(0);
  auto manager = small_manager::open(settings).or_throw();
  CHECK(manager.save(state_of(1)).ok());
}

TEST_CASE("a trainer that nobody expects is a mistake, told by name, and nothing is left") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = together(run, 2);
  const auto all_expected = settings.announce;
  settings.announce = [&](std::uint64_t serial) {
    CHECK(join(run, 7, serial).ok());
    all_expected(serial);
  };
  auto manager = small_manager::open(settings).or_throw();
  const auto refused = manager.save(state_of(1));
  CHECK(refused.error().kind == errc::foreign_entry);
  CHECK(refused.message().find("trainer_7") != std::string::npos);
  CHECK(names_in(run) == only_the_lock);
}

TEST_CASE("what somebody else puts into a checkpoint that is made fails it, and stays") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = together(run, 2);
  const auto all_expected = settings.announce;
  settings.announce = [&](std::uint64_t serial) {
    put_text(run + "/" + ckpt::detail::working_name(serial) + "/notes", "mine");
    all_expected(serial);
  };
  auto manager = small_manager::open(settings).or_throw();
  const auto refused = manager.save(state_of(1));
  CHECK(refused.error().kind == errc::foreign_entry);
  CHECK(refused.message().find("notes") != std::string::npos);
  CHECK(manager.latest().error().kind == errc::no_checkpoint);
  std::size_t kept = 0;
  for (const auto& entry : fs::recursive_directory_iterator(run))
    if (entry.path().filename() == "notes") ++kept;
  CHECK(kept == 1);
}

TEST_CASE("what killed trainers left of their files does not get into the checkpoint") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = together(run, 3);
  const auto all_expected = settings.announce;
  settings.announce = [&](std::uint64_t serial) {
    const std::string working = run + "/" + ckpt::detail::working_name(serial) + "/";
    put(working + ".trainer_1.0.ckpt-tmp", bytes(7));
    put(working + ".trainer_2.13.ckpt-tmp", bytes(0));
    put(working + ".trainer_9.0.ckpt-tmp", bytes(1));
    all_expected(serial);
  };
  auto manager = small_manager::open(settings).or_throw();
  const auto saved = manager.save(state_of(1));
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(names_in(run + "/checkpoint_0") ==
        std::vector<std::string>{"_SUCCESS", "model.ckpt", "trainer_0", "trainer_1", "trainer_2"});
  CHECK(names_in(run) == std::vector<std::string>{".ckpt-lock", "checkpoint_0"});
}

TEST_CASE("what a killed chief left when all had come is swept, and its serial is not used again") {
  const scratch here;
  const std::string run = here.at("run");
  CHECK(ckpt::detail::sealed_name(4) == ".checkpoint_4.sealed.ckpt-tmp");
  for (const char* name : {".checkpoint_4.sealed.ckpt-tmp", ".checkpoint_3.ckpt-tmp",
                           ".checkpoint_9.sealed.sealed.ckpt-tmp", ".checkpoint_9.sealed"}) {
    fs::create_directories(run + "/" + name);
    put(run + "/" + name + "/model.ckpt", bytes(5));
    put(run + "/" + name + "/trainer_1", bytes(5));
  }
  auto manager = small_manager::open(together(run, 2)).or_throw();
  CHECK(names_in(run) == std::vector<std::string>{".checkpoint_9.sealed",
                                                  ".checkpoint_9.sealed.sealed.ckpt-tmp",
                                                  ".ckpt-lock"});
  CHECK(manager.save(state_of(1)).or_throw().serial == 5);
}

TEST_CASE("a trainer that writes again replaces what it wrote, as long as others are missing") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = together(run, 3);
  const auto all_expected = settings.announce;
  settings.announce = [&](std::uint64_t serial) {
    const auto member = trainer_member::open(run, 1).or_throw();
    CHECK(member.write(serial, own_of(8, 8)).ok());
    CHECK(member.write(serial, own_of(9, 9)).ok());
    all_expected(serial);
  };
  auto manager = small_manager::open(settings).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  CHECK(manager.directory().load_arguments(0, 1).or_throw().encode() == own_of(1, 0).encode());
}

TEST_CASE("a trainer that writes once more when all have come cannot spoil the checkpoint") {
  const scratch here;
  const std::string run = here.at("run");
  auto manager = watched_manager::open(together(run, 3)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  // Another content of the same size, after the first was measured.
  auto again = own_of(1, 1);
  again.step += 1;
  watch_names([&](const name_call& made) {
    if (made.name.find("_SUCCESS") == std::string::npos || made.verb != "create") return;
    const auto member = trainer_member::open(run, 1).or_throw();
    CHECK(member.write(1, again).error().kind == errc::not_found);
    CHECK(join(run, 7, 1).kind == errc::not_found);
  });
  const auto saved = manager.save(state_of(2));
  watch_names();
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  const auto checked = manager.directory().check(1);
  CHECK_MESSAGE(checked.ok(), checked.message());
  CHECK(names_in(run + "/checkpoint_1").size() == 5);
  CHECK(manager.latest().or_throw().entry.serial == 1);
}

TEST_CASE("a run goes on with fewer trainers") {
  const scratch here;
  const std::string run = here.at("run");
  {
    auto manager = small_manager::open(together(run, 4)).or_throw();
    REQUIRE(manager.save(state_of(5, 2)).ok());
  }
  auto manager = small_manager::open(together(run, 2)).or_throw();
  small_state state;
  const auto found = manager.load_latest(state);
  REQUIRE_MESSAGE(found.ok(), found.message());
  CHECK(found->entry.trainer_count == 4);
  CHECK(trainer_member::open(run, 1)->load(0).or_throw().encode() == own_of(1, 0).encode());
  // Those that are gone have left theirs: somebody may take over their shards.
  CHECK(*manager.directory().load_arguments(0, 3).or_throw().text("shard") == "shard 3");
  REQUIRE(manager.save(state_of(6, 2)).ok());
  CHECK(manager.latest().or_throw().entry.trainer_count == 2);
  CHECK(names_in(run + "/checkpoint_1").size() == 4);
}

TEST_CASE("a run goes on with more trainers: the new ones begin where the chief is") {
  const scratch here;
  const std::string run = here.at("run");
  {
    auto manager = small_manager::open(together(run, 2)).or_throw();
    trainer_arguments of_chief;
    REQUIRE(of_chief.set_text("shard", "the chief's").ok());
    REQUIRE(manager.save(state_of(5, 2), of_chief).ok());
  }
  CHECK(trainer_member::open(run, 1)->load(0).or_throw().encode() == own_of(1, 0).encode());
  for (const std::uint64_t trainer : {2U, 3U, 1000000U}) {
    const auto fresh = trainer_member::open(run, trainer)->load(0).or_throw();
    CHECK(fresh.step == 5);
    CHECK(fresh.epoch == 2);
    CHECK(fresh.size() == 0);  // values of the chief are the chief's
  }
  auto manager = small_manager::open(together(run, 4)).or_throw();
  small_state state;
  REQUIRE(manager.load_latest(state).ok());
  REQUIRE(manager.save(state_of(6, 2)).ok());
  CHECK(trainer_member::open(run, 3)->load(1).or_throw().encode() == own_of(3, 1).encode());
}

TEST_CASE("a serial that is published, given up, removed or not yet made is refused to a trainer") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = together(run, 2);
  settings.trainer_timeout = milliseconds(0);
  const auto all_expected = settings.announce;
  settings.announce = [&](std::uint64_t serial) {
    if (serial != 1) all_expected(serial);
  };
  auto manager = small_manager::open(settings).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  CHECK(manager.save(state_of(2)).error().kind == errc::not_finished);
  REQUIRE(manager.save(state_of(3)).ok());
  REQUIRE(manager.remove(0).ok());
  const auto before = get(run + "/checkpoint_2/trainer_1");
  for (const std::uint64_t serial : {0U, 1U, 2U, 3U}) {
    CAPTURE(serial);
    const auto member = trainer_member::open(run, 1).or_throw();
    const auto refused = member.write(serial, own_of(5, 5));
    CHECK(refused.error().kind == errc::not_found);
    CHECK(refused.message().find("checkpoint_" + std::to_string(serial)) != std::string::npos);
  }
  CHECK(get(run + "/checkpoint_2/trainer_1") == before);
  CHECK(names_in(run) == std::vector<std::string>{".ckpt-lock", "checkpoint_2"});
}

TEST_CASE("numbers of trainers that make no sense are refused before anything is made") {
  const scratch here;
  const std::string run = here.at("run");
  CHECK(trainer_member::open(run, 0).error().kind == errc::invalid_settings);
  CHECK(trainer_member::open(run, ~std::uint64_t{0}).error().kind == errc::invalid_settings);
  CHECK(trainer_member::open("", 1).error().kind == errc::empty_path);
  auto settings = keeping(run, 3);
  for (const std::uint64_t count : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    settings.trainer_count = count;
    const auto refused = small_manager::open(settings);
    CHECK(refused.error().kind == errc::invalid_settings);
    CHECK(refused.message().find("trainer_count") != std::string::npos);
  }
  CHECK(here.names().empty());
}

TEST_CASE("the mark lists the files of all trainers in numeric order") {
  const scratch here;
  const std::string run = here.at("run");
  auto manager = small_manager::open(together(run, 12)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  const auto files = *ckpt::detail::mark_parser(get_text(run + "/checkpoint_0/_SUCCESS")).run();
  REQUIRE(files.size() == 13);
  CHECK(files[0].name == "model.ckpt");
  for (std::size_t trainer = 0; trainer < 12; ++trainer) {
    const ckpt::detail::marked_file& file = files[trainer + 1];
    CHECK(file.name == "trainer_" + std::to_string(trainer));
    CHECK(file.size == get(run + "/checkpoint_0/" + file.name).size());
  }
}

TEST_CASE(
    "the damaged or lost file of any trainer makes the checkpoint broken, and latest goes back") {
  const scratch here;
  const std::string run = here.at("run");
  auto manager = small_manager::open(together(run, 4)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  REQUIRE(manager.save(state_of(2)).ok());
  const auto falls_back_for = [&](errc reason, const std::string& file) {
    CAPTURE(file);
    CHECK(manager.directory().check(1).error().kind == reason);
    small_state state;
    const auto found = manager.load_latest(state);
    REQUIRE_MESSAGE(found.ok(), found.message());
    CHECK(found->entry.serial == 0);
    CHECK(is_of(state, 1));
    REQUIRE(found->skipped.size() == 1);
    CHECK(found->skipped[0].reason.kind == reason);
    CHECK(found->skipped[0].message.find(file) != std::string::npos);
    // The whole checkpoint is refused, also to the trainers whose own files are whole.
    CHECK(trainer_member::open(run, 1)->load(1).error().kind == reason);
  };
  for (const char* name : {"trainer_0", "trainer_1", "trainer_3"}) {
    const std::string file = run + "/checkpoint_1/" + name;
    const bytes whole = get(file);
    bytes flipped = whole;
    flipped[flipped.size() / 2] ^= std::byte{1};
    put(file, flipped);
    falls_back_for(errc::checksum_mismatch, name);
    put(file, bytes(whole.begin(), whole.end() - 1));
    falls_back_for(errc::truncated, name);
    flipped = whole;
    flipped.push_back(std::byte{'\n'});
    put(file, flipped);
    falls_back_for(errc::trailing_bytes, name);
    fs::remove(file);
    falls_back_for(errc::not_found, name);
    put(file, whole);
  }
  CHECK(manager.latest().or_throw().entry.serial == 1);
}

TEST_CASE("the serial is told once for each save, in the order of the saves") {
  const scratch here;
  serials told;
  auto settings = keeping(here.at("run"), 2);
  settings.announce = [&](std::uint64_t serial) { told.push_back(serial); };
  auto manager = small_manager::open(settings).or_throw();
  CHECK(told.empty());
  for (std::uint64_t step = 1; step <= 3; ++step) REQUIRE(manager.save(state_of(step)).ok());
  CHECK(told == serials{0, 1, 2});
  ckpt::state_view<small, ckpt::adam> unbound;
  CHECK_FALSE(manager.save(unbound).ok());  // refused before a serial is chosen
  CHECK(told == serials{0, 1, 2});
}

TEST_CASE("saves in the background tell the serial once each, and wait for the trainers there") {
  const scratch here;
  const std::string run = here.at("run");
  serials told;
  auto settings = together(run, 3);
  const auto all_expected = settings.announce;
  settings.announce = [&](std::uint64_t serial) {
    told.push_back(serial);
    std::this_thread::sleep_for(milliseconds(5));
    all_expected(serial);
  };
  auto manager = small_manager::open(settings).or_throw();
  {
    auto saver = manager.asynchronous();
    for (std::uint64_t step = 1; step <= 5; ++step)
      REQUIRE(saver.save(state_of(step), trainer_arguments()).ok());
    const auto finished = saver.wait();
    REQUIRE_MESSAGE(finished.ok(), finished.message());
    CHECK(finished->size() == 5);
  }
  CHECK(told == serials{0, 1, 2, 3, 4});
  CHECK(serials_in(manager) == serials{2, 3, 4});
  CHECK(trainer_member::open(run, 2)->load(4).or_throw().step == 402);
}

TEST_CASE("in the background, too, trainers that do not come fail their save and no other") {
  const scratch here;
  auto settings = together(here.at("run"), 2);
  settings.trainer_timeout = milliseconds(10);
  const auto all_expected = settings.announce;
  settings.announce = [&](std::uint64_t serial) {
    if (serial != 1) all_expected(serial);
  };
  auto manager = small_manager::open(settings).or_throw();
  auto saver = manager.asynchronous();
  std::size_t failures = 0;
  for (std::uint64_t step = 1; step <= 3; ++step)
    if (!saver.save(state_of(step), trainer_arguments()).ok()) ++failures;
  for (auto finished = saver.wait(); !finished.ok(); finished = saver.wait()) {
    ++failures;
    CHECK(finished.error().kind == errc::not_finished);
  }
  CHECK(failures == 1);
  CHECK(serials_in(manager) == serials{0, 2});
}

#if CKPT_EXCEPTIONS
TEST_CASE("telling the serial may throw: nothing is left and the next save works") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  settings.announce = [](std::uint64_t serial) {
    if (serial == 0) throw std::runtime_error("the line is dead");
  };
  auto manager = small_manager::open(settings).or_throw();
  CHECK_THROWS_WITH(static_cast<void>(manager.save(state_of(1))), "the line is dead");
  CHECK(names_in(here.at("run")) == only_the_lock);
  CHECK(manager.save(state_of(2)).or_throw().serial == 1);
}
#endif

TEST_CASE("arguments of a trainer that are too long to be read again are refused to it") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = together(run, 2);
  const auto all_expected = settings.announce;
  settings.announce = [&](std::uint64_t serial) {
    trainer_arguments own;
    CHECK(own.set_text("long", std::string(ckpt::detail::longest_text, 'x')).ok());
    const auto member = trainer_member::open(run, 1).or_throw();
    CHECK(member.write(serial, own).error().kind == errc::limit_exceeded);
    CHECK(names_in(run + "/" + ckpt::detail::working_name(serial)).empty());
    all_expected(serial);
  };
  auto manager = small_manager::open(settings).or_throw();
  CHECK(manager.save(state_of(1)).ok());
}
