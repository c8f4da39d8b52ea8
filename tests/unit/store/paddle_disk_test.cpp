// PaddlePaddle's checkpoints of mid-2018, statement by statement: P<n> is statement n of the study
// of that system. Here: settings, what is on the disk, how a serial is chosen, and the save.
// paddle_life_test.cpp has the rest; roles_test.cpp goes deeper into 40 and 41.
//
// No behaviour of this library, and why:
//   4  (in part) a wrong type for the settings: the compiler refuses it
//   8  lookup tables of parameter servers: there are none; a table is a tensor like others (see P8)
//   9  (in part) the bytes of a variable file: interop reads them, tests/unit/interop/paddle_test
//  37  (in part) parameter servers: no such role; that 0 is told from "none" is tested
//  40  (in part) the environment variable with the number of the trainer: the caller's to read
//  42  (in part) advice to users; that one directory is for one job is enforced, and tested
//  43  events: they belong to a training loop, see examples/trainer/events.hpp and its tests
//  44  a plan for later; of it, what exists here is tested: the chief saves all, and the place in
//      the data is in the checkpoint
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "ckpt/base/crc32c.hpp"
#include "ckpt/model/index_of.hpp"
#include "ckpt/store/trainer_member.hpp"
#include "name_watching_native.hpp"
#include "sample.hpp"

using ckpt::errc;
using namespace ckpt_test;
using serials = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

namespace {

using watched_manager = ckpt::basic_checkpoint_manager<name_watching_native, small, ckpt::adam>;

template <class Change>
std::string refusal(const scratch& here, Change change) {
  auto settings = keeping(here.at("run"), 3);
  change(settings);
  const auto opened = small_manager::open(settings);
  CHECK(opened.error().kind == errc::invalid_settings);
  return opened.message();
}

/// Name, size and checksum of a file as a mark has them, calculated by other means than the mark.
std::string line_of(const std::string& directory, const std::string& name) {
  const bytes content = get(directory + "/" + name);
  char text[64] = {};
  std::snprintf(text, sizeof text, " %zu %08x\n", content.size(),
                static_cast<unsigned>(ckpt::crc32c({content.data(), content.size()})));
  return name + text;
}

/// Entries as they lie about in the directories of others, each with something in it.
void put_entry(const scratch& here, const std::string& name) {
  fs::create_directories(here.at("run/" + name));
  put(here.at("run/" + name + "/model.ckpt"), bytes(4));
}

}  // namespace

TEST_CASE("P1 three stay, every epoch, every tenth step; a directory has to be named") {
  const ckpt::manager_settings usual;
  CHECK(usual.max_to_keep == 3);
  CHECK(usual.epoch_interval == 1);
  CHECK(usual.step_interval == 10);
  const scratch here;
  // Ours differs: rotation never works in a current directory that nobody has named.
  const std::string refused = refusal(here, [](auto& s) { s.directory = ckpt::path(); });
  CHECK(refused.find("directory is empty") != std::string::npos);
  CHECK(here.names().empty());
}

TEST_CASE("P2 intervals and the number to keep are checked, and nothing is replaced silently") {
  const scratch here;
  CHECK(refusal(here, [](auto& s) { s.epoch_interval = 0; }).find("epoch_interval is 0") !=
        std::string::npos);
  CHECK(refusal(here, [](auto& s) { s.step_interval = 0; }).find("step_interval is 0") !=
        std::string::npos);
  CHECK(refusal(here, [](auto& s) { s.max_to_keep = 0; }).find("max_to_keep is 0") !=
        std::string::npos);
  CHECK(here.names().empty());
}

TEST_CASE("P3 to keep 0 is refused, and with 1 a save never deletes what it has just written") {
  const scratch here;
  const std::string refused = refusal(here, [](auto& s) { s.max_to_keep = 0; });
  CHECK(refused.find("give 1 or more") != std::string::npos);
  auto manager = small_manager::open(keeping(here.at("run"), 1)).or_throw();
  for (std::uint64_t step = 1; step <= 4; ++step) {
    REQUIRE(manager.save(state_of(step)).ok());
    CHECK(serials_in(manager) == serials{step - 1});
    small_state loaded;
    REQUIRE(manager.load_latest(loaded).ok());
    CHECK(is_of(loaded, step));
  }
}

