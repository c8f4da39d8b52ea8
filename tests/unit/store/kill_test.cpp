// A process that saves through the manager is killed at random times, again and again. The whole
// acceptance, a thousand kills on the real system and its disk, half of them in saves in the
// background, is
//
//     CKPT_KILLS=1000 build/tests/ckpt_unit --test-case="*kill -9*"
//
// Without CKPT_KILLS most kills are in saves that do not wait for the disk (that makes a difference
// only when the power is cut), and fewer in saves that do.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "cases.hpp"
#include "support.hpp"

using ckpt::errc;
using namespace ckpt_test;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CKPT_TESTS_ARE_SLOW 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CKPT_TESTS_ARE_SLOW 1
#endif

namespace {

#if defined(CKPT_TESTS_ARE_SLOW)
constexpr std::uint64_t undurable_kills = 100;
constexpr std::uint64_t durable_kills = 20;
#else
constexpr std::uint64_t undurable_kills = 1000;
constexpr std::uint64_t durable_kills = 50;
#endif
constexpr std::size_t kept = 3;

/// 64 KiB with the slots.
struct middling {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {5000}},
                                                 {"b", ckpt::dtype::f32, {400}},
                                                 {"scale", ckpt::dtype::f32, {}}});
};
using middling_state = ckpt::state<middling, ckpt::adam>;
template <class Native>
using manager_on = ckpt::basic_checkpoint_manager<Native, middling, ckpt::adam>;

/// A system without a disk to wait for, on which every change of a file or name takes its time: so
/// that kills come between any two of them, and not only in what is slow here by chance.
struct dawdling_native : quick_native {
  using base = ckpt::native;
  using result = quick_native::result;
  using handle = ckpt::detail::native_handle;
  using text = const ckpt::path_char*;
  using piece = base::piece;

  static result create_exclusive(text name, std::uint32_t mode) noexcept {
    dawdle();
    return base::create_exclusive(name, mode);
  }
  static result make_directory(text name) noexcept {
    dawdle();
    return base::make_directory(name);
  }
  static result move(text from, text to) noexcept {
    dawdle();
    return base::move(from, to);
  }
  static result remove_file(text name) noexcept {
    dawdle();
    return base::remove_file(name);
  }
  static result remove_directory(text name) noexcept {
    dawdle();
    return base::remove_directory(name);
  }
  /// Writes large pieces in parts, so that files are cut there, too.
  static result write_at(handle to, std::uint64_t at, const piece* pieces,
                         std::size_t count) noexcept {
    constexpr std::size_t part_bytes = 8192;
    dawdle();
    if (base::piece_size(*pieces) <= part_bytes) return base::write_at(to, at, pieces, count);
    const piece part = base::make_piece(base::piece_data(*pieces), part_bytes);
    return base::write_at(to, at, &part, 1);
  }

 private:
  static void dawdle() noexcept { ::usleep(20); }
};

/// What a tensor holds at a step: words that differ from step to step and from place to place.
bytes painted(std::size_t size, std::uint64_t step, std::size_t section, std::size_t index) {
  bytes made(size);
  const auto start = static_cast<std::uint32_t>(step * 9 + section * 3 + index) * 2654435761U;
  for (std::size_t at = 0; at + 4 <= size; at += 4) {
    const std::uint32_t word = start + static_cast<std::uint32_t>(at) * 747796405U;
    std::memcpy(made.data() + at, &word, 4);
  }
  return made;
}

void paint(middling_state& state, std::uint64_t step) {
  state.training = {step, step / 7};
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t i = 0; i < middling::tensors.size(); ++i) {
      const auto to = s == 0 ? state.weight_bytes(i) : state.slot_bytes(s - 1, i);
      std::memcpy(to.data(), painted(to.size(), step, s, i).data(), to.size());
    }
}

/// Whether the state is that of one step, to the last byte.
bool is_whole(const middling_state& state) {
  const std::uint64_t step = state.training.step;
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t i = 0; i < middling::tensors.size(); ++i) {
      const auto found = s == 0 ? state.weight_bytes(i) : state.slot_bytes(s - 1, i);
      const bytes expected = painted(found.size(), step, s, i);
      if (std::memcmp(found.data(), expected.data(), expected.size()) != 0) return false;
    }
  return state.training.epoch == step / 7;
}

/// What a process that is killed has told before.
struct record {
  std::atomic<bool> has_begun{false};          ///< it has the directory
  std::atomic<std::uint64_t> started{0};       ///< highest step that it asked to save
  std::atomic<std::uint64_t> acknowledged{0};  ///< highest step that it knows to be saved
  std::atomic<std::uint64_t> count{0};         ///< saves acknowledged in this life

