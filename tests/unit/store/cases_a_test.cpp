// Cases of kind A: a save is safe from crashes, and durable. Those of single files are in
// tests/unit/checkpoint; these are the same through the manager.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "cases.hpp"
#include "fixtures.hpp"
#include "name_watching_native.hpp"
#include "scaled_native.hpp"
#include "support.hpp"

using ckpt::dtype;
using ckpt::errc;
using namespace ckpt_test;
namespace fs = std::filesystem;

namespace {

using live_state = test::owned_state<ckpt::dynamic_model, ckpt::sgd>;
using live_manager = ckpt::checkpoint_manager<ckpt::dynamic_model, ckpt::sgd>;
using watched_manager = ckpt::basic_checkpoint_manager<name_watching_native, small, ckpt::adam>;
using counted_manager = ckpt::basic_checkpoint_manager<scaled_native<>, small, ckpt::adam>;

/// One tensor of so many bytes.
class sized_state {
 public:
  sized_state(std::uint64_t size, std::uint64_t seed)
      : specs_(1, ckpt::tensor_spec("w", dtype::u8, {size})),
        state_(ckpt::model_view{ckpt::span<const ckpt::tensor_spec>(specs_), {}}) {
    state_.fill(seed);
  }
  live_state& operator*() { return state_; }
  live_state* operator->() { return &state_; }

 private:
  std::vector<ckpt::tensor_spec> specs_;
  live_state state_;
};

/// In a process that may not make larger files.
bool limit_files(rlim_t size) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit bound{size, size};
  return ::setrlimit(RLIMIT_FSIZE, &bound) == 0;
}

}  // namespace

TEST_CASE("A2 a managed save on a full disk says no space, and all is as before") {
  const scratch here;
  const small_disk disk(here.at("disk"), "size=64k");
  if (!disk.is_there()) return;
  const std::string run = here.at("disk/run");
  auto manager = live_manager::open(keeping(run, 1)).or_throw();
  sized_state good(20 << 10, 1);
  REQUIRE(manager.save(good->view).ok());
  const auto before = tree_of(run);
  const auto room = disk.room();
  sized_state large(100 << 10, 2);
  const auto failed = manager.save(large->view);
  CHECK(failed.error().kind == errc::no_space);
  CHECK(test::mentions(failed.message(), "no space"));
  CHECK(test::mentions(failed.message(), run));
  CHECK(tree_of(run) == before);
  CHECK(disk.room() == room);
  sized_state loaded(20 << 10, 3);
  REQUIRE(manager.load_latest(loaded->view).ok());
  CHECK(loaded->memory == good->memory);
}

TEST_CASE("A2 a managed save beyond the largest file leaves all as before") {
  const scratch here;
  const std::string run = here.at("run");
  sized_state good(20 << 10, 1);
  REQUIRE(live_manager::open(keeping(run, 1))->save(good->view).ok());
  const auto before = tree_of(run);
  const int code = in_child([&] {
    if (!limit_files(64 << 10)) return 2;
    auto manager = live_manager::open(keeping(run, 1)).or_throw();
    const auto failed = manager.save(sized_state(100 << 10, 2)->view);
    if (failed.ok()) return 3;
    return test::mentions(failed.message(), run) ? 0 : 4;
  });
  CHECK(code == 0);
  CHECK(tree_of(run) == before);
}

TEST_CASE("A3 a managed save that is cut short anywhere fails, and nothing becomes visible") {
  using three_manager = ckpt::checkpoint_manager<fixture::three, ckpt::adam>;
  const scratch here;
  for (const rlim_t limit : {0U, 1U, 19U, 20U, 31U, 59U, 147U}) {
    CAPTURE(limit);
    const int code = in_child([&] {
      if (!limit_files(limit)) return 2;
      auto manager = three_manager::open(keeping(here.at("run"), 1)).or_throw();
      ckpt::state<fixture::three, ckpt::adam> state;
      return manager.save(state).ok() ? 1 : 0;
    });
    CHECK(code == 0);
    CHECK(tree_of(here.at("run")).empty());
  }
}

TEST_CASE("A5 a managed save writes and syncs each file, then the names, and then publishes") {
  const scratch here;
  auto manager = counted_manager::open(keeping(here.at("run"), 3)).or_throw();
  reset();
  REQUIRE(manager.save(state_of(1)).ok());
  std::vector<call> steps;
  for (const call step : now.journal)
    if (step == call::create || step == call::write || step == call::sync || step == call::move ||
        step == call::sync_directory)
      steps.push_back(step);
  const std::vector<call> expected = {
      call::create,         call::write,         call::sync,  // the model
      call::create,         call::write,         call::sync,  // the arguments of the chief
      call::create,         call::write,         call::sync,  // the mark
      call::sync_directory,                                   // their names
      call::move,                                             // the checkpoint gets its own
      call::sync_directory, call::sync_directory};
  CHECK(steps == expected);
}