TEST_CASE("P4 before the first save there is no serial, and step and epoch are what they were") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  small_state state;
  CHECK(manager.load_latest(state).error().kind == errc::no_checkpoint);
  CHECK(state.training.step == 0);
  CHECK(state.training.epoch == 0);
  fill(state, 17, 3);
  CHECK(manager.load_latest(state).error().kind == errc::no_checkpoint);
  CHECK(is_of(state, 17, 3));
}

TEST_CASE("P5 time and steps can both make a checkpoint due") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  settings.time_interval = std::chrono::seconds(600);
  auto manager = small_manager::open(settings).or_throw();
  const auto start = small_manager::clock::now();
  const auto later = [start](int seconds) { return start + std::chrono::seconds(seconds); };
  CHECK_FALSE(manager.should_save(3, 0, later(1)));
  CHECK(manager.should_save(10, 0, later(300)));  // by step, and the time begins again
  CHECK_FALSE(manager.should_save(14, 0, later(601)));
  CHECK(manager.should_save(15, 0, later(900)));  // by time
  CHECK(manager.should_save(20, 0, later(901)));  // by step
}

TEST_CASE(
    "P6 P10 checkpoint_<serial> holds the model, trainer_<id> with step and epoch, and a mark") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  REQUIRE(manager.save(state_of(20, 100)).ok());
  CHECK(names_in(here.at("run")) == std::vector<std::string>{".ckpt-lock", "checkpoint_0"});
  CHECK(names_in(here.at("run/checkpoint_0")) ==
        std::vector<std::string>{"_SUCCESS", "model.ckpt", "trainer_0"});
  CHECK(get_text(here.at("run/checkpoint_0/trainer_0")) == "epoch=100\nstep=20\n");
}

TEST_CASE("P7 one mark, written last, lists size and checksum of every file") {
  const scratch here;
  const std::string run = here.at("run");
  watch_names();
  auto manager = watched_manager::open(keeping(run, 3)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  const std::string made = run + "/checkpoint_0";
  const std::string lines =
      "ckpt checkpoint 1\n" + line_of(made, "model.ckpt") + line_of(made, "trainer_0");
  put_text(here.at("copy"), lines);
  const std::string sealing = line_of(here.root(), "copy");
  CHECK(get_text(made + "/_SUCCESS") == lines + "_SUCCESS" + sealing.substr(4));

  const std::string working = run + "/.checkpoint_0.ckpt-tmp/";
  const std::size_t marked = name_log.find("create", working + "_SUCCESS");
  REQUIRE(marked < name_log.calls.size());
  CHECK(name_log.find("create", working + "model.ckpt") < marked);
  CHECK(name_log.find("create", working + "trainer_0") < marked);
  for (std::size_t i = marked + 1; i < name_log.calls.size(); ++i)
    CHECK(name_log.calls[i].verb != "create");
}

TEST_CASE("P8 all that is saved is in the files that the mark lists, and all of it is loaded") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  const std::string mark = get_text(here.at("run/checkpoint_0/_SUCCESS"));
  for (const std::string& name : names_in(here.at("run/checkpoint_0")))
    CHECK(mark.find("\n" + name + " ") != std::string::npos);
  small_state loaded;
  REQUIRE(manager.load_latest(loaded).ok());
  CHECK(is_of(loaded, 1));
}

TEST_CASE("P9 any changed byte of any file is found, also of a format without checksums") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  ckpt::trainer_arguments arguments;
  REQUIRE(arguments.set_text("note", "a b").ok());
  REQUIRE(manager.save(state_of(1), arguments).ok());
  for (const char* name : {"model.ckpt", "trainer_0", "_SUCCESS"}) {
    const std::string file = here.at(std::string("run/checkpoint_0/") + name);
    const bytes whole = get(file);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      CAPTURE(name);
      CAPTURE(i);
      bytes changed = whole;
      changed[i] ^= std::byte{1} << (i % 8);
      put(file, changed);
      CHECK_FALSE(manager.directory().check(0).ok());
      changed.resize(i);
      put(file, changed);
      CHECK_FALSE(manager.directory().check(0).ok());
    }
    put(file, whole);
  }
  CHECK(manager.directory().check(0).ok());
}

