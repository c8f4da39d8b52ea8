#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ckpt/store/trainer_member.hpp"
#include "sample.hpp"
#include "support.hpp"
#include "watched_native.hpp"

using ckpt::errc;
using namespace ckpt_test;
using serials = std::vector<std::uint64_t>;
namespace fs = std::filesystem;

// The manager against a model of it: random sequences of everything that can be done with a
// directory of checkpoints and that can happen to it, the process dying at any change of the disk
// among them. After each the directory must be what the model says.
namespace {

using manager_type = ckpt::basic_checkpoint_manager<watched_native, small, ckpt::adam>;
using member_type = ckpt::basic_trainer_member<watched_native>;

enum class condition : std::uint8_t {
  whole,
  altered,   ///< other bytes, sizes as they were: seen by those who read every byte
  broken,    ///< seen from mark and sizes
  unmarked,  ///< without its mark
};

/// What the model knows of one checkpoint.
struct expected_entry {
  std::uint64_t step = 0;
  std::uint64_t epoch = 0;
  std::optional<double> metric{};
  condition how = condition::whole;
  bool has_foreign_file = false;  ///< and so it cannot be removed

  [[nodiscard]] bool looks_whole() const {
    return how == condition::whole || how == condition::altered;
  }
};
using expected_entries = std::map<std::uint64_t, expected_entry>;

/// The rules of retention, written anew from what the settings promise: does a checkpoint stay
/// while these others are there?
bool stays(std::uint64_t serial, const expected_entries& looked_at,
           const ckpt::manager_settings& settings) {
  const expected_entry& entry = looked_at.at(serial);
  std::size_t newer = 0;
  std::size_t better = 0;
  std::uint64_t interval_before = 0;
  const auto interval_of = [&](std::uint64_t step) { return step / settings.keep_every; };
  for (const auto& [other, it] : looked_at) {
    if (other > serial) ++newer;
    if (other < serial && settings.keep_every != 0) interval_before = interval_of(it.step);
    if (!entry.metric || !it.metric || other == serial) continue;
    const double gain =
        (*entry.metric - *it.metric) * (settings.best.order == ckpt::better::lower ? 1.0 : -1.0);
    if (gain > 0 || (!(gain < 0) && other < serial)) ++better;
  }
  if (newer < settings.max_to_keep) return true;
  if (!settings.best.metric.empty() && entry.metric && better < settings.best.count) return true;
  if (settings.keep_every == 0) return false;
  return interval_of(entry.step) != interval_before;
}

/// What must be there, and what is known of the manager.
struct expected_store {
  expected_entries entries;
  std::uint64_t next_serial = 0;
  std::optional<std::uint64_t> gone_back_to{};
  std::uint64_t saves_since = 0;

  /// The newest that is whole to the last byte, below a serial.
  [[nodiscard]] std::optional<std::uint64_t> latest(
      std::uint64_t below = std::numeric_limits<std::uint64_t>::max()) const {
    for (auto at = entries.rbegin(); at != entries.rend(); ++at)
      if (at->first < below && at->second.how == condition::whole) return at->first;
    return std::nullopt;
  }

  /// What rotation is to remove once the newest is there, the oldest first.
  [[nodiscard]] serials surplus(const ckpt::manager_settings& settings) const {
    expected_entries looked_at;
    for (const auto& [serial, entry] : entries)
      if (entry.looks_whole()) looked_at[serial] = entry;
    serials gone;
    for (const auto& [serial, entry] : looked_at) {
      const bool is_needed = gone_back_to == serial && saves_since < settings.max_to_keep;
      if (!is_needed && !stays(serial, looked_at, settings)) gone.push_back(serial);
    }
    return gone;
  }
};

/// What the changes of a process have done to whole checkpoints, one after the other.
struct story {
  std::optional<std::uint64_t> published{};
  serials removed;
};
story story_of(const std::vector<change>& changes) {
  story told;
  for (const change& made : changes) {
    if (made.kind != call::move) continue;
    const auto from = ckpt::detail::serial_of(fs::path(made.name).filename().string());
    const auto to = ckpt::detail::serial_of(fs::path(made.target).filename().string());
    if (to) told.published = to;
    if (from) told.removed.push_back(*from);
  }
  return told;
}

/// Names of checkpoints that are being made or removed.
std::vector<std::string> working_names(const std::string& directory) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (ckpt::detail::working_serial_of(name)) found.push_back(name);
  }
  return found;
}

