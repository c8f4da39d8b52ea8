// The roles of roles_test.cpp in processes of their own, some of which are killed.
#if !defined(_WIN32)

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "ckpt/store/trainer_member.hpp"
#include "sample.hpp"

using ckpt::errc;
using ckpt::trainer_arguments;
using ckpt::trainer_member;
using namespace ckpt_test;
using serials = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

namespace {

/// What processes talk through: numbers, one way.
class line {
 public:
  line() { REQUIRE(::pipe(ends_) == 0); }
  line(const line&) = delete;
  line& operator=(const line&) = delete;
  ~line() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }

  void tell(std::uint64_t number) const {
    if (::write(ends_[1], &number, sizeof number) != sizeof number) ::_exit(90);
  }
  [[nodiscard]] std::uint64_t hear() const {
    std::uint64_t number = 0;
    while (::read(ends_[0], &number, sizeof number) < 0) {
    }
    return number;
  }

 private:
  int ends_[2] = {-1, -1};
};

/// The system of a trainer that is killed when its file is written and does not have its name yet.
struct deadly_native : ckpt::native {
  static ckpt::detail::native_result rename(ckpt::detail::native_handle, const char*,
                                            const char*) noexcept {
    ::raise(SIGKILL);
    return {};
  }
};

trainer_arguments own_of(std::uint64_t trainer, std::uint64_t serial) {
  trainer_arguments own;
  own.step = 100 * serial + trainer;
  return own;
}

/// Exit code 0 if a trainer's arguments are where they belong.
template <class Native = ckpt::native>
int join(const std::string& directory, std::uint64_t trainer, std::uint64_t serial) {
  const auto member = ckpt::basic_trainer_member<Native>::open(directory, trainer);
  if (!member.ok()) return 1;
  const auto written = member->write(serial, own_of(trainer, serial));
  return written.ok() ? 0 : written.error().kind == errc::not_found ? 2 : 3;
}

std::size_t left_overs_in(const std::string& directory) {
  std::size_t found = 0;
  for (const auto& entry : fs::directory_iterator(directory))
    if (ckpt::detail::is_left_over_name(entry.path().filename().string())) ++found;
  return found;
}

}  // namespace

TEST_CASE("four processes make checkpoints together, and each finds its own place again") {
  const scratch here;
  const std::string run = here.at("run");
  constexpr std::uint64_t count = 4;
  constexpr std::uint64_t saves = 5;
  std::vector<line> lines(count);
  std::vector<pid_t> children;
  for (std::uint64_t trainer = 1; trainer < count; ++trainer)
    children.push_back(start_child([&, trainer] {
      for (std::uint64_t i = 0; i < saves; ++i) {
        const std::uint64_t serial = lines[static_cast<std::size_t>(trainer)].hear();
        std::this_thread::sleep_for(std::chrono::milliseconds(5 * ((serial + trainer) % 3)));
        if (const int failed = join(run, trainer, serial); failed != 0) return failed;
      }
      return 0;
    }));
  auto settings = keeping(run, 2);
  settings.trainer_count = count;
  settings.announce = [&](std::uint64_t serial) {
    for (std::size_t trainer = 1; trainer < count; ++trainer) lines[trainer].tell(serial);
  };
  auto manager = small_manager::open(settings).or_throw();
  for (std::uint64_t step = 1; step <= saves; ++step) {
    const auto saved = manager.save(state_of(step));
    REQUIRE_MESSAGE(saved.ok(), saved.message());
  }
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  CHECK(serials_in(manager) == serials{3, 4});
  for (std::uint64_t trainer = 1; trainer < count; ++trainer)
    CHECK(in_child([&] {
            small_state state;
            const auto member = trainer_member::open(run, trainer);
            const auto found = member->directory().load_latest(state);
            if (!found.ok() || !is_of(state, 5)) return 1;
            const auto own = member->load(found->entry.serial);
            return own.ok() && own->step == 400 + trainer ? 0 : 2;
          }) == 0);
}

