// Cases of kind F: the latest, rotation, the best, and names in the directory of a manager.
#include <doctest/doctest.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "cases.hpp"
#include "name_watching_native.hpp"
#include "scaled_native.hpp"

using ckpt::errc;
using namespace ckpt_test;
namespace fs = std::filesystem;

namespace {

using counted_manager = ckpt::basic_checkpoint_manager<scaled_native<>, small, ckpt::adam>;
using watched_manager = ckpt::basic_checkpoint_manager<name_watching_native, small, ckpt::adam>;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("F1 of 2, 9, 10 and 100 the last two stay, and not those that sort last as text") {
  const scratch here;
  save_each(*small_manager::open(keeping(here.at("run"), 2)), {2, 9, 10, 100});
  CHECK(steps_in(here.at("run")) == counters{10, 100});
  CHECK(latest_step(here.at("run")) == 100);

  // The same where the serials are these numbers.
  const std::string other = here.at("other");
  for (const std::uint64_t serial : {2U, 9U, 10U, 100U}) {
    const std::string before = other + "/checkpoint_" + std::to_string(serial - 1);
    const bool is_made = fs::create_directories(before);
    save_each(*small_manager::open(keeping(other, 2)), {serial});
    if (is_made) fs::remove(before);
  }
  CHECK(serials_in(reader_of(other)) == counters{10, 100});
}

namespace {

/// Gives everything in a directory a time: all the same, or later for what is older.
void set_times(const std::string& run, bool is_reversed) {
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    time_t when = 1000000000;
    for (std::uint64_t serial = 0; is_reversed && serial < 10; ++serial)
      if (has(entry.path().string(), "checkpoint_" + std::to_string(serial)))
        when -= static_cast<time_t>(100 * serial);
    const timeval times[2] = {{when, 0}, {when, 0}};
    REQUIRE(::utimes(entry.path().c_str(), times) == 0);
  }
}

}  // namespace

TEST_CASE("F2 the times of the files mean nothing for what is the latest and what goes") {
  for (const bool is_reversed : {false, true}) {
    const scratch here;
    const std::string run = here.at("run");
    { save_each(*small_manager::open(keeping(run, 9)), {200, 400, 600, 800}); }
    set_times(run, is_reversed);
    CHECK(latest_step(run) == 800);
    { save_each(*small_manager::open(keeping(run, 3)), {1000}); }
    CHECK(steps_in(run) == counters{600, 800, 1000});
    set_times(run, is_reversed);
    CHECK(latest_step(run) == 1000);
  }
}

TEST_CASE("F3 a new run in a used directory is newer, and its checkpoints push the old ones out") {
  for (const std::size_t kept : {std::size_t{3}, std::size_t{1}}) {
    CAPTURE(kept);
    const scratch here;
    const std::string run = here.at("run");
    { save_each(*small_manager::open(keeping(run, 3)), {500, 600, 700}); }
    auto manager = small_manager::open(keeping(run, kept)).or_throw();
    save_each(manager, {100});
    CHECK(steps_in(run) == (kept == 3 ? counters{600, 700, 100} : counters{100}));
    CHECK(latest_step(run) == 100);
    small_state loaded;
    REQUIRE(manager.load_latest(loaded).ok());
    CHECK(is_of(loaded, 100));
  }
}

TEST_CASE("F4 a save that fails on a full disk costs no older one its life") {
  const scratch here;
  const small_disk disk(here.at("disk"), "size=64k");
  if (!disk.is_there()) return;
  const std::string run = here.at("disk/run");
  auto manager = small_manager::open(keeping(run, 1)).or_throw();
  save_each(manager, {10});
  std::ofstream(here.at("disk/ballast")) << std::string(1 << 16, 'x');
  const auto failed = manager.save(state_of(20));
  CHECK(failed.error().kind == errc::no_space);
  CHECK(steps_in(run) == counters{10});
  CHECK(latest_step(run) == 10);
  CHECK(working_names(run).empty());
}

TEST_CASE("F4 a save that fails in any of its calls costs no older one its life") {
  constexpr call kinds[] = {call::make_directory, call::create, call::write, call::sync,
                            call::sync_directory, call::move,   call::close};
  std::size_t failures = 0;
  for (const call kind : kinds)
    for (std::size_t number = 1; number <= 3; ++number) {
      const scratch here;
      auto manager = counted_manager::open(keeping(here.at("run"), 1)).or_throw();
      save_each(manager, {10});
      reset();
      now.fail_kind = kind;
      now.fail_at = number;
      now.fail_error = ENOSPC;
      const auto failed = manager.save(state_of(20));
      reset();
      if (failed.ok()) continue;  // so many calls it does not make, or not for this
      ++failures;
      const counters steps = steps_in(here.at("run"));
      REQUIRE_FALSE(steps.empty());
      CHECK(steps.front() == 10);
      // Only a name that may not be on the disk yet can be there already.
      CHECK((steps.size() == 1 || kind == call::sync_directory));
      CHECK(working_names(here.at("run")).empty());
    }
  CHECK(failures >= 15);
}

