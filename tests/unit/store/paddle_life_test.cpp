// The rest of PaddlePaddle's checkpoints of mid-2018 (see paddle_disk_test.cpp): rotation and
// clean, load and resume, roles. And the checkpoint objects of OneFlow's lazy time: O<n> is
// statement n of section 2 of the same study. O26 in part (wrappers that are deprecated) is no
// behaviour of ours.
#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "ckpt/checkpoint/load_by_name.hpp"
#include "ckpt/format/v2.hpp"
#include "ckpt/store/trainer_member.hpp"
#include "name_watching_native.hpp"
#include "sample.hpp"
#include "scaled_native.hpp"

using ckpt::errc;
using namespace ckpt_test;
using serials = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

namespace {

using watched_manager = ckpt::basic_checkpoint_manager<name_watching_native, small, ckpt::adam>;
using faulty_manager = ckpt::basic_checkpoint_manager<scaled_native<>, small, ckpt::adam>;

template <class Manager>
void save_steps(Manager& manager, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t step = first; step <= last; ++step) {
    const auto saved = manager.save(state_of(step));
    REQUIRE_MESSAGE(saved.ok(), saved.message());
  }
}

/// Training that can be told from any other by its weights: each step depends on all before it and
/// on its batch. Counts which batches were drawn.
class little_run {
 public:
  static constexpr std::uint64_t steps_per_epoch = 4;

  small_state state;
  std::vector<std::uint64_t> drawn;

  /// The loop of the manager's documentation.
  void train(small_manager& manager, std::uint64_t total_epochs) {
    while (state.training.epoch < total_epochs) {
      train_one_step();
      if (manager.should_save(state.training.step, state.training.epoch))
        REQUIRE(manager.save(state).ok());
    }
  }
  void train_to(small_manager& manager, std::uint64_t step) {
    while (state.training.step < step) {
      train_one_step();
      if (manager.should_save(state.training.step, state.training.epoch))
        REQUIRE(manager.save(state).ok());
    }
  }

  [[nodiscard]] bool equals(const little_run& other) const {
    for (std::size_t i = 0; i < small::tensors.size(); ++i) {
      const auto a = state.weight_bytes(i);
      if (std::memcmp(a.data(), other.state.weight_bytes(i).data(), a.size()) != 0) return false;
    }
    return state.training == other.state.training;
  }

 private:
  void train_one_step() {
    const std::uint64_t batch = state.training.step;  // found by its number, nothing is drained
    drawn.push_back(batch);
    for (float& number : state.weight<0>()) number = 0.75F * number + static_cast<float>(batch + 1);
    ++state.training.step;
    state.training.epoch = state.training.step / steps_per_epoch;
  }
};

ckpt::manager_settings every_step(const std::string& directory) {
  auto settings = keeping(directory, 3);
  settings.step_interval = 1;
  return settings;
}

serials counted(std::uint64_t first, std::uint64_t last) {
  serials numbers;
  for (; first <= last; ++first) numbers.push_back(first);
  return numbers;
}

}  // namespace

TEST_CASE(
    "P25 with three to keep and ten saves 7, 8 and 9 remain, and unmarked ones do not count") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  save_steps(manager, 1, 10);
  CHECK(serials_in(manager) == serials{7, 8, 9});
  CHECK(manager.latest().or_throw().entry.serial == 9);
  // Ours differs: what lost its mark takes nobody's place and is left for a person to look at.
  fs::remove(here.at("run/checkpoint_8/_SUCCESS"));
  CHECK(manager.save(state_of(11)).or_throw().removed.empty());
  CHECK(serials_in(manager) == serials{7, 9, 10});
  CHECK(manager.save(state_of(12)).or_throw().removed == serials{7});
  CHECK(serials_in(manager) == serials{9, 10, 11});
  CHECK(fs::exists(here.at("run/checkpoint_8/model.ckpt")));
}

TEST_CASE("P26 with bar_77 there and three to keep, three of ours remain") {
  const scratch here;
  for (const char* name : {"bar_77", "x_900", "trainer_5"}) {
    fs::create_directories(here.at(std::string("run/") + name));
    put_text(here.at(std::string("run/") + name + "/_SUCCESS"), "");
  }
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  save_steps(manager, 1, 5);
  CHECK(serials_in(manager) == serials{2, 3, 4});
  for (const char* name : {"bar_77", "x_900", "trainer_5"})
    CHECK(fs::exists(here.at(std::string("run/") + name + "/_SUCCESS")));
}