TEST_CASE("P41 a process that comes late writes into the serial that the chief told") {
  const scratch here;
  const std::string run = here.at("run");
  const line told;
  const pid_t late = start_child([&] {
    const std::uint64_t serial = told.hear();
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    return join(run, 1, serial);
  });
  auto settings = keeping(run, 3);
  settings.trainer_count = 2;
  settings.announce = [&](std::uint64_t serial) { told.tell(serial); };
  fs::create_directories(run + "/checkpoint_10");
  auto manager = small_manager::open(settings).or_throw();
  CHECK(manager.save(state_of(1)).or_throw().serial == 11);
  CHECK(wait_for(late) == 0);
  CHECK(manager.directory().load_arguments(11, 1).or_throw().step == 1101);
  CHECK_FALSE(fs::exists(run + "/checkpoint_12"));
}

TEST_CASE("a trainer that is killed while it writes is started again, and the save succeeds") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = keeping(run, 3);
  settings.trainer_count = 2;
  std::size_t left = 0;
  settings.announce = [&](std::uint64_t serial) {
    for (int i = 0; i < 2; ++i)
      CHECK(in_child([&] { return join<deadly_native>(run, 1, serial); }) == -SIGKILL);
    const std::string working = run + "/" + ckpt::detail::working_name(serial);
    left = left_overs_in(working);
    CHECK_FALSE(fs::exists(working + "/trainer_1"));
    CHECK(in_child([&] { return join(run, 1, serial); }) == 0);
  };
  auto manager = small_manager::open(settings).or_throw();
  const auto saved = manager.save(state_of(1));
  REQUIRE_MESSAGE(saved.ok(), saved.message());
  CHECK(left >= 1);
  CHECK(std::distance(fs::directory_iterator(run + "/checkpoint_0"), {}) == 4);
  CHECK(manager.directory().load_arguments(0, 1).or_throw().step == 1);
}

TEST_CASE("a trainer that is killed and not started again fails the save, and nothing is left") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = keeping(run, 3);
  settings.trainer_count = 3;
  settings.trainer_timeout = std::chrono::milliseconds(50);
  settings.announce = [&](std::uint64_t serial) {
    CHECK(in_child([&] { return join(run, 2, serial); }) == 0);
    CHECK(in_child([&] { return join<deadly_native>(run, 1, serial); }) == -SIGKILL);
  };
  auto manager = small_manager::open(settings).or_throw();
  const auto failed = manager.save(state_of(1));
  CHECK(failed.error().kind == errc::not_finished);
  CHECK(failed.error().found == 2);
  CHECK(failed.error().expected == 3);
  CHECK(std::distance(fs::directory_iterator(run), {}) == 1);  // the lock
}

TEST_CASE("when the chief is killed its trainers are turned away, and the next chief goes on") {
  const scratch here;
  const std::string run = here.at("run");
  auto settings = keeping(run, 3);
  settings.trainer_count = 2;
  {
    auto complete = settings;
    complete.announce = [&](std::uint64_t serial) { CHECK(join(run, 1, serial) == 0); };
    auto manager = small_manager::open(complete).or_throw();
    REQUIRE(manager.save(state_of(1)).ok());
  }
  const line told;
  const pid_t chief = start_child([&] {
    settings.announce = [&](std::uint64_t serial) { told.tell(serial); };
    auto manager = small_manager::open(settings);
    return manager.ok() && manager->save(state_of(2)).ok() ? 0 : 1;
  });
  const std::uint64_t unfinished = told.hear();
  CHECK(unfinished == 1);
  ::kill(chief, SIGKILL);
  CHECK(wait_for(chief) == -SIGKILL);

  std::uint64_t next = 0;
  settings.announce = [&](std::uint64_t serial) {
    next = serial;
    CHECK(join(run, 1, unfinished) == 2);  // it still knows the old serial
    CHECK(join(run, 1, serial) == 0);
  };
  auto manager = small_manager::open(settings).or_throw();  // the lock died with its holder
  small_state state;
  REQUIRE(manager.load_latest(state).ok());
  CHECK(is_of(state, 1));
  CHECK(join(run, 1, unfinished) == 2);
  REQUIRE(manager.save(state_of(3)).ok());
  CHECK(next == 2);
  CHECK(serials_in(manager) == serials{0, 2});
  CHECK(manager.directory().load_arguments(2, 1).or_throw().step == 201);
}

#endif  // !defined(_WIN32)