TEST_CASE("F5 to keep none is refused, and -1 is so many that all stay") {
  const scratch here;
  const std::string run = here.at("run");
  { save_each(*small_manager::open(keeping(run, 3)), {1, 2, 3}); }
  const auto before = tree_of(run);
  const auto refused = small_manager::open(keeping(run, 0));
  CHECK(refused.error().kind == errc::invalid_settings);
  CHECK(has(refused.message(), "max_to_keep"));
  CHECK(tree_of(run) == before);
  constexpr std::size_t most = (std::numeric_limits<std::size_t>::max)();
  save_each(*small_manager::open(keeping(run, most)), {4});
  CHECK(steps_in(run) == counters{1, 2, 3, 4});
}

TEST_CASE("F6 the best and the last stay, and nothing else") {
  const scratch here;
  auto settings = keeping(here.at("run"), 1);
  settings.best.metric = "loss";
  auto manager = small_manager::open(settings).or_throw();
  std::uint64_t step = 0;
  for (const double loss : {0.1, 0.5, 0.4, 0.6, 0.3}) {
    ckpt::trainer_arguments own;
    REQUIRE(own.set_real("loss", loss).ok());
    REQUIRE(manager.save(state_of(++step), own).ok());
    CHECK(steps_in(here.at("run")) == (step == 1 ? counters{1} : counters{1, step}));
  }
  CHECK(latest_step(here.at("run")) == 5);
}

TEST_CASE("F8 there is no pointer to go stale; one of somebody else is ignored, whatever it says") {
  const scratch here;
  const std::string run = here.at("run");
  { save_each(*small_manager::open(keeping(run, 3)), {10, 20}); }
  for (const auto& entry : tree_of(run)) {
    const std::string& name = entry.first;
    CAPTURE(name);
    CHECK((fs::is_directory(name) || has(name, "/checkpoint_")));
  }
  CHECK(latest_step(run) == 20);  // absent
  for (const std::string& text :
       {std::string(), std::string("checkpo"), std::string("checkpoint_30\n"),
        std::string("model_checkpoint_path: \"/gone/checkpoint_0\""),
        std::string("\0\xFF\n\x01", 4)})
    for (const char* pointer : {"latest", "checkpoint", "checkpoint_latest"}) {
      CAPTURE(pointer);
      put_text(run + "/" + pointer, text);
      auto manager = small_manager::open(keeping(run, 3)).or_throw();
      const auto found = manager.latest().or_throw();
      CHECK(found.entry.step == 20);
      const bool is_noted = !found.skipped.empty() && found.skipped[0].name == pointer &&
                            found.skipped[0].reason.kind == errc::foreign_entry;
      CHECK(is_noted == (pointer != std::string("latest")));  // that is not like our names at all
      CHECK(get_text(run + "/" + pointer) == text);
      fs::remove(run + "/" + pointer);
    }
}

TEST_CASE("F9 a run that is moved is found by any path, and no stored text has a path in it") {
  const scratch here;
  const int code = in_child([&] {
    if (::chdir(here.root().c_str()) != 0) return 1;
    {
      auto manager = small_manager::open(keeping("runs/a", 3)).or_throw();
      manager.save(state_of(10)).or_throw();
      manager.save(state_of(20)).or_throw();
    }
    fs::create_directory("other");
    fs::rename("runs/a", "other/b");
    if (latest_step("other/b") != 20 || latest_step(here.at("other/b")) != 20) return 2;
    if (::chdir("other") != 0 || latest_step("b") != 20 || latest_step("./b/") != 20) return 3;
    if (::chdir("b") != 0 || latest_step(".") != 20 || latest_step("../b") != 20) return 4;
    small_state loaded;
    auto manager = small_manager::open(keeping(".", 3)).or_throw();
    if (!manager.load_latest(loaded).ok() || !is_of(loaded, 20)) return 5;
    return manager.save(state_of(30)).or_throw().serial == 2 ? 0 : 6;
  });
  CHECK(code == 0);
  CHECK(latest_step(here.at("other/b")) == 30);
  CHECK(fs::is_empty(here.at("runs")));
  for (const auto& entry : tree_of(here.at("other/b"))) {
    const std::string& name = entry.first;
    if (fs::is_directory(name)) continue;
    CAPTURE(name);
    const std::string text = get_text(name);
    const bool is_model = has(name, "model.ckpt");  // has any byte
    CHECK((is_model || (!has(text, "/") && !has(text, "\\"))));
    CHECK_FALSE(has(text, "runs"));
    CHECK_FALSE(has(text, here.root()));
  }
}