TEST_CASE("A7 what crashed runs leave is no checkpoint and does not pile up") {
  const scratch here;
  const std::string run = here.at("run");
  { save_each(*quick_manager::open(keeping(run, 3)), {10}); }
  put(run + "/checkpoint_1", {});
  fs::create_directory(run + "/checkpoint_2");
  put(run + "/checkpoint_2/model.ckpt", {});
  put(run + "/checkpoint_2/_SUCCESS", {});
  fs::create_directory(run + "/.checkpoint_3.ckpt-tmp");
  bytes half = get(run + "/checkpoint_0/model.ckpt");
  half.resize(half.size() / 2);
  put(run + "/.checkpoint_3.ckpt-tmp/model.ckpt", half);
  CHECK(latest_step(run) == 10);
  { save_each(*quick_manager::open(keeping(run, 3)), {40}); }
  CHECK(latest_step(run) == 40);
  CHECK(working_names(run).empty());

  for (std::size_t round = 0; round < 100; ++round) {
    CAPTURE(round);
    const int ended = in_child([&] {
      std::size_t left = round % 12;  // changes of names that are made before the kill, if so many
      auto manager = watched_manager::open(keeping(run, 3)).or_throw();
      watch_names([&](const name_call& made) {
        if (made.verb != "sync" && left-- == 0) kill_itself();
      });
      return manager.save(state_of(50 + round)).ok() ? 1 : 2;
    });
    CHECK((ended == -SIGKILL || ended == 1));
    CHECK(working_names(run).size() <= 1);
    CHECK(latest_step(run) >= 40);
    CHECK(steps_in(run).size() <= 3 + 7);  // only whole saves remove, and they remove all at once
  }
  CHECK(fs::exists(run + "/checkpoint_1"));
}

TEST_CASE("A8 a managed save makes everything in its directory, wherever TMPDIR points") {
  const scratch here;
  const small_disk other(here.at("other"), "size=64k");
  const std::string run = here.at("run");
  const char* const before = std::getenv("TMPDIR");
  const std::string former = before == nullptr ? "" : before;
  ::setenv("TMPDIR", here.at("other").c_str(), 1);
  watch_names();
  {
    auto manager = watched_manager::open(keeping(run, 1)).or_throw();
    CHECK(manager.save(state_of(1)).ok());
  }
  if (before == nullptr) ::unsetenv("TMPDIR");
  if (before != nullptr) ::setenv("TMPDIR", former.c_str(), 1);
  std::size_t moves = 0;
  for (const name_call& made : name_log.calls) {
    if (made.verb == "sync") continue;
    CAPTURE(made.name);
    CHECK((made.name == run || made.name.compare(0, run.size() + 1, run + "/") == 0));
    if (made.verb == "move") ++moves;
  }
  CHECK(moves == 1);
  CHECK(fs::is_empty(here.at("other")));
  watch_names();
}

TEST_CASE("A9 files and directories of a managed save have the mode that the umask leaves") {
  const scratch here;
  const auto check_modes = [&](mode_t mask, unsigned file, unsigned directory) {
    const std::string run = here.at(std::to_string(mask));
    const mode_t old = ::umask(mask);
    save_each(*small_manager::open(keeping(run, 1)), {1});
    ::umask(old);
    CHECK(mode_of(run) == directory);
    CHECK(mode_of(run + "/checkpoint_0") == directory);
    for (const char* part : {"model.ckpt", "trainer_0", "_SUCCESS"})
      CHECK(mode_of(run + "/checkpoint_0/" + part) == file);
  };
  check_modes(0027, 0640, 0750);
  check_modes(0002, 0664, 0775);
}

TEST_CASE("A10 arguments that a trainer writes again keep the mode that their owner has set") {
  const scratch here;
  const std::string mine = here.at("run/.checkpoint_0.ckpt-tmp/trainer_1");
  const auto member = ckpt::trainer_member::open(here.at("run"), 1).or_throw();
  auto settings = keeping(here.at("run"), 1);
  settings.trainer_count = 2;
  settings.announce = [&](std::uint64_t serial) {
    const mode_t old = ::umask(0022);
    CHECK(member.write(serial, {}).ok());
    CHECK(mode_of(mine) == 0644);
    ::chmod(mine.c_str(), 0600);
    CHECK(member.write(serial, {}).ok());
    CHECK(mode_of(mine) == 0600);
    ::umask(old);
  };
  save_each(*small_manager::open(settings), {1});
  CHECK(mode_of(here.at("run/checkpoint_0/trainer_1")) == 0600);
}

namespace {

/// Loads what is there as one of two sizes; 0 unless it is neither of the two images.
int read_either(const std::string& path, const bytes images[2]) {
  for (int i = 0; i < 400; ++i) {
    const bytes found = test::read_file(path);
    if (found != images[0] && found != images[1]) return 1;
    sized_state loaded(found.size() - 32, 3);
    const auto outcome = ckpt::load(path, loaded->view);
    if (outcome.error().kind == errc::size_mismatch) continue;  // now it is the other one
    if (!outcome.ok()) return 2;
    const bytes& payload = loaded->payload(0, 0);
    if (!std::equal(payload.begin(), payload.end(), found.begin() + 24)) return 3;
  }
  return 0;
}

}  // namespace

TEST_CASE("A12 images of 148 bytes and of 4 KiB under one name are never mixed or missing") {
  const scratch here;
  const std::string path = here.at("shared.ckpt");
  sized_state states[] = {sized_state(148 - 32, 1), sized_state(4096 - 32, 2)};
  bytes images[2];
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(ckpt::save(path, states[i]->view).ok());
    images[i] = test::read_file(path);
  }
  REQUIRE(images[0].size() == 148);
  REQUIRE(images[1].size() == 4096);
  const auto writer = [&](live_state& state) {
    return start_child([&] {
      for (int i = 0; i < 200; ++i)
        if (!ckpt::save(path, state.view, {/*durable=*/i % 20 == 0}).ok()) return 1;
      return 0;
    });
  };
  const pid_t writers[] = {writer(*states[0]), writer(*states[1])};
  const pid_t reader = start_child([&] { return read_either(path, images); });
  CHECK(wait_for(writers[0]) == 0);
  CHECK(wait_for(writers[1]) == 0);
  CHECK(wait_for(reader) == 0);
  CHECK(here.names() == std::vector<std::string>{"shared.ckpt"});
}