/// One more than any serial that is to be seen.
std::uint64_t serial_behind(const std::string& directory) {
  std::uint64_t next = 0;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    auto serial = ckpt::detail::serial_of(name);
    if (!serial) serial = ckpt::detail::working_serial_of(name);
    if (serial) next = std::max(next, *serial + 1);
  }
  return next;
}

/// A run of random operations in a directory of its own.
class random_run {
 public:
  explicit random_run(std::uint64_t seed) : numbers_(seed) {
    fs::create_directory(here_.at("run"));
    watch_new_process();
    reopen();
  }
  ~random_run() {
    manager_.reset();
    CHECK(now.open_handles == 0);
  }
  random_run(const random_run&) = delete;
  random_run& operator=(const random_run&) = delete;

  void do_anything() {
    watch_anew();
    const std::uint64_t what = numbers_.below(100);
    if (what < 38) return save();
    if (what < 50) return save_and_die();
    if (what < 55) return remove_and_die();
    if (what < 59) return reopen_and_die();
    if (what < 66) return remove();
    if (what < 78) return damage();
    if (what < 85) return reopen();
    if (what < 93) return go_back();
    if (what < 97) return put_foreign();
    if (what < 99) return new_run();
    clear();
  }

  /// Compares everything that can be seen with the model.
  void inspect() const {
    const auto reader = ckpt::checkpoint_directory::open(here_.at("run")).or_throw();
    inspect_list(reader);
    inspect_latest(reader);
    inspect_names();
  }

  [[nodiscard]] const std::string& last() const { return last_; }
  [[nodiscard]] std::size_t deaths() const { return deaths_; }

 private:
  void note(const std::string& operation) { last_ = operation; }

  [[nodiscard]] ckpt::manager_settings draw_settings() {
    auto settings = keeping(here_.at("run"), 1 + static_cast<std::size_t>(numbers_.below(4)));
    if (numbers_.below(2) == 0) settings.best.metric = "loss";
    if (numbers_.below(2) == 0) settings.best.order = ckpt::better::higher;
    settings.best.count = 1 + static_cast<std::size_t>(numbers_.below(2));
    constexpr std::uint64_t intervals[] = {0, 0, 5, 10, 25};
    settings.keep_every = intervals[numbers_.below(5)];
    return settings;
  }

  /// A metric of few values, so that equals occur; NaN and none at all occur, too.
  [[nodiscard]] std::optional<double> draw_metric() {
    const std::uint64_t drawn = numbers_.below(8);
    if (drawn == 0) return std::nullopt;
    if (drawn == 1) return std::numeric_limits<double>::quiet_NaN();
    return 0.25 * static_cast<double>(drawn);
  }

  [[nodiscard]] static ckpt::trainer_arguments arguments_with(std::optional<double> metric) {
    ckpt::trainer_arguments arguments;
    if (metric) REQUIRE(arguments.set_real("loss", *metric).ok());
    REQUIRE(arguments.set_text("note", "abcdef").ok());
    return arguments;
  }

  /// Trains a bit, and says what a checkpoint would hold.
  [[nodiscard]] expected_entry train() {
    step_ += 1 + numbers_.below(6);
    return {step_, step_ / 7, draw_metric()};
  }

  [[nodiscard]] ckpt::file_result<ckpt::saved_checkpoint> make(const expected_entry& next) {
    return manager_->save(state_of(next.step, next.epoch), arguments_with(next.metric));
  }