TEST_CASE("P26 a file x_2 does not cost checkpoint_2 its life, nor does one named checkpoint_9") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  save_steps(manager, 1, 3);
  put_text(here.at("run/x_2"), "mine");
  put_text(here.at("run/checkpoint_9"), "mine");
  CHECK(manager.save(state_of(4)).or_throw().serial == 10);
  CHECK(serials_in(manager) == serials{1, 2, 10});
  CHECK(get_text(here.at("run/x_2")) == "mine");
  CHECK(get_text(here.at("run/checkpoint_9")) == "mine");
}

TEST_CASE("P27 what somebody else has removed meanwhile is removed, and no failure") {
  const scratch here;
  const std::string run = here.at("run");
  auto manager = watched_manager::open(keeping(run, 1)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  watch_names([&](const name_call& made) {
    if (made.name == run + "/.checkpoint_0.ckpt-tmp") fs::remove_all(run + "/checkpoint_0");
  });
  const auto gone_before = manager.save(state_of(2));
  REQUIRE(gone_before.ok());
  CHECK(gone_before->not_removed.empty());
  watch_names([&](const name_call& made) {
    if (made.verb == "remove") fs::remove_all(run + "/.checkpoint_1.ckpt-tmp");
  });
  const auto gone_meanwhile = manager.save(state_of(3));
  watch_names();
  REQUIRE(gone_meanwhile.ok());
  CHECK(gone_meanwhile->not_removed.empty());
  CHECK(gone_meanwhile->removed == serials{1});
  CHECK(serials_in(manager) == serials{2});
}

TEST_CASE("P27 what cannot be removed is reported, fails no save, and goes later") {
  const scratch here;
  reset();
  auto manager = faulty_manager::open(keeping(here.at("run"), 1)).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  reset();
  now.fail_kind = call::move;
  now.fail_at = 2;  // the first gives the new one its name
  now.fail_error = EIO;
  const auto saved = manager.save(state_of(2));
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(saved->removed.empty());
  REQUIRE(saved->not_removed.size() == 1);
  CHECK(saved->not_removed[0].name == "checkpoint_0");
  CHECK(saved->not_removed[0].reason.kind == errc::input_output);
  CHECK(saved->not_removed[0].message.find("checkpoint_0") != std::string::npos);
  CHECK(serials_in(manager) == serials{0, 1});
  reset();
  CHECK(manager.save(state_of(3)).or_throw().removed == serials{0, 1});
}

TEST_CASE("P28 clear removes all of ours; the directory goes only if it is empty then") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  save_steps(manager, 1, 3);
  CHECK(manager.clear().or_throw().removed == serials{0, 1, 2});
  CHECK(fs::is_directory(here.at("run")));
  save_steps(manager, 4, 5);
  put_text(here.at("run/notes"), "mine");
  CHECK(manager.clear_and_close().or_throw().removed == serials{3, 4});
  CHECK(get_text(here.at("run/notes")) == "mine");
  fs::remove(here.at("run/notes"));
  auto again = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  save_steps(again, 6, 6);
  REQUIRE(again.clear_and_close().ok());
  CHECK(here.names().empty());
}

TEST_CASE("P29 the end of a run removes nothing, whether it was stopped or came by itself") {
  const scratch here;
  {
    auto manager = small_manager::open(every_step(here.at("run"))).or_throw();
    little_run stopped;
    stopped.train_to(manager, 7);
  }
  auto manager = small_manager::open(every_step(here.at("run"))).or_throw();
  CHECK(serials_in(manager) == serials{4, 5, 6});
  little_run resumed;
  REQUIRE(manager.load_latest(resumed.state).ok());
  CHECK(resumed.state.training.step == 7);
  resumed.train(manager, 3);
  manager = {};  // a normal end
  CHECK(serials_in(*ckpt::checkpoint_directory::open(here.at("run"))).size() == 3);
}

TEST_CASE("P29 stopping with saves in the background finishes them and keeps what they saved") {
  const scratch here;
  {
    auto manager = small_manager::open(every_step(here.at("run"))).or_throw();
    auto saver = manager.asynchronous();
    for (std::uint64_t step = 1; step <= 2; ++step)
      CHECK(saver.save(state_of(step), ckpt::trainer_arguments()).ok());
  }
  small_state loaded;
  auto manager = small_manager::open(every_step(here.at("run"))).or_throw();
  REQUIRE(manager.load_latest(loaded).ok());
  CHECK(is_of(loaded, 2));
}

