#ifndef CKPT_STORE_CHECKPOINT_DIRECTORY_HPP
#define CKPT_STORE_CHECKPOINT_DIRECTORY_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/checkpoint/load.hpp"
#include "ckpt/io/absolute.hpp"
#include "ckpt/store/checkpoint_entry.hpp"
#include "ckpt/store/read_parts.hpp"

namespace ckpt {

/// What loading from a directory has done.
struct loaded_checkpoint {
  checkpoint_entry entry{};              ///< what was loaded
  load_report report{};                  ///< what loading it has done
  std::vector<skipped_entry> skipped{};  ///< newer ones that were passed over, the newest first
};

namespace detail {

/// Where a search for the newest usable checkpoint stands.
struct search_state {
  std::vector<skipped_entry> skipped{};
  bool any_is_ours = false;    ///< something that is a checkpoint by its name was passed over
  bool any_vanished = false;   ///< a manager removed one meanwhile, so there are newer ones
  bool indeterminate = false;  ///< a load failed half-way
  bool out_of_memory = false;  ///< which is not the checkpoint's fault, and so ends the search
};

/// The failure of finding none: nothing there, or nothing that is whole. Lists what was skipped.
[[nodiscard]] inline status none_found(const search_state& search) noexcept {
  status failed = fail(search.any_is_ours ? errc::no_good_checkpoint : errc::no_checkpoint);
  failed.indeterminate = search.indeterminate;
  return failed;
}

}  // namespace detail

/// The checkpoints in a directory, for reading: by anybody, at any time, also while a manager
/// writes there. Nothing is ever changed. The order is that of the serials: a checkpoint saved
/// later is newer, whatever its step, its name's neighbours or the times of the files say.
/// One object may be used by several threads at once.
template <class Native = native>
class basic_checkpoint_directory {
 public:
  basic_checkpoint_directory() = default;

  /// A directory that need not exist yet. A relative path is fixed now: changing the working
  /// directory later makes no difference.
  /// @errors empty_path, invalid_path, no_memory, input_output
  [[nodiscard]] static result<basic_checkpoint_directory> open(const path& name) noexcept {
    return detail::without_exceptions([&]() -> result<basic_checkpoint_directory> {
      auto fixed = absolute_path<Native>(name);
      if (!fixed.ok()) return fixed.error();
      basic_checkpoint_directory made;
      made.name_ = std::move(*fixed);
      return result<basic_checkpoint_directory>(std::move(made));
    });
  }

  /// The absolute name of the directory.
  [[nodiscard]] const path& name() const noexcept { return name_; }
  /// The directory of one checkpoint, which need not be there.
  [[nodiscard]] path entry_path(std::uint64_t serial) const {
    return name_ / detail::checkpoint_name(serial);
  }
  /// The model file of one checkpoint: for mapping, loading by name, and the tools.
  [[nodiscard]] path model_path(std::uint64_t serial) const {
    return entry_path(serial) / detail::model_file_name;
  }

  /// Every checkpoint by its mark and the sizes of its files, the oldest first; those that are not
  /// usable say why. A directory that does not exist has none.
  /// @errors not_a_directory, permission_denied, no_memory, input_output
  [[nodiscard]] file_result<std::vector<checkpoint_entry>> list() const {
    const auto names = list_names();
    if (!names.ok()) return {names.error(), names.message()};
    std::vector<checkpoint_entry> entries;
    for (const std::uint64_t serial : serials_in(*names))
      entries.push_back(look(serial, detail::scrutiny::sizes));
    return entries;
  }

  /// One checkpoint, every byte of it compared with its mark.
  /// @errors not_found, not_a_directory, not_finished (no mark), truncated, trailing_bytes,
  /// checksum_mismatch, bad_syntax, unsupported_version (of the mark), and those of reading
  [[nodiscard]] file_result<checkpoint_entry> check(std::uint64_t serial) const {
    checkpoint_entry entry = look(serial, detail::scrutiny::bytes);
    if (!entry.health.ok()) return {entry.health, entry.message};
    return entry;
  }