TEST_CASE("F11 of 10, 20 and a cut 30 it is 20 that is loaded, and 30 is named and kept") {
  const scratch here;
  const std::string run = here.at("run");
  auto manager = small_manager::open(keeping(run, 3)).or_throw();
  save_each(manager, {10, 20, 30});
  const std::string cut = run + "/checkpoint_2/model.ckpt";
  fs::resize_file(cut, fs::file_size(cut) / 2);
  const auto before = tree_of(run);
  small_state loaded;
  const auto found = manager.load_latest(loaded).or_throw();
  CHECK(found.entry.step == 20);
  CHECK(is_of(loaded, 20));
  REQUIRE(found.skipped.size() == 1);
  CHECK(found.skipped[0].name == "checkpoint_2");
  CHECK(found.skipped[0].reason.kind == errc::truncated);
  CHECK(has(found.skipped[0].message, cut));
  CHECK(tree_of(run) == before);
}

TEST_CASE("F14 a checkpoint without its mark is unfinished, and the mark is written last") {
  const scratch here;
  const std::string run = here.at("run");
  watch_names();
  auto manager = watched_manager::open(keeping(run, 3)).or_throw();
  save_each(manager, {10, 20, 30});
  const std::string made = run + "/.checkpoint_2.ckpt-tmp/";
  CHECK(name_log.find("create", made + "model.ckpt") < name_log.find("create", made + "_SUCCESS"));
  CHECK(name_log.find("create", made + "trainer_0") < name_log.find("create", made + "_SUCCESS"));
  CHECK(name_log.find("create", made + "_SUCCESS") < name_log.find("move", run + "/checkpoint_2"));
  watch_names();
  fs::remove(run + "/checkpoint_2/_SUCCESS");
  const auto before = tree_of(run);
  CHECK(latest_step(run) == 20);
  small_state loaded;
  const auto refused = manager.load(2, loaded);
  CHECK(refused.error().kind == errc::not_finished);
  CHECK(has(refused.message(), "_SUCCESS"));
  CHECK(tree_of(run) == before);
  // Who wants it all the same has the model file.
  REQUIRE(ckpt::load(manager.directory().model_path(2), loaded).ok());
  CHECK(is_of(loaded, 30));
}

namespace {

/// Takes the directory whenever it is free, a save at a time.
int save_in_turns(const std::string& run, std::uint64_t first_step) {
  for (std::uint64_t step = first_step; step < first_step + 200;) {
    auto manager = quick_manager::open(keeping(run, 3));
    if (manager.error().kind == errc::busy) continue;
    if (!manager.ok()) return 1;
    const auto saved = manager->save(state_of(step));
    if (!saved.ok() || !saved->not_removed.empty()) return 2;
    step += 2;
  }
  return 0;
}

/// Reads until a step is there; what it reads never goes back.
int read_until(const std::string& run, std::uint64_t last) {
  const auto reader = reader_of(run);
  small_state loaded;
  std::uint64_t before = 0;
  while (before < last) {
    const auto found = reader.load_latest(loaded);
    if (!found.ok()) return 1;
    if (!found->skipped.empty()) return 2;
    if (!is_of(loaded, found->entry.step) || loaded.training.step < before) return 3;
    before = loaded.training.step;
  }
  return 0;
}

}  // namespace

TEST_CASE("F15 a second process is refused at open, and by name") {
  const scratch here;
  const std::string run = here.at("run");
  auto manager = small_manager::open(keeping(run, 3)).or_throw();
  save_each(manager, {1});
  const auto before = tree_of(run);
  const int code = in_child([&] {
    const auto refused = small_manager::open(keeping(run, 3));
    return refused.error().kind == errc::busy && has(refused.message(), run + "/.ckpt-lock") ? 0
                                                                                             : 1;
  });
  CHECK(code == 0);
  CHECK(tree_of(run) == before);
  save_each(manager, {2});
}

TEST_CASE("F15 two processes that save odd and even steps in turns lose nothing") {
  const scratch here;
  const std::string run = here.at("run");
  const pid_t odd = start_child([&] { return save_in_turns(run, 1); });
  const pid_t even = start_child([&] { return save_in_turns(run, 2); });
  CHECK(wait_for(odd) == 0);
  CHECK(wait_for(even) == 0);
  CHECK(serials_in(reader_of(run)) == counters{197, 198, 199});  // 200 saves, no serial twice
  CHECK(steps_in(run).size() == 3);
  CHECK(latest_step(run) >= 199);
  CHECK(working_names(run).empty());
}