  /// What the model does with a save that has come so far.
  void apply_published(std::uint64_t serial, expected_entry next) {
    if (next.metric && std::isnan(*next.metric)) next.metric.reset();
    store_.entries[serial] = next;
    ++store_.saves_since;
  }

  void save() {
    note("save");
    const expected_entry next = train();
    const auto saved = make(next);
    REQUIRE_MESSAGE(saved.ok(), saved.message());
    CHECK(saved->serial == store_.next_serial);
    store_.next_serial = saved->serial + 1;
    apply_published(saved->serial, next);
    serials removed;
    serials stayed;
    for (const std::uint64_t serial : store_.surplus(settings_))
      (store_.entries[serial].has_foreign_file ? stayed : removed).push_back(serial);
    CHECK(saved->removed == removed);
    REQUIRE(saved->not_removed.size() == stayed.size());
    for (const std::uint64_t serial : removed) store_.entries.erase(serial);
  }

  void save_and_die() {
    watched.dies_at = 1 + static_cast<std::size_t>(numbers_.below(28));
    note("save and die at change " + std::to_string(watched.dies_at));
    const expected_entry next = train();
    const auto saved = make(next);
    const bool has_died = watched.attempts >= watched.dies_at;
    const story told = story_of(watched.changes);
    if (saved.ok()) CHECK(told.published == saved->serial);
    if (told.published) {
      CHECK(*told.published == store_.next_serial);
      apply_published(*told.published, next);
      apply_removed(told.removed, store_.surplus(settings_), !has_died);
    } else {
      CHECK(told.removed.empty());
    }
    bury(has_died);
  }

  /// As far as it came, rotation has removed what it should, the oldest first.
  void apply_removed(const serials& removed, const serials& surplus, bool is_complete) {
    serials removable;
    for (const std::uint64_t serial : surplus)
      if (!store_.entries[serial].has_foreign_file) removable.push_back(serial);
    REQUIRE(removed.size() <= removable.size());
    CHECK(std::equal(removed.begin(), removed.end(), removable.begin()));
    if (is_complete) CHECK(removed.size() == removable.size());
    for (const std::uint64_t serial : removed) store_.entries.erase(serial);
  }

  /// The process is gone; another one looks, and then takes the directory.
  void bury(bool has_died) {
    deaths_ += has_died ? 1U : 0U;
    manager_.reset();
    CHECK(now.open_handles == 0);
    watch_anew();
    CHECK(working_names(here_.at("run")).size() <= 1);
    is_left_over_allowed_ = true;
    inspect();
    is_left_over_allowed_ = false;
    reopen_plainly();
  }