TEST_CASE("P11 the latest is the highest serial that is whole, files of trainers included") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 9)).or_throw();
  const auto latest = [&] { return manager.latest().or_throw().entry.serial; };
  for (std::uint64_t step = 1; step <= 4; ++step) REQUIRE(manager.save(state_of(step)).ok());
  CHECK(latest() == 3);
  fs::remove(here.at("run/checkpoint_3/_SUCCESS"));
  CHECK(latest() == 2);
  fs::remove(here.at("run/checkpoint_2/trainer_0"));  // never consulted there
  CHECK(latest() == 1);
  fs::remove(here.at("run/checkpoint_1/model.ckpt"));
  CHECK(latest() == 0);
  const auto absent = ckpt::checkpoint_directory::open(here.at("absent")).or_throw();
  CHECK(absent.latest().error().kind == errc::no_checkpoint);
}

TEST_CASE(
    "P12 an unmarked checkpoint_10 left by a crash keeps its number: the next save takes 11") {
  const scratch here;
  fs::create_directories(here.at("run/checkpoint_10"));
  put(here.at("run/checkpoint_10/model.ckpt"), pattern(50));
  put_text(here.at("run/checkpoint_10/trainer_0"), "epoch=1\nstep=2\n");
  auto manager = small_manager::open(keeping(here.at("run"), 1)).or_throw();
  CHECK(manager.save(state_of(1)).or_throw().serial == 11);
  CHECK(manager.save(state_of(2)).or_throw().serial == 12);
  CHECK(get(here.at("run/checkpoint_10/model.ckpt")) == pattern(50));
  CHECK(get_text(here.at("run/checkpoint_10/trainer_0")) == "epoch=1\nstep=2\n");
  CHECK(manager.latest().or_throw().entry.serial == 12);
}

#if !defined(_WIN32)
TEST_CASE("P12 the number of a save that was killed on the way is not used again") {
  const scratch here;
  const std::string run = here.at("run");
  for (const std::string& last : {std::string("model.ckpt"), std::string("_SUCCESS")}) {
    CAPTURE(last);
    const std::uint64_t killed = last == "_SUCCESS" ? 1 : 0;
    const int ended = in_child([&] {
      const std::string working = run + "/.checkpoint_" + std::to_string(killed) + ".ckpt-tmp/";
      watch_names([&](const name_call& made) {
        if (made.name == working + last) ::raise(SIGKILL);
      });
      auto manager = watched_manager::open(keeping(run, 3)).or_throw();
      return manager.save(state_of(1)).ok() ? 0 : 1;
    });
    CHECK(ended == -SIGKILL);
    CHECK(fs::exists(run + "/.checkpoint_" + std::to_string(killed) + ".ckpt-tmp"));
    const auto directory = ckpt::checkpoint_directory::open(run).or_throw();
    CHECK(directory.latest().error().kind == errc::no_checkpoint);
  }
  auto manager = small_manager::open(keeping(run, 3)).or_throw();
  CHECK(names_in(run) == std::vector<std::string>{".ckpt-lock"});
  CHECK(manager.save(state_of(3)).or_throw().serial == 2);
}
#endif

TEST_CASE("P13 a serial is decimal digits without leading zeros, or the entry is somebody else's") {
  const scratch here;
  for (const char* name : {"checkpoint_", "checkpoint_x", "checkpoint_1x", "checkpoint_-1",
                           "checkpoint_ 1", "checkpoint_1.0", "checkpoint_0x1", "checkpoint_+1",
                           "checkpoint_01", "Checkpoint_1", "checkpoint-1"})
    put_entry(here, name);
  auto manager = small_manager::open(keeping(here.at("run"), 1)).or_throw();
  CHECK(manager.latest().error().kind == errc::no_checkpoint);
  CHECK(manager.list().or_throw().empty());
  CHECK(manager.save(state_of(1)).or_throw().serial == 0);
  CHECK(manager.save(state_of(2)).or_throw().removed == serials{0});
  CHECK(manager.clear().or_throw().removed == serials{1});
  CHECK(names_in(here.at("run")).size() == 12);  // all of them, and the lock
}