  void acknowledge(std::uint64_t step) {
    acknowledged = step;
    ++count;
  }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// A record in memory that children share.
class shared_record {
 public:
  shared_record()
      : memory_(::mmap(nullptr, sizeof(record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                       -1, 0)) {
    REQUIRE(memory_ != MAP_FAILED);
    told_ = new (memory_) record;
  }
  shared_record(const shared_record&) = delete;
  shared_record& operator=(const shared_record&) = delete;
  ~shared_record() { ::munmap(memory_, sizeof(record)); }
  record& operator*() const { return *told_; }

 private:
  void* memory_;
  record* told_ = nullptr;
};

/// Saves one step after the other; each is acknowledged when save() has returned.
template <class Native>
int save_in_front(manager_on<Native>& manager, middling_state& state, record& told) {
  for (;;) {
    paint(state, state.training.step + 1);
    told.started = state.training.step;
    if (!manager.save(state).ok()) return 10;
    told.acknowledge(state.training.step);
  }
}

/// The same in the background; each is acknowledged when poll() or wait() has reported it.
template <class Native>
int save_in_background(manager_on<Native>& manager, middling_state& state, record& told) {
  auto saver = manager.asynchronous();
  std::deque<std::uint64_t> under_way;
  for (;;) {
    const std::uint64_t step = state.training.step + 1;
    paint(state, step);
    told.started = step;
    if (!saver.save(state).ok()) return 20;
    under_way.push_back(step);
    const auto reports = step % 5 == 0 ? saver.wait() : saver.poll();
    if (!reports.ok()) return 21;
    for (std::size_t i = 0; i < reports->size(); ++i) {
      told.acknowledge(under_way.front());
      under_way.pop_front();
    }
  }
}

/// The life of a process: takes the directory, resumes, and saves until it is killed.
template <class Native>
int run_until_killed(const std::string& run, record& told, bool in_background) {
  auto manager = manager_on<Native>::open(keeping(run, kept));
  if (!manager.ok()) return 1;
  middling_state state;
  const auto found = manager->load_latest(state);
  if (!found.ok() && found.error().kind != errc::no_checkpoint) return 2;
  if (!is_whole(state) && found.ok()) return 3;
  if (state.training.step < told.acknowledged) return 4;
  told.has_begun = true;
  return in_background ? save_in_background(*manager, state, told)
                       : save_in_front(*manager, state, told);
}

/// What the kills have met.
struct figures {
  std::uint64_t kills = 0;
  std::uint64_t acknowledged = 0;    ///< saves
  std::uint64_t in_save = 0;         ///< a working directory of a save was there
  std::uint64_t in_removal = 0;      ///< one of a removal was there
  std::uint64_t fallbacks = 0;       ///< entries that the reader had to pass over
  std::uint64_t unacknowledged = 0;  ///< times that a later step was found than acknowledged
  std::uint64_t most_ahead = 0;      ///< how many saves later at most
  std::uint64_t most_lost = 0;       ///< saves asked for and not there, at most
  std::size_t most_checkpoints = 0;  ///< in the directory after a kill