  [[nodiscard]] std::optional<std::uint64_t> draw_serial() {
    if (store_.entries.empty()) return std::nullopt;
    auto at = store_.entries.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(numbers_.below(store_.entries.size())));
    return at->first;
  }

  void remove() {
    const std::uint64_t serial = draw_serial().value_or(store_.next_serial + 5);
    note("remove " + std::to_string(serial));
    const auto removed = manager_->remove(serial);
    const auto found = store_.entries.find(serial);
    const errc expected = found == store_.entries.end()    ? errc::not_found
                          : found->second.has_foreign_file ? errc::foreign_entry
                                                           : errc::ok;
    CHECK(removed.error().kind == expected);
    if (expected == errc::ok) store_.entries.erase(serial);
  }

  void remove_and_die() {
    const std::uint64_t serial = draw_serial().value_or(store_.next_serial + 5);
    watched.dies_at = 1 + static_cast<std::size_t>(numbers_.below(6));
    note("remove " + std::to_string(serial) + " and die at " + std::to_string(watched.dies_at));
    const auto removed = manager_->remove(serial);
    const story told = story_of(watched.changes);
    CHECK_FALSE(told.published.has_value());
    CHECK(told.removed.size() <= 1);
    for (const std::uint64_t gone : told.removed) {
      CHECK(gone == serial);
      store_.entries.erase(gone);
    }
    if (removed.ok()) CHECK(told.removed.size() == 1);
    bury(watched.attempts >= watched.dies_at);
  }

  void clear() {
    note("clear");
    REQUIRE(manager_->clear().ok());
    for (auto at = store_.entries.begin(); at != store_.entries.end();)
      at = at->second.has_foreign_file ? std::next(at) : store_.entries.erase(at);
  }

  void reopen() {
    note("reopen");
    manager_.reset();
    CHECK(now.open_handles == 0);
    reopen_plainly();
  }

  /// Another process takes the directory, with other settings, and goes on.
  void reopen_plainly() {
    settings_ = draw_settings();
    store_.next_serial = serial_behind(here_.at("run"));
    store_.gone_back_to.reset();
    store_.saves_since = 0;
    auto opened = manager_type::open(settings_);
    REQUIRE_MESSAGE(opened.ok(), opened.message());
    manager_ = std::make_unique<manager_type>(std::move(*opened));
    CHECK(working_names(here_.at("run")).empty());
    small_state state;
    if (manager_->load_latest(state).ok()) step_ = state.training.step;
  }

  /// It dies while it sweeps what another one left that died.
  void reopen_and_die() {
    watched.dies_at = 2 + static_cast<std::size_t>(numbers_.below(10));  // before it is published
    note("die in a save at " + std::to_string(watched.dies_at) + ", and while sweeping");
    static_cast<void>(make(train()));
    const story told = story_of(watched.changes);
    REQUIRE_FALSE(told.published.has_value());
    manager_.reset();
    watch_anew();
    watched.dies_at = 1 + static_cast<std::size_t>(numbers_.below(4));
    static_cast<void>(manager_type::open(settings_));
    bury(true);
  }

  /// One whole checkpoint is damaged in one of many ways.
  void damage() {
    const auto serial = draw_serial();
    if (!serial || store_.entries[*serial].how != condition::whole) return note("nothing");
    expected_entry& entry = store_.entries[*serial];
    const std::string place = here_.at("run/" + ckpt::detail::checkpoint_name(*serial)) + "/";
    const std::uint64_t way = numbers_.below(10);
    note("damage " + std::to_string(*serial) + " by " + std::to_string(way));
    entry.how = condition::broken;
    switch (way) {
      case 0:
        flip(place + "model.ckpt");
        entry.how = condition::altered;
        break;
      case 1:
        flip_note(place + "trainer_0");
        entry.how = condition::altered;
        break;
      case 2: resize(place + "model.ckpt", -1); break;
      case 3: resize(place + "model.ckpt", 1); break;
      case 4: resize(place + "trainer_0", -1); break;
      case 5: resize(place + "_SUCCESS", -1); break;
      case 6: flip(place + "_SUCCESS"); break;
      case 7: fs::remove(place + (numbers_.below(2) == 0 ? "trainer_0" : "model.ckpt")); break;
      case 8:
        fs::remove(place + "_SUCCESS");
        entry.how = condition::unmarked;
        break;
      default:
        put_text(place + "notes.txt", "mine");
        entry.how = condition::whole;
        entry.has_foreign_file = true;
        break;
    }
  }

  void flip(const std::string& file) {
    bytes content = get(file);
    REQUIRE_FALSE(content.empty());
    content[static_cast<std::size_t>(numbers_.below(content.size()))] ^=
        std::byte{1} << static_cast<unsigned>(numbers_.below(8));
    put(file, content);
  }
  void flip_note(const std::string& file) {
    std::string text = get_text(file);
    text[text.find("abcdef") + static_cast<std::size_t>(numbers_.below(6))] ^= '\1';
    put_text(file, text);
  }
  static void resize(const std::string& file, int by) {
    fs::resize_file(file, fs::file_size(file) + static_cast<std::uintmax_t>(by));
  }

  void go_back() {
    note("go back");
    const bool has_tried = store_.gone_back_to && store_.saves_since == 0;
    const auto expected = has_tried ? store_.latest(*store_.gone_back_to) : store_.latest();
    small_state state = state_of(9999);
    const auto found = manager_->rollback(state);
    REQUIRE(found.ok() == expected.has_value());
    if (!expected) {
      CHECK(is_of(state, 9999));
      return;
    }
    const expected_entry& entry = store_.entries[*expected];
    CHECK(found->entry.serial == *expected);
    CHECK(is_of(state, entry.step, entry.epoch));
    store_.gone_back_to = expected;
    store_.saves_since = 0;
    step_ = entry.step;
  }

  void put_foreign() {
    constexpr const char* names[] = {"notes.txt",
                                     "checkpoint_007",
                                     "checkpoint_3.bak",
                                     "checkpoint_-1",
                                     ".checkpoint_.ckpt-tmp",
                                     "model.ckpt",
                                     "_SUCCESS",
                                     "trainer_0"};
    const std::string name = names[numbers_.below(8)];
    note("put " + name);
    foreign_.insert(name);
    put_text(here_.at("run/" + name), "of " + name);
  }

  /// A new run begins in the directory of the old one.
  void new_run() {
    note("new run");
    step_ = 0;
  }

  void inspect_list(const ckpt::checkpoint_directory& reader) const {
    const auto listed = reader.list();
    REQUIRE_MESSAGE(listed.ok(), listed.message());
    REQUIRE(listed->size() == store_.entries.size());
    auto at = listed->begin();
    for (const auto& [serial, entry] : store_.entries) {
      CHECK(at->serial == serial);
      CHECK(at->health.ok() == entry.looks_whole());
      CHECK((at->health.kind == errc::not_finished) == (entry.how == condition::unmarked));
      if (entry.looks_whole()) CHECK(at->step == entry.step);
      if (entry.looks_whole()) CHECK(at->epoch == entry.epoch);
      ++at;
    }
  }

  void inspect_latest(const ckpt::checkpoint_directory& reader) const {
    small_state state = state_of(9999);
    const auto latest = reader.latest();
    const auto loaded = reader.load_latest(state);
    const auto expected = store_.latest();
    REQUIRE(latest.ok() == expected.has_value());
    REQUIRE(loaded.ok() == expected.has_value());
    if (!expected) {
      const errc why = store_.entries.empty() ? errc::no_checkpoint : errc::no_good_checkpoint;
      CHECK(latest.error().kind == why);
      CHECK(loaded.error().kind == why);
      CHECK(is_of(state, 9999));
      return;
    }
    const expected_entry& entry = store_.entries.at(*expected);
    CHECK(latest->entry.serial == *expected);
    CHECK(loaded->entry.serial == *expected);
    CHECK(is_of(state, entry.step, entry.epoch));
    CHECK(entry.metric == draw_back(latest->entry));
    inspect_skipped(latest->skipped, *expected);
  }

  /// The metric of an entry, unless it is NaN.
  [[nodiscard]] static std::optional<double> draw_back(const ckpt::checkpoint_entry& entry) {
    const auto found = entry.arguments.real("loss");
    return found.ok() && !std::isnan(*found) ? std::optional<double>(*found) : std::nullopt;
  }

  /// Newer ones that are not whole are named, the newest first.
  void inspect_skipped(const std::vector<ckpt::skipped_entry>& skipped,
                       std::uint64_t latest) const {
    std::size_t count = 0;
    for (auto at = store_.entries.rbegin(); at->first != latest; ++at, ++count) {
      REQUIRE(count < skipped.size());
      CHECK(skipped[count].name == ckpt::detail::checkpoint_name(at->first));
      CHECK_FALSE(skipped[count].reason.ok());
      CHECK(test::mentions(skipped[count].message, skipped[count].name));
    }
    for (; count < skipped.size(); ++count)
      CHECK(skipped[count].reason.kind == errc::foreign_entry);
  }

  /// Nothing is there but checkpoints, the lock, and what is not ours, as it was.
  void inspect_names() const {
    for (const std::string& name : foreign_)
      CHECK(get_text(here_.at("run/" + name)) == "of " + name);
    for (const auto& [serial, entry] : store_.entries)
      if (entry.has_foreign_file)
        CHECK(get_text(here_.at("run/" + ckpt::detail::checkpoint_name(serial) + "/notes.txt")) ==
              "mine");
    for (const auto& found : fs::directory_iterator(here_.at("run"))) {
      const std::string name = found.path().filename().string();
      CAPTURE(name);
      const auto serial = ckpt::detail::serial_of(name);
      const bool is_known = name == ".ckpt-lock" || foreign_.count(name) != 0 ||
                            (serial && store_.entries.count(*serial) != 0);
      const bool is_left_over = ckpt::detail::working_serial_of(name).has_value();
      CHECK((is_known || (is_left_over && is_left_over_allowed_)));
    }
  }

  scratch here_{quick_place()};
  test::random_numbers numbers_;
  ckpt::manager_settings settings_;
  std::unique_ptr<manager_type> manager_;
  expected_store store_;
  std::set<std::string> foreign_;
  std::uint64_t step_ = 0;
  std::size_t deaths_ = 0;
  bool is_left_over_allowed_ = false;
  std::string last_;
};