TEST_CASE("P14 foo and foo_bar_1 disturb neither look-up nor save nor clean") {
  const scratch here;
  for (const char* name : {"foo", "foo_bar_1", "_", "__", "_1", "checkpoint", "checkpoint_1_2"})
    put_entry(here, name);
  put(here.at("run/foo_bar_2"), bytes(3));
  auto manager = small_manager::open(keeping(here.at("run"), 2)).or_throw();
  for (std::uint64_t step = 1; step <= 4; ++step) REQUIRE(manager.save(state_of(step)).ok());
  CHECK(manager.latest().or_throw().entry.serial == 3);
  CHECK(serials_in(manager) == serials{2, 3});
  CHECK(manager.clear().or_throw().removed == serials{2, 3});
  CHECK(names_in(here.at("run")) == std::vector<std::string>{".ckpt-lock", "_", "_1", "__",
                                                             "checkpoint", "checkpoint_1_2", "foo",
                                                             "foo_bar_1", "foo_bar_2"});
}

TEST_CASE("P15 bar_77 is not serial 77, and looking creates no checkpoint_77") {
  const scratch here;
  put_entry(here, "bar_77");
  put_text(here.at("run/bar_77/_SUCCESS"), "");
  const auto directory = ckpt::checkpoint_directory::open(here.at("run")).or_throw();
  small_state state;
  CHECK(directory.latest().error().kind == errc::no_checkpoint);
  CHECK(directory.load_latest(state).error().kind == errc::no_checkpoint);
  CHECK(directory.check(77).error().kind == errc::not_found);
  CHECK(directory.load(77, state).error().kind == errc::not_found);
  CHECK(names_in(here.at("run")) == std::vector<std::string>{"bar_77"});
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  CHECK(manager.save(state_of(1)).or_throw().serial == 0);
  CHECK(names_in(here.at("run")) ==
        std::vector<std::string>{".ckpt-lock", "bar_77", "checkpoint_0"});
}

TEST_CASE("P16 directories without a mark, before, between and behind, are passed over") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 9)).or_throw();
  for (std::uint64_t step = 1; step <= 5; ++step) REQUIRE(manager.save(state_of(step)).ok());
  for (const int serial : {0, 2, 4})
    fs::remove(here.at("run/checkpoint_" + std::to_string(serial) + "/_SUCCESS"));
  fs::create_directory(here.at("run/checkpoint_7"));  // nothing in it at all
  const auto latest = manager.latest().or_throw();
  CHECK(latest.entry.serial == 3);
  REQUIRE(latest.skipped.size() == 2);
  CHECK(latest.skipped[0].name == "checkpoint_7");
  CHECK(latest.skipped[0].reason.kind == errc::not_finished);
  CHECK(latest.skipped[1].name == "checkpoint_4");
  CHECK(serials_in(manager) == serials{1, 3});
  CHECK(manager.list().or_throw().size() == 6);
}

TEST_CASE("P17 reading makes no directory, and a file in its place is called what it is") {
  const scratch here;
  const auto directory = ckpt::checkpoint_directory::open(here.at("run")).or_throw();
  const auto member = ckpt::trainer_member::open(here.at("run"), 1).or_throw();
  small_state state;
  CHECK(directory.list().or_throw().empty());
  CHECK_FALSE(directory.latest().ok());
  CHECK_FALSE(directory.check(0).ok());
  CHECK_FALSE(directory.load(0, state).ok());
  CHECK_FALSE(directory.load_latest(state).ok());
  CHECK_FALSE(directory.load_arguments(0, 0).ok());
  CHECK_FALSE(member.load(0).ok());
  CHECK(member.write(0, {}).error().kind == errc::not_found);
  CHECK(here.names().empty());
  CHECK(small_manager::open(keeping(here.at("run/a/b"), 3)).ok());  // parents, too
  CHECK(small_manager::open(keeping(here.at("run/a/b"), 3)).ok());  // one that is there is fine
  put(here.at("file"), bytes(3));
  CHECK(small_manager::open(keeping(here.at("file"), 3)).error().kind == errc::not_a_directory);
}

