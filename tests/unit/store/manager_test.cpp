#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sample.hpp"

using ckpt::errc;
using namespace ckpt_test;
using serials = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

namespace {

/// What happens once, right after a directory was listed.
std::function<void()> after_listing;

struct late_native : ckpt::native {
  template <class Visit>
  static ckpt::detail::native_result list_directory(const ckpt::path_char* name,
                                                    Visit visit) noexcept {
    const auto listed = ckpt::native::list_directory(name, visit);
    if (after_listing) std::exchange(after_listing, nullptr)();
    return listed;
  }
};

}  // namespace

TEST_CASE("a save makes a directory with model, arguments and mark, and nothing else") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  const auto state = state_of(7, 2);
  ckpt::trainer_arguments arguments;
  REQUIRE(arguments.set_text("note", "first").ok());
  const auto saved = manager.save(state, arguments);
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(saved->serial == 0);
  CHECK(saved->removed.empty());
  CHECK(saved->not_removed.empty());
  serials found;
  CHECK(fs::is_regular_file(here.at("run/checkpoint_0/model.ckpt")));
  CHECK(get_text(here.at("run/checkpoint_0/trainer_0")) == "epoch=2\nstep=7\nnote=first\n");
  CHECK(std::distance(fs::directory_iterator(here.at("run/checkpoint_0")), {}) == 3);
  CHECK(std::distance(fs::directory_iterator(here.at("run")), {}) == 2);  // and the lock

  REQUIRE(ckpt::save(here.at("alone.ckpt"), state).ok());
  CHECK(get(here.at("alone.ckpt")) == get(here.at("run/checkpoint_0/model.ckpt")));
  CHECK(saved->model_bytes == get(here.at("alone.ckpt")).size());
}

TEST_CASE("what is saved is what the latest gives back, serial 0 too") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  small_state loaded;
  CHECK(manager.load_latest(loaded).error().kind == errc::no_checkpoint);
  REQUIRE(manager.save(state_of(1)).ok());
  const auto first = manager.load_latest(loaded);
  REQUIRE_MESSAGE(first.ok(), first.message());
  CHECK(first->entry.serial == 0);
  CHECK(first->skipped.empty());
  CHECK(is_of(loaded, 1));
  REQUIRE(manager.save(state_of(2, 1)).ok());
  REQUIRE(manager.load_latest(loaded).ok());
  CHECK(is_of(loaded, 2, 1));
  REQUIRE(manager.load(0, loaded).ok());
  CHECK(is_of(loaded, 1));
  const auto latest = manager.latest();
  REQUIRE(latest.ok());
  CHECK(latest->entry.serial == 1);
  CHECK(latest->entry.step == 2);
  CHECK(latest->entry.epoch == 1);
  CHECK(latest->entry.trainer_count == 1);
}

TEST_CASE("F1 ten saves with three to keep leave 7, 8 and 9, in numeric order beyond 10") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  for (std::uint64_t step = 1; step <= 10; ++step) REQUIRE(manager.save(state_of(step)).ok());
  CHECK(serials_in(manager) == serials{7, 8, 9});
  for (std::uint64_t step = 11; step <= 13; ++step) REQUIRE(manager.save(state_of(step)).ok());
  CHECK(serials_in(manager) == serials{10, 11, 12});
  CHECK(manager.latest()->entry.serial == 12);
}

TEST_CASE("F11 a broken newest is skipped with the reason, and the one before is loaded") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 9)).or_throw();
  for (const std::uint64_t step : {10U, 20U, 30U, 40U, 50U, 60U})
    REQUIRE(manager.save(state_of(step)).ok());
  const auto damaged = [&](int serial, const char* file) {
    return here.at("run/checkpoint_" + std::to_string(serial) + "/" + file);
  };
  fs::resize_file(damaged(5, "model.ckpt"), fs::file_size(damaged(5, "model.ckpt")) / 2);
  bytes flipped = get(damaged(4, "model.ckpt"));
  flipped[100] ^= std::byte{4};
  put(damaged(4, "model.ckpt"), flipped);
  fs::remove(damaged(3, "_SUCCESS"));
  fs::remove(damaged(2, "trainer_0"));

  small_state loaded;
  const auto found = manager.load_latest(loaded);
  REQUIRE_MESSAGE(found.ok(), found.message());
  CHECK(found->entry.serial == 1);
  CHECK(is_of(loaded, 20));
  REQUIRE(found->skipped.size() == 4);
  CHECK(found->skipped[0].name == "checkpoint_5");
  CHECK(found->skipped[0].reason.kind == errc::truncated);
  CHECK(found->skipped[0].message.find("checkpoint_5") != std::string::npos);
  CHECK(found->skipped[1].reason.kind == errc::checksum_mismatch);
  CHECK(found->skipped[2].reason.kind == errc::not_finished);
  CHECK(found->skipped[3].reason.kind == errc::not_found);
  CHECK(found->skipped[3].message.find("trainer_0") != std::string::npos);
  for (int serial = 0; serial < 6; ++serial)
    CHECK(fs::exists(here.at("run/checkpoint_" + std::to_string(serial))));
}