  /// The newest checkpoint that is whole, every byte of it compared.
  /// @errors no_checkpoint (none there), no_good_checkpoint (some there, none whole; the message
  /// lists them), not_a_directory, permission_denied, no_memory (an older one is not taken then),
  /// input_output
  [[nodiscard]] file_result<latest_checkpoint> latest() const {
    return find_latest<latest_checkpoint>(
        [](latest_checkpoint&) -> file_result<load_report> { return load_report{}; });
  }

  /// Loads one checkpoint.
  /// @errors those of check() before anything is touched, and those of ckpt::load()
  template <class Format = onert, class Model, class Optimizer>
  file_result<loaded_checkpoint> load(std::uint64_t serial, state_view<Model, Optimizer>& state,
                                      const load_options& options = {}) const {
    auto checked = check(serial);
    if (!checked.ok()) return {checked.error(), checked.message()};
    const auto loaded = detail::load_with<Native, Format>(model_path(serial), state, options);
    if (!loaded.ok()) return {loaded.error(), loaded.message()};
    return loaded_checkpoint{std::move(*checked), *loaded, {}};
  }

  /// Loads the newest checkpoint that is whole and fits the state; newer ones that are not are
  /// listed with the reason.
  /// @param before  only serials below this one
  /// @errors those of latest(), `indeterminate` if a load failed half-way
  template <class Format = onert, class Model, class Optimizer>
  file_result<loaded_checkpoint> load_latest(state_view<Model, Optimizer>& state,
                                             const load_options& options = {},
                                             std::uint64_t before = detail::max_serial + 1) const {
    return find_latest<loaded_checkpoint>(
        [&](loaded_checkpoint& found) {
          auto loaded =
              detail::load_with<Native, Format>(model_path(found.entry.serial), state, options);
          if (loaded.ok()) found.report = *loaded;
          return loaded;
        },
        before);
  }

  /// What a trainer left in a checkpoint. One that was not there then gets step and epoch of the
  /// chief and no values of its own: so a run may go on with more trainers, and with fewer.
  /// @errors those of check()
  [[nodiscard]] file_result<trainer_arguments> load_arguments(std::uint64_t serial,
                                                              std::uint64_t trainer) const {
    auto checked = check(serial);
    if (!checked.ok()) return {checked.error(), checked.message()};
    trainer_arguments of_chief;
    of_chief.step = checked->step;
    of_chief.epoch = checked->epoch;
    if (trainer >= checked->trainer_count) return of_chief;
    const path file = entry_path(serial) / detail::trainer_name(trainer);
    const auto text = detail::read_text<Native>(file);
    if (!text.ok()) return failure(file, text.error());
    auto arguments = trainer_arguments::decode(*text);
    if (!arguments.ok()) return failure(file, arguments.error());
    return std::move(*arguments);
  }

 private:
  using name_list = std::vector<std::string>;

  static constexpr int max_attempts = 100;

  struct failed_read {
    status reason;
    std::string message;
    template <class T>
    operator file_result<T>() && {
      return {reason, std::move(message)};
    }
  };
  [[nodiscard]] static failed_read failure(const path& file, const status& reason) {
    return {reason, detail::file_message("read", file, reason, {})};
  }

  /// All names in the directory; none if it does not exist.
  [[nodiscard]] file_result<name_list> list_names() const {
    auto listed = ckpt::list_directory<Native>(name_);
    if (listed.ok()) return std::move(*listed);
    if (listed.error().kind == errc::not_found) return name_list{};
    const auto kind = entry_at<Native>(name_);
    const bool is_other = kind.ok() && *kind != entry_kind::none && *kind != entry_kind::directory;
    return failure(name_, is_other ? fail(errc::not_a_directory) : listed.error());
  }