/// Three checkpoints, which the save of a manager that keeps one is to remove. With a second
/// trainer, that one writes its arguments as soon as it is told, and dies with the first.
class rotating_save {
 public:
  explicit rotating_save(std::uint64_t trainers = 1) : trainers_(trainers) {
    watch_new_process();
    auto manager = manager_type::open(keeping(here_.at("prepared"), 3)).or_throw();
    for (const std::uint64_t step : {10U, 20U, 30U}) REQUIRE(manager.save(state_of(step)).ok());
  }

  /// Makes it in a new copy, and dies at a change of the disk, from 1 on; 0: never.
  ckpt::file_result<ckpt::saved_checkpoint> run(std::size_t dies_at) {
    fs::remove_all(directory());
    fs::copy(here_.at("prepared"), directory(), fs::copy_options::recursive);
    auto manager = std::make_unique<manager_type>(manager_type::open(settings()).or_throw());
    watch_anew();
    watched.dies_at = dies_at;
    auto saved = manager->save(state_of(40));
    changes_ = watched.changes;
    manager.reset();  // as dead as it was
    watch_anew();
    return saved;
  }

  [[nodiscard]] std::string directory() const { return here_.at("run"); }
  [[nodiscard]] const std::vector<change>& changes() const { return changes_; }

  /// The number of the first change of this kind to this name, from 1 on; the last for `is_last`.
  [[nodiscard]] std::size_t find(call kind, const std::string& name, bool is_last = false) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i)
      if (changes_[i].kind == kind && changes_[i].name == directory() + name &&
          (found == 0 || is_last))
        found = i + 1;
    INFO(name);
    REQUIRE(found != 0);
    return found;
  }
  /// The number of the move that gives the new one its name.
  [[nodiscard]] std::size_t find_published() const {
    const auto at = std::find_if(changes_.begin(), changes_.end(), [&](const change& made) {
      return made.kind == call::move && made.target == directory() + "/checkpoint_3";
    });
    REQUIRE(at != changes_.end());
    return static_cast<std::size_t>(at - changes_.begin()) + 1;
  }

 private:
  [[nodiscard]] ckpt::manager_settings settings() const {
    auto settings = keeping(directory(), 1);
    settings.trainer_count = trainers_;
    settings.trainer_timeout = std::chrono::nanoseconds(0);
    settings.announce = [trainers = trainers_, directory = directory()](std::uint64_t serial) {
      for (std::uint64_t trainer = 1; trainer < trainers; ++trainer)
        static_cast<void>(member_type::open(directory, trainer).or_throw().write(serial, {}));
    };
    return settings;
  }

  std::uint64_t trainers_;
  scratch here_{quick_place()};
  std::vector<change> changes_;
};