TEST_CASE("P18 the order of a save: directory, model, arguments, mark, name, and then removals") {
  const scratch here;
  const std::string run = here.at("run");
  watch_names();
  auto manager = watched_manager::open(keeping(run, 1)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  watch_names();
  REQUIRE(manager.save(state_of(2)).ok());
  const std::string working = run + "/.checkpoint_1.ckpt-tmp";
  const std::string removed = run + "/.checkpoint_0.ckpt-tmp";
  const std::vector<name_call> expected = {{"make", working},
                                           {"create", working + "/model.ckpt"},
                                           {"create", working + "/trainer_0"},
                                           {"create", working + "/_SUCCESS"},
                                           {"sync", working},
                                           {"move", run + "/checkpoint_1"},
                                           {"sync", run + "/checkpoint_1"},
                                           {"sync", run},
                                           {"move", removed},
                                           {"remove", removed + "/_SUCCESS"},
                                           {"remove", removed + "/model.ckpt"},
                                           {"remove", removed + "/trainer_0"},
                                           {"remove", removed}};
  REQUIRE(name_log.calls.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(name_log.calls[i].verb == expected[i].verb);
    CHECK(name_log.calls[i].name == expected[i].name);
  }
}

TEST_CASE("P19 no directory and no state are errors, not assertions") {
  const scratch here;
  const char* const none = nullptr;
  CHECK(refusal(here, [&](auto& s) { s.directory = none; }).find("directory is empty") !=
        std::string::npos);
  CHECK(ckpt::checkpoint_directory::open(none).error().kind == errc::empty_path);
  CHECK(ckpt::trainer_member::open(none, 1).error().kind == errc::empty_path);
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  CHECK(manager.save(ckpt::state_view<small, ckpt::adam>()).error().kind == errc::unbound_tensor);
  CHECK(names_in(here.at("run")) == std::vector<std::string>{".ckpt-lock"});
}

TEST_CASE("P20 arguments may be left out: step and epoch are there all the same") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  REQUIRE(manager.save(state_of(41, 3)).ok());
  const auto loaded = manager.directory().load_arguments(0, 0).or_throw();
  CHECK(loaded.step == 41);
  CHECK(loaded.epoch == 3);
  CHECK(loaded.size() == 0);
}

TEST_CASE("P20 arguments that are too long to be read again are refused, and nothing is left") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 1)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  ckpt::trainer_arguments arguments;
  REQUIRE(arguments.set_text("long", std::string(ckpt::detail::longest_text, 'x')).ok());
  const auto refused = manager.save(state_of(2), arguments);
  CHECK(refused.error().kind == errc::limit_exceeded);
  CHECK(refused.message().find("trainer_0") != std::string::npos);
  CHECK(names_in(here.at("run")) == std::vector<std::string>{".ckpt-lock", "checkpoint_0"});
  arguments = {};
  const std::size_t head = std::string("epoch=0\nstep=3\nlong=\n").size();
  REQUIRE(arguments.set_text("long", std::string(ckpt::detail::longest_text - head, 'x')).ok());
  REQUIRE(manager.save(state_of(3), arguments).ok());
  CHECK(manager.latest().or_throw().entry.step == 3);
}

TEST_CASE("P21 due are multiples of the interval in epochs that are, and never before a step") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  settings.epoch_interval = 2;
  settings.step_interval = 10;
  auto manager = small_manager::open(settings).or_throw();
  constexpr std::uint64_t steps_per_epoch = 25;
  serials due;
  for (std::uint64_t step = 0; step <= 100; ++step)
    if (manager.should_save(step, step / steps_per_epoch)) due.push_back(step);
  // Epochs 0 and 2 (steps 50 to 74), and the beginning of epoch 4.
  CHECK(due == serials{10, 20, 50, 60, 70, 100});
}