TEST_CASE("P30 loading from where nothing is never passes silently") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  small_state state;
  fill(state, 5);
  const auto none = manager.load_latest(state);
  CHECK(none.error().kind == errc::no_checkpoint);
  CHECK(none.message().find(here.at("run")) != std::string::npos);
  CHECK(manager.load(0, state).error().kind == errc::not_found);
  CHECK(manager.load(~std::uint64_t{0}, state).error().kind == errc::not_found);
  CHECK(is_of(state, 5));
}

TEST_CASE(
    "P31 a resumed trainer has the model and its own place; a fine-tuned start comes on top") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  settings.trainer_count = 2;
  const auto member = ckpt::trainer_member::open(here.at("run"), 1).or_throw();
  ckpt::trainer_arguments own;
  own.step = 8;
  own.epoch = 1;
  settings.announce = [&](std::uint64_t serial) { REQUIRE(member.write(serial, own).ok()); };
  auto manager = small_manager::open(settings).or_throw();
  REQUIRE(manager.save(state_of(9, 2)).ok());

  small_state loaded;
  const auto found = manager.load_latest(loaded);
  REQUIRE(found.ok());
  CHECK(is_of(loaded, 9, 2));
  const auto place = member.load(found->entry.serial).or_throw();
  CHECK(place.step == 8);
  CHECK(place.epoch == 1);

  // Paddle's `param_path`: weights from elsewhere, the rest from the checkpoint.
  REQUIRE(ckpt::save<ckpt::v2>(here.at("base.ckpt"), state_of(70)).ok());
  const auto on_top = ckpt::load(here.at("base.ckpt"), loaded, ckpt::weights_only);
  REQUIRE_MESSAGE(on_top.ok(), on_top.message());
  CHECK(loaded.training.step == 9);
  const auto weight = loaded.weight_bytes(0);
  CHECK(std::memcmp(weight.data(), state_of(70).weight_bytes(0).data(), weight.size()) == 0);
}

TEST_CASE("P32 arguments come back by key in any order, and a missing one is an error") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  ckpt::trainer_arguments arguments;
  REQUIRE(arguments.set_text("shard", "  7 of 9  ").ok());
  REQUIRE(arguments.set_integer("cursor", -12).ok());
  REQUIRE(manager.save(state_of(1), arguments).ok());
  const auto loaded = manager.directory().load_arguments(0, 0).or_throw();
  CHECK(*loaded.integer("cursor") == -12);
  CHECK(*loaded.text("shard") == "  7 of 9  ");  // not stripped
  CHECK(loaded.text("epochs").error().kind == errc::no_such_value);
  fs::remove(here.at("run/checkpoint_0/trainer_0"));
  const auto missing = manager.directory().load_arguments(0, 0);
  CHECK(missing.error().kind == errc::not_found);
  CHECK(missing.message().find("trainer_0") != std::string::npos);
}

TEST_CASE("P33 P35 a resumed run draws the next batch first: none twice, none only to be dropped") {
  const scratch here;
  little_run straight;
  {
    auto manager = small_manager::open(every_step(here.at("straight"))).or_throw();
    straight.train(manager, 5);
  }
  auto settings = every_step(here.at("run"));
  settings.step_interval = 3;
  serials drawn;
  for (const std::uint64_t stop : {7U, 8U, 16U, 20U}) {  // saved at 6; at 6 again; at 15; at 18
    auto manager = small_manager::open(settings).or_throw();
    little_run part;
    const auto found = manager.load_latest(part.state);
    const std::uint64_t first = found.ok() ? found->entry.step : 0;
    CHECK(part.state.training.step == first);
    part.train_to(manager, stop);
    CHECK(part.drawn == counted(first, stop - 1));
    if (stop == 20) CHECK(part.equals(straight));
  }
}

TEST_CASE(
    "P34 the number of epochs is the total: saved in epoch 2, three epochs end with its rest") {
  const scratch here;
  {
    auto manager = small_manager::open(every_step(here.at("run"))).or_throw();
    little_run first;
    first.train_to(manager, 9);  // one step of epoch 2 is done
  }
  auto manager = small_manager::open(every_step(here.at("run"))).or_throw();
  little_run resumed;
  REQUIRE(manager.load_latest(resumed.state).ok());
  CHECK(resumed.state.training.epoch == 2);
  resumed.train(manager, 3);
  CHECK(resumed.drawn == counted(9, 11));
  CHECK(resumed.state.training.epoch == 3);
  resumed.train(manager, 3);  // nothing is left to do
  CHECK(resumed.drawn == counted(9, 11));
}