TEST_CASE("E7 'none there' and 'none readable' are different, and nothing is touched") {
  const scratch here;
  fs::create_directory(here.at("empty"));
  small_state loaded;
  fill(loaded, 5);
  const auto empty = ckpt::checkpoint_directory::open(here.at("empty")).or_throw();
  CHECK(empty.load_latest(loaded).error().kind == errc::no_checkpoint);
  const auto absent = ckpt::checkpoint_directory::open(here.at("absent")).or_throw();
  CHECK(absent.load_latest(loaded).error().kind == errc::no_checkpoint);
  CHECK_FALSE(fs::exists(here.at("absent")));

  {
    auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
    REQUIRE(manager.save(state_of(1)).ok());
    REQUIRE(manager.save(state_of(2)).ok());
  }
  put(here.at("run/checkpoint_0/model.ckpt"), bytes(10));
  fs::remove(here.at("run/checkpoint_1/_SUCCESS"));
  const auto broken = ckpt::checkpoint_directory::open(here.at("run")).or_throw();
  const auto none = broken.load_latest(loaded);
  CHECK(none.error().kind == errc::no_good_checkpoint);
  CHECK(none.message().find("checkpoint_0") != std::string::npos);
  CHECK(none.message().find("checkpoint_1") != std::string::npos);
  CHECK(is_of(loaded, 5));
  CHECK(get(here.at("run/checkpoint_0/model.ckpt")).size() == 10);
  CHECK(fs::exists(here.at("run/checkpoint_1/model.ckpt")));
}

TEST_CASE("F14 an unmarked checkpoint is unfinished: not the latest, not loaded, not removed") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 2)).or_throw();
  for (const std::uint64_t step : {10U, 20U, 30U}) REQUIRE(manager.save(state_of(step)).ok());
  fs::remove(here.at("run/checkpoint_2/_SUCCESS"));
  CHECK(manager.latest()->entry.serial == 1);
  small_state loaded;
  CHECK(manager.load(2, loaded).error().kind == errc::not_finished);
  for (const std::uint64_t step : {40U, 50U, 60U}) REQUIRE(manager.save(state_of(step)).ok());
  CHECK(serials_in(manager) == serials{4, 5});
  CHECK(fs::exists(here.at("run/checkpoint_2/model.ckpt")));  // left for a person to look at
}

TEST_CASE("serials only grow, also past unmarked, foreign and removed ones") {
  const scratch here;
  fs::create_directories(here.at("run/checkpoint_10"));  // unmarked
  put(here.at("run/checkpoint_12"), bytes(3));           // not even a directory
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  CHECK(manager.save(state_of(1)).or_throw().serial == 13);
  CHECK(manager.save(state_of(2)).or_throw().serial == 14);
  REQUIRE(manager.remove(14).ok());
  CHECK(manager.save(state_of(3)).or_throw().serial == 15);
  CHECK(fs::is_empty(here.at("run/checkpoint_10")));
  CHECK(get(here.at("run/checkpoint_12")).size() == 3);
}

TEST_CASE("the last serial that is left is used, and then a save is refused") {
  const scratch here;
  fs::create_directories(here.at("run/checkpoint_999999999999999998"));
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  CHECK(manager.save(state_of(1)).or_throw().serial == 999999999999999999U);
  CHECK(manager.save(state_of(2)).error().kind == errc::counter_out_of_range);
  CHECK(manager.latest()->entry.step == 1);
}

