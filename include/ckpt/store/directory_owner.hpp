#ifndef CKPT_STORE_DIRECTORY_OWNER_HPP
#define CKPT_STORE_DIRECTORY_OWNER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/io/absolute.hpp"
#include "ckpt/io/create_directories.hpp"
#include "ckpt/io/lock.hpp"
#include "ckpt/store/checkpoint_building.hpp"
#include "ckpt/store/checkpoint_directory.hpp"
#include "ckpt/store/manager_settings.hpp"
#include "ckpt/store/remove_checkpoint.hpp"
#include "ckpt/store/retention.hpp"

namespace ckpt {

/// What a save through the manager has done.
struct saved_checkpoint {
  std::uint64_t serial = 0;
  std::uint64_t model_bytes = 0;             ///< size of the model file
  std::vector<std::uint64_t> removed{};      ///< serials that rotation removed
  std::vector<skipped_entry> not_removed{};  ///< what it could not remove; no failure of the save
};

/// What removing checkpoints has done.
struct removed_checkpoints {
  std::vector<std::uint64_t> removed{};      ///< serials
  std::vector<skipped_entry> not_removed{};  ///< and why
};

namespace detail {

/// The one writer of a directory of checkpoints: all of the manager that knows no model. The lock
/// is held as long as it lives. One call at a time; the manager sees to that.
template <class Native>
class directory_owner {
 public:
  /// Takes the directory: makes it if absent, locks it, and removes what interrupted saves and
  /// removals left.
  [[nodiscard]] static file_result<std::unique_ptr<directory_owner>> open(
      const manager_settings& settings) {
    if (const std::string fault = settings_fault(settings); !fault.empty())
      return {fail(errc::invalid_settings),
              "cannot manage '" + settings.directory.to_utf8() + "': " + fault};
    std::unique_ptr<directory_owner> made(new (std::nothrow) directory_owner(settings));
    if (made == nullptr) return {fail(errc::no_memory, sizeof(directory_owner), 0), {}};
    const status taken = made->take();
    if (taken.ok()) return made;
    return {taken, file_message("manage", made->blamed_, taken, {})};
  }

  explicit directory_owner(const manager_settings& settings) : settings_(settings) {}

  [[nodiscard]] const manager_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const basic_checkpoint_directory<Native>& directory() const noexcept {
    return directory_;
  }
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

  /// Makes the next checkpoint, whose model file is written by `write(sink)`, and then removes what
  /// need not stay.
  template <class Write>
  [[nodiscard]] file_result<saved_checkpoint> save(const trainer_arguments& arguments,
                                                   Write write) {
    saved_checkpoint saved;
    const status done = build(arguments, write, saved);
    if (!done.ok()) return {done, save_message(done)};
    ++saves_since_rollback_;
    rotate(saved);
    return saved;
  }

  [[nodiscard]] status remove(std::uint64_t serial) {
    return remove_checkpoint<Native>(directory_.name(), serial, blamed_);
  }

  /// Removes every checkpoint, whole or not.
  [[nodiscard]] file_result<removed_checkpoints> clear() {
    const auto entries = directory_.list();
    if (!entries.ok()) return {entries.error(), entries.message()};
    std::vector<std::uint64_t> serials;
    for (const checkpoint_entry& entry : *entries) serials.push_back(entry.serial);
    removed_checkpoints outcome;
    remove_all(serials, outcome.removed, outcome.not_removed);
    return outcome;
  }

  /// Removes the lock and the directory itself, if nothing else is in it. Nobody owns it then.
  [[nodiscard]] status remove_directory() {
    if (const status released = lock_.remove_and_release(); !released.ok()) return released;
    const status removed = ckpt::remove_directory<Native>(directory_.name());
    return removed.kind == errc::already_exists ? status{} : removed;
  }

  /// Below which serial a roll back looks: if nothing was saved since the last one, that one led
  /// nowhere, and the next has to go further back.
  [[nodiscard]] std::uint64_t rollback_limit() const noexcept {
    return rolled_back_to_ && saves_since_rollback_ == 0 ? *rolled_back_to_ : max_serial + 1;
  }
  void note_rollback(std::uint64_t serial) noexcept {
    rolled_back_to_ = serial;
    saves_since_rollback_ = 0;
  }

  /// What the last failure was about.
  [[nodiscard]] const path& blamed() const noexcept { return blamed_; }

 private:
  [[nodiscard]] status take() {
    blamed_ = settings_.directory;
    auto opened = basic_checkpoint_directory<Native>::open(settings_.directory);
    if (!opened.ok()) return opened.error();
    directory_ = std::move(*opened);
    if (const status made = make_directory(); !made.ok()) return made;
    blamed_ = directory_.name() / lock_name;
    auto locked = basic_file_lock<Native>::acquire(blamed_);
    if (!locked.ok()) return locked.error();
    lock_ = std::move(*locked);
    return sweep();
  }