TEST_CASE("P36 serial 0 is loaded, and the step that it holds is not trained again") {
  const scratch here;
  {
    auto manager = small_manager::open(every_step(here.at("run"))).or_throw();
    little_run first;
    first.train_to(manager, 1);  // the very first step, serial 0
  }
  auto manager = small_manager::open(every_step(here.at("run"))).or_throw();
  little_run resumed;
  const auto found = manager.load_latest(resumed.state);
  REQUIRE_MESSAGE(found.ok(), found.message());
  CHECK(found->entry.serial == 0);
  CHECK(resumed.state.training.step == 1);
  resumed.train_to(manager, 3);
  CHECK(resumed.drawn == counted(1, 2));
  CHECK(manager.load(0, resumed.state).or_throw().entry.step == 1);
}

TEST_CASE("P36 a checkpoint of step 0 is loaded, too") {
  const scratch here;
  auto manager = small_manager::open(every_step(here.at("run"))).or_throw();
  REQUIRE(manager.save(state_of(0)).ok());
  small_state loaded;
  fill(loaded, 9, 9);
  const auto found = manager.load_latest(loaded);
  REQUIRE(found.ok());
  CHECK(found->entry.serial == 0);
  CHECK(is_of(loaded, 0));
}

TEST_CASE("P37 number 0 is the chief and never taken for no number") {
  const scratch here;
  const auto refused = ckpt::trainer_member::open(here.at("run"), 0);
  CHECK(refused.error().kind == errc::invalid_settings);
  CHECK(refused.message().find("0 is the chief") != std::string::npos);
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  REQUIRE(manager.save(state_of(4, 1)).ok());
  CHECK(manager.directory().load_arguments(0, 0).or_throw().step == 4);
}

TEST_CASE("P38 what is saved is read from where it was written, also after a move of the whole") {
  const scratch here;
  {
    auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
    save_steps(manager, 1, 2);
  }
  fs::create_directory(here.at("other"));
  fs::rename(here.at("run"), here.at("other/b"));
  for (const auto& entry : fs::recursive_directory_iterator(here.at("other")))
    if (entry.is_regular_file() && entry.path().filename() != "model.ckpt")
      CHECK(get_text(entry.path().string()).find('/') == std::string::npos);
  auto manager = small_manager::open(keeping(here.at("other/b"), 3)).or_throw();
  small_state loaded;
  REQUIRE(manager.load_latest(loaded).ok());
  CHECK(is_of(loaded, 2));
  CHECK(manager.save(state_of(3)).or_throw().serial == 2);
  CHECK_FALSE(fs::exists(here.at("run")));
}

namespace {

struct transposed {
  static constexpr auto tensors =
      ckpt::tensors({{"fc.weight", ckpt::dtype::f32, {4, 3}}, {"fc.bias", ckpt::dtype::f32, {4}}});
};
struct wider {
  static constexpr auto tensors =
      ckpt::tensors({{"fc.weight", ckpt::dtype::f32, {3, 5}}, {"fc.bias", ckpt::dtype::f32, {5}}});
};

template <class Model, class Format>
errc kind_of_loading(const std::string& directory) {
  auto manager = ckpt::checkpoint_manager<Model, ckpt::adam, Format>::open(keeping(directory, 3));
  ckpt::state<Model, ckpt::adam> state;
  std::memset(state.weight_bytes(0).data(), 0x5A, state.weight_bytes(0).size());
  const auto found = manager->load(0, state);
  CHECK(state.weight_bytes(0)[0] == std::byte{0x5A});
  CHECK(state.training.step == 0);
  CHECK(manager->load_latest(state).error().kind == errc::no_good_checkpoint);
  CHECK(state.weight_bytes(0)[0] == std::byte{0x5A});
  return found.error().kind;
}

}  // namespace

TEST_CASE("P39 a model of other shapes is refused before anything is touched") {
  const scratch here;
  {
    auto plain = small_manager::open(keeping(here.at("plain"), 3)).or_throw();
    REQUIRE(plain.save(state_of(1)).ok());
    auto named =
        ckpt::checkpoint_manager<small, ckpt::adam, ckpt::v2>::open(keeping(here.at("named"), 3))
            .or_throw();
    REQUIRE(named.save(state_of(1)).ok());
  }
  CHECK(kind_of_loading<wider, ckpt::onert>(here.at("plain")) == errc::size_mismatch);
  CHECK(kind_of_loading<wider, ckpt::v2>(here.at("named")) == errc::shape_mismatch);
  CHECK(kind_of_loading<transposed, ckpt::v2>(here.at("named")) == errc::shape_mismatch);
}