TEST_CASE("F18 foreign names are never counted and never removed") {
  const scratch here;
  const std::vector<std::string> foreign = {"checkpoint_0010",
                                            "checkpoint_10-merged",
                                            "checkpoint_10 (copy)",
                                            "checkpoint_-5",
                                            "bar_77",
                                            "foo",
                                            "foo_bar_1",
                                            "x_2",
                                            "checkpoint_12345678901234567890",
                                            ".checkpoint_x.ckpt-tmp"};
  for (const std::string& name : foreign) {
    fs::create_directories(here.at("run/" + name));
    put(here.at("run/" + name + "/model.ckpt"), bytes(4));
  }
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  CHECK(manager.latest().error().kind == errc::no_checkpoint);
  for (std::uint64_t step = 1; step <= 6; ++step) REQUIRE(manager.save(state_of(step)).ok());
  CHECK(serials_in(manager) == serials{3, 4, 5});
  REQUIRE(manager.clear().ok());
  for (const std::string& name : foreign) {
    INFO(name);
    CHECK(get(here.at("run/" + name + "/model.ckpt")).size() == 4);
  }
  CHECK_FALSE(fs::exists(here.at("run/checkpoint_77")));
}

TEST_CASE("names that nearly are those of checkpoints are reported, and others are not") {
  const scratch here;
  fs::create_directories(here.at("run/checkpoint_0010"));
  fs::create_directories(here.at("run/notes"));
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  const auto latest = manager.latest().or_throw();
  REQUIRE(latest.skipped.size() == 1);
  CHECK(latest.skipped[0].name == "checkpoint_0010");
  CHECK(latest.skipped[0].reason.kind == errc::foreign_entry);
}

TEST_CASE("a checkpoint with something foreign in it is not removed, and that is reported") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 1)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  put(here.at("run/checkpoint_0/notes.txt"), bytes(4));
  const auto saved = manager.save(state_of(2));
  REQUIRE(saved.ok());  // not fatal
  REQUIRE(saved->not_removed.size() == 1);
  CHECK(saved->not_removed[0].reason.kind == errc::foreign_entry);
  CHECK(saved->not_removed[0].message.find("notes.txt") != std::string::npos);
  CHECK(manager.remove(0).error().kind == errc::foreign_entry);
  small_state loaded;
  REQUIRE(manager.load(0, loaded).ok());  // whole as before
  CHECK(is_of(loaded, 1));
}

TEST_CASE("a reader that is overtaken by saves finds the new latest, not the old best") {
  const scratch here;
  auto settings = keeping(here.at("run"), 2);
  settings.best.metric = "loss";
  auto manager = small_manager::open(settings).or_throw();
  const auto save = [&](std::uint64_t step) {
    ckpt::trainer_arguments arguments;
    REQUIRE(arguments.set_real("loss", static_cast<double>(step)).ok());
    REQUIRE(manager.save(state_of(step), arguments).ok());
  };
  for (const std::uint64_t step : {1U, 2U, 3U}) save(step);
  const auto reader =
      ckpt::basic_checkpoint_directory<late_native>::open(here.at("run")).or_throw();
  after_listing = [&] {
    for (const std::uint64_t step : {4U, 5U}) save(step);
  };
  const auto latest = reader.latest();
  REQUIRE_MESSAGE(latest.ok(), latest.message());
  CHECK_FALSE(after_listing);
  CHECK(latest->entry.step == 5);
  CHECK(latest->skipped.empty());
}

#if !defined(_WIN32)
TEST_CASE("a link that leads nowhere is skipped as what it is, and hides nothing") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 2)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  fs::create_directory_symlink(here.at("gone"), here.at("run/checkpoint_9"));
  const auto latest = manager.latest().or_throw();
  CHECK(latest.entry.step == 1);
  REQUIRE(latest.skipped.size() == 1);
  CHECK(latest.skipped[0].reason.kind == errc::not_found);
}

TEST_CASE("a link is read, and never followed to remove what it leads to") {
  const scratch here;
  {
    auto archive = small_manager::open(keeping(here.at("archive"), 3)).or_throw();
    REQUIRE(archive.save(state_of(7)).ok());
  }
  fs::create_directory(here.at("run"));
  fs::create_directory_symlink(here.at("archive/checkpoint_0"), here.at("run/checkpoint_0"));
  fs::create_directory_symlink(here.at("archive/checkpoint_0"),
                               here.at("run/.checkpoint_1.ckpt-tmp"));
  auto manager = small_manager::open(keeping(here.at("run"), 1)).or_throw();
  CHECK(manager.latest().or_throw().entry.step == 7);
  const auto saved = manager.save(state_of(8)).or_throw();
  CHECK(saved.serial == 2);
  REQUIRE(saved.not_removed.size() == 1);
  CHECK(saved.not_removed[0].reason.kind == errc::not_a_directory);
  CHECK(manager.remove(0).error().kind == errc::not_a_directory);
  small_state loaded;
  const auto archive = ckpt::checkpoint_directory::open(here.at("archive")).or_throw();
  REQUIRE(archive.load_latest(loaded).ok());
  CHECK(is_of(loaded, 7));
}
#endif