TEST_CASE("F15 readers never meet a broken or missing checkpoint while 100 are saved and rotated") {
  const scratch here;
  const std::string run = here.at("run");
  for (const std::size_t kept : {std::size_t{1}, std::size_t{3}}) {
    CAPTURE(kept);
    auto manager = quick_manager::open(keeping(run, kept)).or_throw();
    save_each(manager, {1});
    const pid_t readers[] = {start_child([&] { return read_until(run, 100); }),
                             start_child([&] { return read_until(run, 100); })};
    for (std::uint64_t step = 2; step <= 100; ++step) save_each(manager, {step});
    CHECK(wait_for(readers[0]) == 0);
    CHECK(wait_for(readers[1]) == 0);
    REQUIRE(manager.clear().ok());
  }
}

TEST_CASE("F18 names that are nearly ours, with whole checkpoints in them, are somebody else's") {
  const scratch here;
  const std::string run = here.at("run");
  { save_each(*small_manager::open(keeping(run, 3)), {10}); }
  const std::vector<std::string> foreign = {"checkpoint_0010",
                                            "checkpoint_10-merged",
                                            "checkpoint_10 (copy)",
                                            "checkpoint_-5",
                                            "checkpoint_",
                                            "checkpoint_99999999999999999999",
                                            "checkpoint_+7",
                                            "checkpoint_1e3",
                                            "Checkpoint_5",
                                            "checkpoint_5 ",
                                            "checkpoint_18446744073709551616"};
  for (const std::string& name : foreign)
    fs::copy(run + "/checkpoint_0", run + "/" + name, fs::copy_options::recursive);
  const auto before = tree_of(run);
  auto manager = small_manager::open(keeping(run, 1)).or_throw();
  CHECK(serials_in(manager) == counters{0});
  CHECK(manager.latest().or_throw().entry.serial == 0);
  save_each(manager, {20, 30});
  CHECK(serials_in(manager) == counters{2});
  CHECK(steps_in(run) == counters{30});
  REQUIRE(manager.clear().ok());
  for (const auto& entry : before) {
    const std::string& name = entry.first;
    CAPTURE(name);
    const bool is_ours = has(name + "/", "/checkpoint_0/");
    CHECK(fs::exists(name) != is_ours);
    if (!is_ours) CHECK((fs::is_directory(name) || get(name) == entry.second));
  }
}

TEST_CASE("F19 what is of the wrong kind is named as such, and nothing is removed") {
  const scratch here;
  const std::string file = here.at("file");
  put_text(file, "precious");
  const auto opened = small_manager::open(keeping(file, 3));
  CHECK(opened.error().kind == errc::not_a_directory);
  CHECK(has(opened.message(), file));
  const auto below = small_manager::open(keeping(file + "/run", 3));
  CHECK(below.error().kind == errc::invalid_path);  // a file is no parent
  CHECK(has(below.message(), file));
  CHECK(get_text(file) == "precious");

  fs::create_directories(here.at("folder/more"));
  const auto saved = ckpt::save(here.at("folder"), state_of(1));
  CHECK(saved.error().kind == errc::not_a_regular_file);
  CHECK(has(saved.message(), here.at("folder")));
  CHECK(fs::is_directory(here.at("folder/more")));

  const auto lost = ckpt::save(here.at("no/parent.ckpt"), state_of(1));
  CHECK(lost.error().kind == errc::not_found);
  CHECK(has(lost.message(), here.at("no/parent.ckpt")));
  CHECK_FALSE(fs::exists(here.at("no")));
  // The manager makes its directory and the parents, as its settings say.
  save_each(*small_manager::open(keeping(here.at("no/parent/run"), 3)), {1});
  CHECK(latest_step(here.at("no/parent/run")) == 1);
}

TEST_CASE("F20 no directory is not the current one, and there only own names are touched") {
  const scratch here;
  put_text(here.at("thesis.tex"), "years");
  fs::create_directories(here.at("checkpoints/1"));
  put_text(here.at("checkpoint"), "mine");
  const auto before = tree_of(here.root());
  const int code = in_child([&] {
    if (::chdir(here.root().c_str()) != 0) return 1;
    if (small_manager::open(keeping("", 1)).error().kind != errc::invalid_settings) return 2;
    if (tree_of(here.root()) != before) return 3;
    auto manager = small_manager::open(keeping(".", 1)).or_throw();
    for (const std::uint64_t step : {1U, 2U, 3U}) manager.save(state_of(step)).or_throw();
    return serials_in(manager) == counters{2} ? 0 : 4;
  });
  CHECK(code == 0);
  for (const auto& [name, content] : before)
    CHECK((fs::is_directory(name) || get(name) == content));
  CHECK(here.names() == std::vector<std::string>{".ckpt-lock", "checkpoint", "checkpoint_2",
                                                 "checkpoints", "thesis.tex"});
}