TEST_CASE("P40 the chief writes the model, the others their arguments only") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  settings.trainer_count = 3;
  settings.announce = [&](std::uint64_t serial) {
    const std::string working = here.at("run/.checkpoint_0.ckpt-tmp");
    for (std::uint64_t trainer = 1; trainer < 3; ++trainer) {
      const auto before = std::distance(fs::directory_iterator(working), {});
      const auto member = ckpt::trainer_member::open(here.at("run"), trainer).or_throw();
      REQUIRE(member.write(serial, {}).ok());
      CHECK(std::distance(fs::directory_iterator(working), {}) == before + 1);
    }
  };
  auto manager = small_manager::open(settings).or_throw();
  REQUIRE(manager.save(state_of(1)).ok());
  CHECK(std::distance(fs::directory_iterator(here.at("run/checkpoint_0")), {}) == 5);
}

TEST_CASE("P41 a late trainer writes into the serial that the chief told, and resume finds it") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  settings.trainer_count = 2;
  std::thread late;
  settings.announce = [&](std::uint64_t serial) {
    late = std::thread([&here, serial] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const auto member = ckpt::trainer_member::open(here.at("run"), 1).or_throw();
      ckpt::trainer_arguments own;
      own.step = 1000 + serial;
      CHECK(member.write(serial, own).ok());
    });
  };
  fs::create_directories(here.at("run/checkpoint_10"));
  auto manager = small_manager::open(settings).or_throw();
  for (const std::uint64_t serial : {11U, 12U}) {
    CHECK(manager.save(state_of(serial)).or_throw().serial == serial);
    late.join();
    const auto own = manager.directory().load_arguments(serial, 1).or_throw();
    CHECK(own.step == 1000 + serial);
  }
  CHECK_FALSE(fs::exists(here.at("run/checkpoint_13")));
}

TEST_CASE("P41 a trainer that is too late for its checkpoint gets an error and no other serial") {
  const scratch here;
  auto settings = keeping(here.at("run"), 3);
  auto manager = small_manager::open(settings).or_throw();
  save_steps(manager, 1, 1);
  const auto member = ckpt::trainer_member::open(here.at("run"), 1).or_throw();
  const auto late = member.write(0, {});
  CHECK(late.error().kind == errc::not_found);
  CHECK(late.message().find("checkpoint_0") != std::string::npos);
  CHECK(std::distance(fs::directory_iterator(here.at("run")), {}) == 2);
  CHECK(std::distance(fs::directory_iterator(here.at("run/checkpoint_0")), {}) == 3);
}

#if !defined(_WIN32)
TEST_CASE("P42 one directory is for one job: another process is refused, and reads all the same") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  save_steps(manager, 1, 1);
  const int ended = in_child([&] {
    const auto refused = small_manager::open(keeping(here.at("run"), 3));
    if (refused.error().kind != errc::busy) return 1;
    if (refused.message().find(here.at("run")) == std::string::npos) return 2;
    small_state loaded;
    const auto directory = ckpt::checkpoint_directory::open(here.at("run"));
    return directory->load_latest(loaded).ok() && is_of(loaded, 1) ? 0 : 3;
  });
  CHECK(ended == 0);
}
#endif

TEST_CASE("P44 the place in the data is in the checkpoint") {
  const scratch here;
  auto manager =
      ckpt::checkpoint_manager<small, ckpt::adam, ckpt::v2>::open(keeping(here.at("run"), 3))
          .or_throw();
  auto state = state_of(12, 1);
  state.training.sample_cursor = 3200;
  state.training.shuffle_seed = 77;
  REQUIRE(manager.save(state).ok());
  small_state loaded;
  REQUIRE(manager.load_latest(loaded).ok());
  CHECK(loaded.training.sample_cursor == 3200);
  CHECK(loaded.training.shuffle_seed == 77);
}