const std::string new_working = "/.checkpoint_3.ckpt-tmp";

}  // namespace

TEST_CASE("everything is on the disk before it gets its name, and that before the old ones go") {
  rotating_save save;
  REQUIRE(save.run(0).ok());
  const std::size_t published = save.find_published();
  const std::size_t marked = save.find(call::create, new_working + "/_SUCCESS");
  for (const char* part : {"/model.ckpt", "/trainer_0", "/_SUCCESS"}) {
    const std::size_t synced = save.find(call::sync, new_working + part);
    CHECK(save.find(call::write, new_working + part, true) < synced);
    CHECK(synced < save.find(call::sync_directory, new_working));
    CHECK((part == std::string("/_SUCCESS") || synced < marked));  // the mark is the last
  }
  CHECK(save.find(call::sync_directory, new_working) < published);
  const std::size_t settled = save.find(call::sync_directory, "");
  CHECK(published < settled);
  for (std::size_t i = 0; i < settled; ++i) {
    CAPTURE(save.changes()[i].name);
    CHECK(save.changes()[i].kind != call::remove_file);
    CHECK((save.changes()[i].kind != call::move || i + 1 == published));
  }
  for (const char* old : {"/checkpoint_0", "/checkpoint_1", "/checkpoint_2"})
    CHECK(settled < save.find(call::move, old));
}