TEST_CASE("two managers on one directory: the second is refused until the first is gone") {
  const scratch here;
  {
    auto first = small_manager::open(keeping(here.at("run"), 3)).or_throw();
    const auto second = small_manager::open(keeping(here.at("run"), 3));
    CHECK(second.error().kind == errc::busy);
    CHECK(second.message().find(".ckpt-lock") != std::string::npos);
  }
  CHECK(small_manager::open(keeping(here.at("run"), 3)).ok());
}

TEST_CASE("F5 F20 settings that make no sense are refused before anything is made") {
  const scratch here;
  CHECK(small_manager::open(keeping("", 3)).error().kind == errc::invalid_settings);
  const auto none = small_manager::open(keeping(here.at("run"), 0));
  CHECK(none.error().kind == errc::invalid_settings);
  CHECK(none.message().find("max_to_keep") != std::string::npos);
  CHECK(here.names().empty());
}

TEST_CASE("F19 a file where the directory should be is refused as what it is") {
  const scratch here;
  put(here.at("run"), bytes(5));
  const auto opened = small_manager::open(keeping(here.at("run"), 3));
  CHECK(opened.error().kind == errc::not_a_directory);
  CHECK(opened.message().find(here.at("run")) != std::string::npos);
  const auto directory = ckpt::checkpoint_directory::open(here.at("run")).or_throw();
  CHECK(directory.latest().error().kind == errc::not_a_directory);
  CHECK(directory.list().error().kind == errc::not_a_directory);
  CHECK(get(here.at("run")).size() == 5);
}

TEST_CASE("what interrupted saves and removals left is swept when the directory is taken") {
  const scratch here;
  fs::create_directories(here.at("run/.checkpoint_4.ckpt-tmp"));
  put(here.at("run/.checkpoint_4.ckpt-tmp/model.ckpt"), bytes(5));
  put(here.at("run/.checkpoint_4.ckpt-tmp/.trainer_1.0.ckpt-tmp"), bytes(5));
  fs::create_directories(here.at("run/.checkpoint_5.ckpt-tmp"));
  put(here.at("run/.checkpoint_5.ckpt-tmp/precious"), bytes(5));
  CHECK(ckpt::checkpoint_directory::open(here.at("run"))->latest().error().kind ==
        errc::no_checkpoint);
  CHECK(fs::exists(here.at("run/.checkpoint_4.ckpt-tmp")));  // reading removes nothing
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  CHECK_FALSE(fs::exists(here.at("run/.checkpoint_4.ckpt-tmp")));
  CHECK(fs::exists(here.at("run/.checkpoint_5.ckpt-tmp/precious")));
  CHECK(manager.save(state_of(1)).or_throw().serial == 6);
}

TEST_CASE("a state that cannot be written touches nothing") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  auto state = state_of(1);
  state.training.step = std::uint64_t{1} << 32;
  CHECK(manager.save(state).error().kind == errc::counter_out_of_range);
  ckpt::state_view<small, ckpt::adam> unbound;
  const auto failed = manager.save(unbound);
  CHECK(failed.error().kind == errc::unbound_tensor);
  CHECK(failed.message().find("fc.weight") != std::string::npos);
  CHECK(std::distance(fs::directory_iterator(here.at("run")), {}) == 1);  // the lock
}

TEST_CASE("going back twice without a save in between goes further back, and then ends") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 5)).or_throw();
  for (std::uint64_t step = 1; step <= 3; ++step) REQUIRE(manager.save(state_of(step)).ok());
  small_state state;
  CHECK(manager.rollback(state).or_throw().entry.step == 3);
  CHECK(is_of(state, 3));
  CHECK(manager.rollback(state).or_throw().entry.step == 2);
  REQUIRE(manager.save(state_of(4)).ok());
  CHECK(manager.rollback(state).or_throw().entry.step == 4);
  CHECK(manager.rollback(state).or_throw().entry.step == 3);
  CHECK(manager.rollback(state).or_throw().entry.step == 2);
  CHECK(manager.rollback(state).or_throw().entry.step == 1);
  const auto no_more = manager.rollback(state);
  CHECK(no_more.error().kind == errc::no_good_checkpoint);
  CHECK(no_more.message().find("checkpoint_0") != std::string::npos);
  CHECK(is_of(state, 1));
}