  [[nodiscard]] status make_directory() {
    const status made = create_directories<Native>(directory_.name(), true);
    const auto kind = entry_at<Native>(directory_.name());
    const bool is_other = kind.ok() && (*kind == entry_kind::file || *kind == entry_kind::other);
    return is_other ? fail(errc::not_a_directory) : made;
  }

  /// Notes the serials that are in use, and removes what interrupted or failed saves and removals
  /// left. Their serials are not used again: a trainer may still know one.
  [[nodiscard]] status sweep() {
    blamed_ = directory_.name();
    const auto names = ckpt::list_directory<Native>(directory_.name());
    if (!names.ok()) return names.error();
    for (const std::string& name : *names) {
      const auto left = working_serial_of(name);
      const auto serial = left ? left : serial_of(name);
      if (serial) next_serial_ = (std::max)(next_serial_, *serial + 1);
      path ignored;
      if (left) static_cast<void>(remove_parts<Native>(directory_.name() / name, ignored));
    }
    return {};
  }

  /// One more than any serial that was ever seen here, under whatever kind of entry.
  [[nodiscard]] result<std::uint64_t> next_serial() {
    if (const status swept = sweep(); !swept.ok()) return swept;
    if (next_serial_ > max_serial)
      return fail(errc::counter_out_of_range, max_serial, next_serial_);
    return next_serial_;
  }

  template <class Write>
  [[nodiscard]] status build(const trainer_arguments& arguments, Write& write,
                             saved_checkpoint& saved) {
    const auto serial = next_serial();
    if (!serial.ok()) return serial.error();
    checkpoint_building<Native> building(directory_.name(), *serial);
    const status built = fill(building, *serial, arguments, write);
    blamed_ = building.blamed();
    if (!built.ok()) return built;
    saved.serial = *serial;
    saved.model_bytes = building.model_bytes();
    return {};
  }

  template <class Write>
  [[nodiscard]] status fill(checkpoint_building<Native>& building, std::uint64_t serial,
                            const trainer_arguments& arguments, Write& write) {
    if (const status begun = building.begin(); !begun.ok()) return begun;
    next_serial_ = serial + 1;  // told to trainers, so never used again
    if (settings_.announce) settings_.announce(serial);
    const status model = building.write_part(model_file_name, write);
    if (!model.ok()) return model;
    const status chief = building.write_text(trainer_name(0), arguments.encode());
    if (!chief.ok()) return chief;
    const status others = building.collect(settings_.trainer_count, settings_.trainer_timeout);
    return others.ok() ? building.publish() : others;
  }

  [[nodiscard]] std::string save_message(const status& failed) const {
    std::string message = file_message("save", blamed_, failed, {});
    if (failed.kind == errc::not_finished)
      message += "; " + std::to_string(failed.found) + " of " + std::to_string(failed.expected) +
                 " trainers have come in time";
    return message;
  }

  void rotate(saved_checkpoint& saved) {
    const auto entries = directory_.list();
    if (!entries.ok()) {
      saved.not_removed.push_back({"", entries.error(), entries.message()});
      return;
    }
    std::vector<checkpoint_entry> whole;
    for (const checkpoint_entry& entry : *entries)
      if (entry.health.ok()) whole.push_back(entry);
    std::vector<std::uint64_t> needed = {saved.serial};
    if (rolled_back_to_ && saves_since_rollback_ < settings_.max_to_keep)
      needed.push_back(*rolled_back_to_);
    remove_all(surplus(whole, settings_, needed), saved.removed, saved.not_removed);
  }

  void remove_all(const std::vector<std::uint64_t>& serials, std::vector<std::uint64_t>& removed,
                  std::vector<skipped_entry>& not_removed) {
    for (const std::uint64_t serial : serials) {
      const status outcome = remove(serial);
      if (outcome.ok()) {
        removed.push_back(serial);
      } else if (outcome.kind != errc::not_found) {
        not_removed.push_back(
            {checkpoint_name(serial), outcome, file_message("remove", blamed_, outcome, {})});
      }
    }
  }

  manager_settings settings_;
  basic_checkpoint_directory<Native> directory_;
  basic_file_lock<Native> lock_;
  path blamed_;
  std::uint64_t next_serial_ = 0;
  std::optional<std::uint64_t> rolled_back_to_;
  std::uint64_t saves_since_rollback_ = 0;
  std::mutex mutex_;
};

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_STORE_DIRECTORY_OWNER_HPP