TEST_CASE("a process that dies at any change of a save leaves the old latest or the new one") {
  for (const std::uint64_t trainers : {1U, 2U}) {
    CAPTURE(trainers);
    rotating_save save(trainers);
    REQUIRE(save.run(0).ok());
    const std::size_t count = save.changes().size();
    const std::size_t published = save.find_published();
    const std::size_t settled = save.find(call::sync_directory, "");
    for (std::size_t number = 1; number <= count; ++number) {
      CAPTURE(number);
      const auto saved = save.run(number);
      CHECK(saved.ok() == (number > settled));
      const auto reader = ckpt::checkpoint_directory::open(save.directory()).or_throw();
      small_state state;
      const auto found = reader.load_latest(state).or_throw();
      CHECK(found.entry.serial == (number > published ? 3U : 2U));
      CHECK(is_of(state, number > published ? 40 : 30));
      CHECK(found.skipped.empty());
      const std::size_t old_ones = serials_in(reader).size() - (number > published ? 1 : 0);
      CHECK((number > settled || old_ones == 3));
      CHECK(working_names(save.directory()).size() <= 1);

      auto next = manager_type::open(keeping(save.directory(), 2)).or_throw();
      CHECK(working_names(save.directory()).empty());
      CHECK(next.save(state_of(50)).or_throw().serial == (number == 1 ? 3U : 4U));
      CHECK(serials_in(next).size() == 2);
      CHECK(next.latest().or_throw().entry.step == 50);
    }
    MESSAGE(count << " changes in a save of " << trainers << " that removes three");
  }
  CHECK(now.open_handles == 0);
}

TEST_CASE("random saves, deaths, removals and damages leave what a model says") {
  constexpr std::uint64_t runs = 40;
  constexpr int operations = 100;
  std::size_t deaths = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    CAPTURE(seed);
    random_run run(seed);
    for (int number = 1; number <= operations; ++number) {
      CAPTURE(number);
      CAPTURE(run.last());
      run.do_anything();
      run.inspect();
    }
    deaths += run.deaths();
  }
  MESSAGE((runs * operations) << " operations, " << deaths << " deaths of the process");
  CHECK(deaths > 300);
}