TEST_CASE("the checkpoint that was gone back to stays until enough newer ones are there") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 2)).or_throw();
  for (std::uint64_t step = 1; step <= 2; ++step) REQUIRE(manager.save(state_of(step)).ok());
  small_state state;
  REQUIRE(manager.rollback(state).ok());
  CHECK(manager.rollback(state).or_throw().entry.serial == 0);
  REQUIRE(manager.save(state_of(3)).ok());
  CHECK(serials_in(manager) == serials{0, 1, 2});
  REQUIRE(manager.save(state_of(4)).ok());
  CHECK(serials_in(manager) == serials{2, 3});
}

TEST_CASE("clearing removes all checkpoints, and the directory only if nothing else is in it") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  REQUIRE(manager.save(state_of(2)).ok());
  put(here.at("run/notes.txt"), bytes(3));
  CHECK(manager.clear().or_throw().removed == serials{0, 1});
  CHECK(manager.latest().error().kind == errc::no_checkpoint);
  REQUIRE(manager.save(state_of(3)).ok());
  REQUIRE(manager.clear_and_close().ok());
  CHECK_FALSE(manager.is_open());
  CHECK(fs::exists(here.at("run/notes.txt")));
  CHECK(std::distance(fs::directory_iterator(here.at("run")), {}) == 1);
  fs::remove(here.at("run/notes.txt"));
  auto again = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  REQUIRE(again.clear_and_close().ok());
  CHECK(here.names().empty());
}

TEST_CASE("a manager without a directory refuses everything instead of failing") {
  small_manager manager;
  small_state state;
  CHECK_FALSE(manager.is_open());
  CHECK(manager.save(state).error().kind == errc::invalid_settings);
  CHECK(manager.rollback(state).error().kind == errc::invalid_settings);
  CHECK(manager.remove(0).error().kind == errc::invalid_settings);
  CHECK(manager.clear().error().kind == errc::invalid_settings);
  CHECK(manager.clear_and_close().error().kind == errc::invalid_settings);
  CHECK(manager.load_latest(state).error().kind == errc::empty_path);
  CHECK(manager.load(0, state).error().kind != errc::ok);
  CHECK(manager.list().error().kind == errc::empty_path);
  CHECK(manager.latest().error().kind == errc::empty_path);
}

TEST_CASE("a save tells how far it is, also in the background") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 2)).or_throw();
  std::uint64_t done = 99;
  std::uint64_t total = 0;
  auto listener = [&](std::uint64_t now, std::uint64_t all) { done = now, total = all; };
  const auto saved = manager.save(state_of(1), {}, ckpt::progress_to(listener)).or_throw();
  CHECK(done == saved.model_bytes);
  CHECK(total == saved.model_bytes);
  done = 0;
  {
    auto saver = manager.asynchronous({}, {}, ckpt::progress_to(listener));
    REQUIRE(saver.save(state_of(2)).ok());
  }
  CHECK(done == saved.model_bytes);
}

TEST_CASE("should_save says so once for a step, and not for one that was just loaded") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  settings.step_interval = 5;
  {
    auto manager = small_manager::open(settings).or_throw();
    CHECK_FALSE(manager.should_save(4, 0));
    CHECK(manager.should_save(5, 0));
    CHECK_FALSE(manager.should_save(5, 0));
    REQUIRE(manager.save(state_of(5)).ok());
  }
  auto manager = small_manager::open(settings).or_throw();
  small_state state;
  REQUIRE(manager.load_latest(state).ok());
  CHECK_FALSE(manager.should_save(state.training.step, 0));
  CHECK(manager.should_save(10, 0));
}

TEST_CASE("saves in the background are published in order, with their arguments") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 2)).or_throw();
  {
    auto saver = manager.asynchronous();
    small_state state;
    for (std::uint64_t step = 1; step <= 6; ++step) {
      fill(state, step);
      ckpt::trainer_arguments arguments;
      REQUIRE(arguments.set_integer("number", static_cast<std::int64_t>(step)).ok());
      REQUIRE(saver.save(state, arguments).ok());
      fill(state, 99);
    }
    const auto finished = saver.wait();
    REQUIRE_MESSAGE(finished.ok(), finished.message());
    REQUIRE(finished->size() == 6);
    for (std::uint64_t i = 0; i < 6; ++i)
      CHECK((*finished)[static_cast<std::size_t>(i)].serial == i);
  }
  CHECK(serials_in(manager) == serials{4, 5});
  small_state loaded;
  const auto found = manager.load_latest(loaded);
  REQUIRE(found.ok());
  CHECK(is_of(loaded, 6));
  CHECK(*found->entry.arguments.integer("number") == 6);
}