TEST_CASE("P45 the test of the original, with the contents of the tensors compared") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  for (std::uint64_t i = 0; i < 10; ++i) {
    auto state = state_of(i);
    state.training = {20, 100};
    REQUIRE(manager.save(state).ok());
  }
  small_state loaded;
  const auto found = manager.load_latest(loaded);
  REQUIRE(found.ok());
  CHECK(found->entry.serial == 9);
  CHECK(found->entry.epoch == 100);
  CHECK(found->entry.step == 20);
  loaded.training = {9, 0};
  CHECK(is_of(loaded, 9));
  REQUIRE(manager.clear_and_close().ok());
  CHECK(here.names().empty());
}

TEST_CASE(
    "O26 saving in the background and loading the latest are two calls, and starting needs none") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  small_state state;
  fill(state, 3);
  {
    auto saver = manager.asynchronous();
    REQUIRE(saver.save(state, ckpt::trainer_arguments()).ok());
    fill(state, 99);  // the copy was taken
    REQUIRE(saver.wait().ok());
  }
  REQUIRE(manager.load_latest(state).ok());
  CHECK(is_of(state, 3));
}

TEST_CASE(
    "O27 the newest goes by number, not by clock; a start without one saves the initial state") {
  const scratch here;
  auto manager = small_manager::open(keeping(here.at("run"), 100)).or_throw();
  small_state state;
  CHECK(manager.load_latest(state).error().kind == errc::no_checkpoint);  // initialise ...
  REQUIRE(manager.save(state_of(0)).ok());                                // ... or restore
  save_steps(manager, 1, 11);
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1000);
  fs::last_write_time(here.at("run/checkpoint_11"), long_ago);
  fs::last_write_time(here.at("run/checkpoint_11/_SUCCESS"), long_ago);
  CHECK(manager.latest().or_throw().entry.serial == 11);
  CHECK(serials_in(manager) == counted(0, 11));  // 9 before 10: numbers, not texts
  fs::remove(here.at("run/checkpoint_11/_SUCCESS"));
  CHECK(serials_in(manager) == counted(0, 10));
  REQUIRE(manager.load_latest(state).ok());
  CHECK(is_of(state, 10));
}

namespace {

using sgd_state = ckpt::state<small, ckpt::sgd>;
using sgd_manager = ckpt::checkpoint_manager<small, ckpt::sgd>;

bool is_zero(ckpt::bytes_view data) {
  for (const std::byte b : data)
    if (b != std::byte{0}) return false;
  return true;
}

}  // namespace

TEST_CASE("O28 single variables are taken from a checkpoint under their name or another one") {
  const scratch here;
  auto manager =
      ckpt::checkpoint_manager<small, ckpt::adam, ckpt::v2>::open(keeping(here.at("run"), 3))
          .or_throw();
  REQUIRE(manager.save(state_of(5)).ok());
  const auto expected = state_of(5);
  const auto is_loaded = [&](const small_state& state) {
    const auto bias = expected.weight_bytes(1);
    return std::memcmp(state.weight_bytes(1).data(), bias.data(), bias.size()) == 0;
  };
  small_state own_name;  // without a key the variable's own name counts
  REQUIRE(ckpt::load_by_name(manager.directory().model_path(0), own_name,
                             ckpt::picking({{"fc.bias", "fc.bias"}}))
              .ok());
  CHECK(is_loaded(own_name));
  CHECK(is_zero(own_name.weight_bytes(0)));
  small_state wrong;  // with a key the key counts
  CHECK_FALSE(ckpt::load_by_name(manager.directory().model_path(0), wrong,
                                 ckpt::picking({{"fc.bias", "no.such"}}))
                  .ok());
  CHECK(is_zero(wrong.weight_bytes(1)));
}

TEST_CASE(
    "O28 slots that a checkpoint lacks start at zero only when asked to, and it is reported") {
  const scratch here;
  {
    auto manager = sgd_manager::open(keeping(here.at("run"), 3)).or_throw();
    sgd_state plain;
    plain.training.step = 6;
    REQUIRE(manager.save(plain).ok());
  }
  auto manager = small_manager::open(keeping(here.at("run"), 3)).or_throw();
  small_state state;
  fill(state, 40);
  const auto strict = manager.load_latest(state);
  CHECK(strict.error().kind == errc::no_good_checkpoint);
  CHECK(is_of(state, 40));
  const auto cold = manager.load_latest(state, ckpt::cold_slots);
  REQUIRE_MESSAGE(cold.ok(), cold.message());
  CHECK(cold->report.slots_cold == 2);
  CHECK(cold->report.training.step == 6);
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t i = 0; i < small::tensors.size(); ++i) CHECK(is_zero(state.slot_bytes(s, i)));
}