  [[nodiscard]] std::string words() const {
    std::ostringstream out;
    out << kills << " kills, " << in_save << " inside a save and " << in_removal
        << " inside a removal; " << acknowledged << " saves acknowledged, none lost; " << fallbacks
        << " fallbacks; found " << unacknowledged << " times later than acknowledged, by at most "
        << most_ahead << " saves; at most " << most_lost << " under way lost; at most "
        << most_checkpoints << " checkpoints there";
    return out.str();
  }
};

void count_working(const std::string& run, std::uint64_t newest, figures& met) {
  const auto working = working_names(run);
  CHECK(working.size() <= 1);  // one writer, one left-over
  for (const std::string& name : working)
    ++(ckpt::detail::working_serial_of(name) > newest ? met.in_save : met.in_removal);
}

/// What anybody finds who reads after a kill.
void check_as_reader(const std::string& run, record& told, figures& met) {
  middling_state state;
  const auto reader = reader_of(run);
  const auto found = reader.load_latest(state);
  if (told.acknowledged == 0 && found.error().kind == errc::no_checkpoint) return;
  REQUIRE_MESSAGE(found.ok(), found.message());
  const std::uint64_t step = state.training.step;
  CHECK(is_whole(state));
  CHECK(found->entry.step == step);
  REQUIRE(step >= told.acknowledged);
  REQUIRE(step <= told.started);
  count_working(run, found->entry.serial, met);
  met.fallbacks += found->skipped.size();
  if (step > told.acknowledged) ++met.unacknowledged;
  met.most_ahead = (std::max)(met.most_ahead, step - told.acknowledged);
  met.most_lost = (std::max)(met.most_lost, told.started - step);
  // The next life goes on from here, and what was seen once has to stay.
  told.acknowledged = step;
  told.started = step;
}

/// A life leaves one checkpoint too many at most, beyond those that it found if it never came to
/// remove any. Gives how many there are.
std::size_t count_checkpoints(const std::string& run, std::size_t before, bool has_removed,
                              figures& met) {
  const auto entries = reader_of(run).list().or_throw();
  for (const auto& entry : entries) CHECK(entry.health.ok());
  CHECK(entries.size() <= 1 + (has_removed ? kept : (std::max)(kept, before)));
  met.most_checkpoints = (std::max)(met.most_checkpoints, entries.size());
  return entries.size();
}

/// What the next manager finds, who gets the directory at once.
template <class Native>
void check_as_next_manager(const std::string& run, const record& told) {
  auto manager = manager_on<Native>::open(keeping(run, kept));
  REQUIRE_MESSAGE(manager.ok(), manager.message());
  CHECK(working_names(run).empty());
  middling_state state;
  const auto found = manager->load_latest(state);
  CHECK((found.ok() || told.acknowledged == 0));
  if (found.ok()) CHECK((is_whole(state) && state.training.step >= told.acknowledged));
}

/// How long a life with two saves takes, in microseconds: kills come at any time of it.
template <class Native>
std::uint64_t life_time(const std::string& run) {
  const auto begin = std::chrono::steady_clock::now();
  const int code = in_child([&] {
    auto manager = manager_on<Native>::open(keeping(run, 1)).or_throw();
    middling_state state;
    for (std::uint64_t step = 1; step <= 2; ++step) {
      paint(state, step);
      if (!manager.save(state).ok()) return 1;
    }
    return 0;
  });
  REQUIRE(code == 0);
  const auto spent = std::chrono::steady_clock::now() - begin;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(spent).count());
}

/// Whether a child has not come to an end by itself; it is still to be waited for.
bool is_running(pid_t child) {
  siginfo_t ended{};
  const int done = ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
  return done == 0 && ended.si_pid == 0;
}

/// One life, and what is found after it.
template <class Native>
void kill_one(const std::string& run, record& told, bool in_background, std::uint64_t delay,
              figures& met) {
  told.has_begun = false;
  told.count = 0;
  const pid_t child =
      start_child([&] { return run_until_killed<Native>(run, told, in_background); });
  // Most lives are counted from the first save on; some are so short that they have none.
  while (met.kills % 8 != 7 && !told.has_begun && is_running(child)) ::usleep(100);
  ::usleep(static_cast<useconds_t>(delay));
  ::kill(child, SIGKILL);
  REQUIRE(wait_for(child) == -SIGKILL);
  ++met.kills;
  met.acknowledged += told.count;
  check_as_reader(run, told, met);
  check_as_next_manager<Native>(run, told);
}

std::uint64_t number_of_kills(std::uint64_t usual) {
  const char* const wanted = std::getenv("CKPT_KILLS");
  return wanted == nullptr ? usual : std::strtoull(wanted, nullptr, 10);
}

/// Each process resumes from what the one before has left; every second saves in the background.
template <class Native>
void kill_again_and_again(std::uint64_t kills) {
  const scratch here;
  const std::string run = here.at("run");
  const shared_record shared;
  record& told = *shared;
  constexpr std::uint64_t usual_time = 15000;
  const std::uint64_t longest = (std::max)(usual_time, life_time<Native>(here.at("measured")));
  test::random_numbers numbers(2024);
  figures met[2];
  std::size_t there = 0;
  for (std::uint64_t round = 0; round < kills; ++round) {
    CAPTURE(round);
    const bool in_background = round % 2 == 1;
    figures& each = met[round % 2];
    kill_one<Native>(run, told, in_background, numbers.below(longest), each);
    there = count_checkpoints(run, there, told.count > 0, each);
  }
  for (const figures& each : met) {
    if (kills < 100) continue;  // too few to meet everything
    CHECK(each.acknowledged > 0);
    CHECK(each.in_save > 0);
  }
  CHECK(met[0].most_ahead <= 1);  // published, and killed before save() returned
  CHECK(met[1].most_ahead <= 3);  // two under way, and one that poll() has not seen
  MESSAGE("within " << longest / 1000 << " ms, save() in front: " << met[0].words());
  MESSAGE("within " << longest / 1000 << " ms, in the background: " << met[1].words());
}

}  // namespace

TEST_CASE("kill -9 at any time leaves a whole checkpoint, not older than the last acknowledged") {
  kill_again_and_again<dawdling_native>(number_of_kills(undurable_kills));
}

TEST_CASE("kill -9 at any time in saves that wait for the disk leaves the same") {
  kill_again_and_again<ckpt::native>(number_of_kills(durable_kills));
}