namespace {

/// A model as PaddlePaddle's trainers have it, and the tensor of a user whose name its rule takes
/// for one of its own.
struct trained {
  static constexpr auto tensors = ckpt::tensors({{"fc_0.w_0", ckpt::dtype::f32, {2, 3}},
                                                 {"fc_0.w_0@GRAD", ckpt::dtype::f32, {2, 3}},
                                                 {"fc_0.w_0.trainer_1", ckpt::dtype::f32, {2, 3}},
                                                 {"fc_0.w_0.block0", ckpt::dtype::f32, {2, 3}},
                                                 {"head.block1.w", ckpt::dtype::f32, {4}},
                                                 {"fc_0.b_0", ckpt::dtype::f32, {3}}});
};
struct kept {
  static constexpr auto tensors =
      ckpt::tensors({{"fc_0.w_0", ckpt::dtype::f32, {2, 3}}, {"fc_0.b_0", ckpt::dtype::f32, {3}}});
};
using trained_state = ckpt::state<trained, ckpt::momentum>;
using filtering_manager =
    ckpt::checkpoint_manager<trained, ckpt::momentum, ckpt::onert, ckpt::paddle_filter>;
using plain_manager = ckpt::checkpoint_manager<trained, ckpt::momentum>;

/// Every byte of tensor i is `first + i`.
trained_state painted(unsigned first) {
  trained_state made;
  for (std::size_t i = 0; i < trained::tensors.size(); ++i) {
    const auto value = static_cast<int>(first + i);
    std::memset(made.weight_bytes(i).data(), value, made.weight_bytes(i).size());
    std::memset(made.slot_bytes(0, i).data(), value, made.slot_bytes(0, i).size());
  }
  made.training.step = first;
  return made;
}

unsigned colour(const trained_state& state, std::size_t index) {
  CHECK(state.weight_bytes(index)[0] == state.slot_bytes(0, index)[0]);
  return std::to_integer<unsigned>(state.weight_bytes(index)[0]);
}

}  // namespace

TEST_CASE("P22 with Paddle's filter what its rule drops is neither saved nor loaded") {
  const scratch here;
  auto manager = filtering_manager::open(keeping(here.at("run"), 3)).or_throw();
  REQUIRE(manager.save(painted(10)).ok());

  ckpt::state<kept, ckpt::momentum> rest;
  const auto directory = ckpt::checkpoint_directory::open(here.at("run")).or_throw();
  const auto alone = directory.load_latest(rest);  // the file is that of a model without them
  REQUIRE_MESSAGE(alone.ok(), alone.message());
  CHECK(rest.weight_bytes(0)[0] == std::byte{10});
  CHECK(rest.weight_bytes(1)[0] == std::byte{15});

  trained_state loaded = painted(100);
  REQUIRE(manager.load_latest(loaded).ok());
  const std::vector<unsigned> expected = {10, 101, 102, 103, 104, 15};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(colour(loaded, i) == expected[i]);
  }
  CHECK(loaded.training.step == 10);
}

TEST_CASE("P23 a user's head.block1.w is saved, unless Paddle's filter was asked for") {
  const scratch here;
  constexpr std::size_t head = ckpt::index_of<trained>("head.block1.w");
  trained_state loaded = painted(100);
  auto plain = plain_manager::open(keeping(here.at("plain"), 3)).or_throw();
  REQUIRE(plain.save(painted(10)).ok());
  REQUIRE(plain.load_latest(loaded).ok());
  for (std::size_t i = 0; i < trained::tensors.size(); ++i) CHECK(colour(loaded, i) == 10 + i);

  loaded = painted(100);
  auto filtering = filtering_manager::open(keeping(here.at("filtered"), 3)).or_throw();
  REQUIRE(filtering.save(painted(10)).ok());
  REQUIRE(filtering.load_latest(loaded).ok());
  CHECK(colour(loaded, head) == 100 + head);
}

TEST_CASE("P24 nothing has its final name before it is whole and on the disk") {
  const scratch here;
  const std::string run = here.at("run");
  std::size_t looked = 0;
  bool is_moved = false;
  watch_names([&](const name_call& made) {
    if (made.name.find("/.ckpt-lock") != std::string::npos) return;
    if (!is_moved) CHECK_FALSE(fs::exists(run + "/checkpoint_0"));
    if (made.verb == "move") {
      CHECK(name_log.find("sync", run + "/.checkpoint_0.ckpt-tmp") < name_log.calls.size());
      is_moved = true;
    }
    ++looked;
  });
  auto manager = watched_manager::open(keeping(run, 3)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  CHECK(is_moved);
  CHECK(looked >= 8);
  CHECK(name_log.find("sync", run) < name_log.calls.size());
  watch_names();
}