  [[nodiscard]] static std::vector<std::uint64_t> serials_in(const name_list& listed) {
    std::vector<std::uint64_t> serials;
    for (const std::string& name : listed)
      if (const auto serial = detail::serial_of(name)) serials.push_back(*serial);
    std::sort(serials.begin(), serials.end());
    return serials;
  }

  [[nodiscard]] checkpoint_entry look(std::uint64_t serial, detail::scrutiny closeness) const {
    checkpoint_entry entry;
    entry.serial = serial;
    detail::entry_reader<Native> reader(entry_path(serial));
    entry.health = reader.read(entry, closeness);
    if (!entry.health.ok())
      entry.message = detail::file_message("use", reader.blamed(), entry.health, {});
    return entry;
  }

  /// Notes names that look like those of checkpoints and are none.
  static void note_foreign(const name_list& listed, detail::search_state& search) {
    for (const std::string& name : listed) {
      if (detail::serial_of(name) || !detail::between(name, "checkpoint", "")) continue;
      search.skipped.push_back(
          {name, fail(errc::foreign_entry), "'" + name + "' is not the name of a checkpoint"});
    }
  }

  void pass_over(std::uint64_t serial, const status& reason, const std::string& message,
                 detail::search_state& search) const {
    search.indeterminate = search.indeterminate || reason.indeterminate;
    const auto kind = entry_itself_at<Native>(entry_path(serial));
    search.any_vanished = kind.ok() && *kind == entry_kind::none;
    if (search.any_vanished) return;
    search.any_is_ours = true;
    search.out_of_memory = reason.kind == errc::no_memory;
    search.skipped.push_back({detail::checkpoint_name(serial), reason, message});
  }

  /// Walks from the newest to the oldest until one is whole and accepted, or has vanished.
  template <class Found, class Accept>
  [[nodiscard]] bool walk(const std::vector<std::uint64_t>& serials, std::uint64_t before,
                          Accept& accept, detail::search_state& search, Found& found) const {
    for (std::size_t i = serials.size(); i-- > 0;) {
      if (search.out_of_memory || search.any_vanished) return false;
      if (serials[i] >= before) continue;
      found.entry = look(serials[i], detail::scrutiny::bytes);
      if (!found.entry.health.ok()) {
        pass_over(serials[i], found.entry.health, found.entry.message, search);
        continue;
      }
      const auto accepted = accept(found);
      if (accepted.ok()) return true;
      pass_over(serials[i], accepted.error(), accepted.message(), search);
    }
    return false;
  }

  template <class Found, class Accept>
  [[nodiscard]] file_result<Found> find_latest(Accept accept,
                                               std::uint64_t before = detail::max_serial +
                                                                      1) const {
    detail::search_state search;
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      const auto listed = list_names();
      if (!listed.ok()) return {listed.error(), listed.message()};
      const bool is_touched = search.indeterminate;
      search = {};
      search.indeterminate = is_touched;
      Found found;
      if (walk(serials_in(*listed), before, accept, search, found)) {
        note_foreign(*listed, search);
        found.skipped = std::move(search.skipped);
        return found;
      }
      if (search.out_of_memory) return out_of_memory<Found>(search);
      if (search.any_vanished) continue;
      note_foreign(*listed, search);
      break;
    }
    return none_found<Found>(search);
  }

  template <class Found>
  [[nodiscard]] file_result<Found> out_of_memory(const detail::search_state& search) const {
    status failed = search.skipped.back().reason;
    failed.indeterminate = search.indeterminate;
    return {failed, search.skipped.back().message};
  }

  template <class Found>
  [[nodiscard]] file_result<Found> none_found(const detail::search_state& search) const {
    const status failed = detail::none_found(search);
    std::string message = detail::file_message("resume from", name_, failed, {});
    for (const skipped_entry& entry : search.skipped) message += "\n  " + entry.message;
    return {failed, message};
  }

  path name_{};
};

/// The checkpoints in a directory of this system.
using checkpoint_directory = basic_checkpoint_directory<>;

}  // namespace ckpt

#endif  // CKPT_STORE_CHECKPOINT_DIRECTORY_HPP
