#ifndef CKPT_STORE_CHECKPOINT_MANAGER_HPP
#define CKPT_STORE_CHECKPOINT_MANAGER_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/async_saver.hpp"
#include "ckpt/checkpoint/filtered_state.hpp"
#include "ckpt/checkpoint/prepared_save.hpp"
#include "ckpt/checkpoint/progress.hpp"
#include "ckpt/store/directory_owner.hpp"
#include "ckpt/store/save_schedule.hpp"

namespace ckpt {

/// The life of the checkpoints of one run, in one directory: when to save, what to keep, which is
/// the latest good one, and how to go on from it.
///
///     ckpt::manager_settings settings;
///     settings.directory = "runs/a";
///     auto manager = ckpt::checkpoint_manager<mlp, ckpt::adam>::open(settings).or_throw();
///     const auto found = manager.load_latest(state);
///     if (!found.ok() && found.error().kind != ckpt::errc::no_checkpoint) found.or_throw();
///     while (state.training.step < total_steps) {
///       train_one_step(state);            // with batch number state.training.step: nothing is
///       ++state.training.step;            // read only to be skipped
///       if (manager.should_save(state.training.step, state.training.epoch))
///         manager.save(state).or_throw();
///     }
///
/// `step` and `epoch` count what is completed: a state saved after the third step says 3, and the
/// loop above goes on with the fourth, batch number 3. Loading and saving never move a counter.
///
/// A save makes `checkpoint_<serial>` under another name, waits until the disk has it, and then
/// gives it its name; only then are old ones removed. Serials only grow, and the newest is the one
/// with the highest serial: a new run in the directory of an old one is newer, however low its
/// step, and its checkpoints push out those of the old run.
///
/// Opening makes the directory and locks it: a second manager is refused, by `busy`, until the
/// first is closed or its process is gone. (A child made by fork() that does not exec shares the
/// lock.) Reading needs no manager: see checkpoint_directory.
///
/// `should_save()` and the loading functions are for the thread that trains; `save()`, `remove()`,
/// `clear()` and `rollback()` may be called from any thread, and wait for each other.
/// @tparam Filter  which tensors are saved and loaded at all (model/tensor_filter.hpp)
template <class Native, class Model, class Optimizer, class Format = onert, class Filter = keep_all>
class basic_checkpoint_manager {
 public:
  using clock = std::chrono::steady_clock;
  /// The saver that `asynchronous()` makes.
  using saver_type = async_saver<Model, Optimizer, saved_checkpoint, trainer_arguments>;

  /// Has no directory: everything is refused. `open()` makes one that has.
  basic_checkpoint_manager() = default;

  /// Takes a directory.
  /// @errors invalid_settings (the message says which), empty_path, invalid_path, not_a_directory,
  /// busy (another manager has it), permission_denied, no_space, no_memory, input_output
  [[nodiscard]] static file_result<basic_checkpoint_manager> open(
      const manager_settings& settings) {
    auto owner = detail::directory_owner<Native>::open(settings);
    if (!owner.ok()) return {owner.error(), owner.message()};
    basic_checkpoint_manager made;
    made.directory_ = (*owner)->directory();
    made.owner_ = std::move(*owner);
    made.schedule_ = detail::save_schedule(settings, clock::now());
    return made;
  }

  /// Whether there is a directory behind it.
  [[nodiscard]] bool is_open() const noexcept { return owner_ != nullptr; }

  /// Whether a checkpoint is due after so many completed steps and epochs: when the step is a
  /// multiple of `step_interval` in an epoch that is one of `epoch_interval`, or when
  /// `time_interval` has passed. Says so once for a step, and never for one that was just loaded.
  [[nodiscard]] bool should_save(std::uint64_t step, std::uint64_t epoch,
                                 clock::time_point now = clock::now()) noexcept {
    return schedule_.is_due(step, epoch, now);
  }

  /// Saves a state as the next checkpoint, durably, and removes what need not stay. With several
  /// trainers it announces the serial and waits for their arguments.
  /// @param arguments  own values of the chief, the metric of `keep_best` among them; step and
  /// epoch are those of the state
  /// @errors those of ckpt::save(), before anything is written; not_finished (trainers that did not
  /// come in time), foreign_entry (a trainer nobody expects), counter_out_of_range (no serial
  /// left), limit_exceeded (more than 16 MiB of arguments), permission_denied, no_space, busy,
  /// no_memory, input_output. After a failure nothing of it is visible, but for a failing sync at
  /// the very end.
  template <class Byte>
  file_result<saved_checkpoint> save(const state_view<Model, Optimizer, Byte>& state,
                                     trainer_arguments arguments = {},
                                     const progress_callback& progress = {}) {
    if (!is_open()) return closed<saved_checkpoint>();
    arguments.step = state.training.step;
    arguments.epoch = state.training.epoch;
    const auto filtered = filtered_state<Filter, Model, Optimizer, Byte>::make(state);
    if (!filtered.ok()) return failure("save", filtered.error(), state.model());
    const auto prepared = detail::prepare_save<Format>(filtered->view());
    if (!prepared.ok()) return failure("save", prepared.error(), filtered->view().model());
    const std::lock_guard<std::mutex> alone(owner_->mutex());
    return owner_->save(arguments,
                        [&](auto& sink) -> status { return prepared->write(sink, progress); });
  }

  /// A saver that snapshots a state and saves it through this manager in the background, in the
  /// order of the calls. The manager must outlive it and stay where it is.
  /// @param model  the model of the states, if it is known only at run time
  /// @param progress  is told how far each save is, in the background
  [[nodiscard]] saver_type asynchronous(const async_settings& settings = {},
                                        const dynamic_model& model = {},
                                        const progress_callback& progress = {}) {
    const auto target = [this, progress](const state_view<Model, Optimizer>& state,
                                         const trainer_arguments& arguments) {
      return save(state, arguments, progress);
    };
    return saver_type(target, settings, model);
  }

  /// The checkpoints, for everything that only reads.
  [[nodiscard]] const basic_checkpoint_directory<Native>& directory() const noexcept {
    return directory_;
  }
  /// @errors those of checkpoint_directory::list()
  [[nodiscard]] file_result<std::vector<checkpoint_entry>> list() const {
    return directory().list();
  }
  /// @errors those of checkpoint_directory::latest()
  [[nodiscard]] file_result<latest_checkpoint> latest() const { return directory().latest(); }

  /// Loads one checkpoint.
  /// @errors those of checkpoint_directory::load()
  file_result<loaded_checkpoint> load(std::uint64_t serial, state_view<Model, Optimizer>& state,
                                      const load_options& options = {}) {
    return load_filtered(state, [&](auto& view) {
      return directory().template load<Format>(serial, view, options);
    });
  }

  /// Loads the newest checkpoint that is whole; newer ones that are not are listed in the result.
  /// @errors no_checkpoint: there is none, a new run begins; no_good_checkpoint: there are some and
  /// none is usable, which wants a person; and those of checkpoint_directory::load_latest()
  file_result<loaded_checkpoint> load_latest(state_view<Model, Optimizer>& state,
                                             const load_options& options = {}) {
    return load_filtered(
        state, [&](auto& view) { return directory().template load_latest<Format>(view, options); });
  }

  /// Goes back to the newest good checkpoint after training went wrong. If nothing was saved since
  /// the last time, it goes to the one before that, so that a checkpoint that leads nowhere is not
  /// loaded for ever. The one that it went back to is kept until `max_to_keep` newer ones are
  /// there.
  /// @errors those of load_latest(); no_good_checkpoint also when there is none before the last one
  file_result<loaded_checkpoint> rollback(state_view<Model, Optimizer>& state,
                                          const load_options& options = {}) {
    if (!is_open()) return closed<loaded_checkpoint>();
    const std::lock_guard<std::mutex> alone(owner_->mutex());
    const std::uint64_t limit = owner_->rollback_limit();
    auto loaded = load_filtered(state, [&](auto& view) {
      return directory().template load_latest<Format>(view, options, limit);
    });
    if (loaded.ok()) owner_->note_rollback(loaded->entry.serial);
    const bool is_oldest = limit <= detail::max_serial;
    if (is_oldest && loaded.error().kind == errc::no_checkpoint) return no_older(limit);
    return loaded;
  }

  /// Removes one checkpoint, whole or not.
  /// @errors not_found, not_a_directory, foreign_entry (something is in it that is not ours; it
  /// stays as it is), permission_denied, busy, input_output
  file_result<removed_checkpoints> remove(std::uint64_t serial) {
    if (!is_open()) return closed<removed_checkpoints>();
    const std::lock_guard<std::mutex> alone(owner_->mutex());
    const status removed = owner_->remove(serial);
    if (removed.ok()) return removed_checkpoints{{serial}, {}};
    return {removed, detail::file_message("remove", owner_->blamed(), removed, {})};
  }

  /// Removes every checkpoint, whole or not, and nothing else.
  /// @errors those of list()
  file_result<removed_checkpoints> clear() {
    if (!is_open()) return closed<removed_checkpoints>();
    const std::lock_guard<std::mutex> alone(owner_->mutex());
    return owner_->clear();
  }

  /// The same, and the directory if nothing else is in it; the manager is closed then.
  /// @errors those of list(), and of removing a directory
  file_result<removed_checkpoints> clear_and_close() {
    auto cleared = clear();
    if (!cleared.ok()) return cleared;
    const status removed = owner_->remove_directory();
    owner_.reset();
    if (removed.ok()) return cleared;
    return {removed, detail::file_message("remove", directory().name(), removed, {})};
  }

 private:
  template <class T>
  [[nodiscard]] static file_result<T> closed() {
    return {fail(errc::invalid_settings), "the checkpoint manager has no directory: open one"};
  }

  [[nodiscard]] static file_result<loaded_checkpoint> no_older(std::uint64_t limit) {
    return {fail(errc::no_good_checkpoint), "cannot go back further than " +
                                                detail::checkpoint_name(limit) +
                                                ": there is no older checkpoint that is whole"};
  }

  [[nodiscard]] file_result<saved_checkpoint> failure(const char* verb, const status& failed,
                                                      const model_view& model) const {
    return {failed, detail::file_message(verb, directory().name(), failed, model)};
  }

  /// Loads into what the filter leaves of a state.
  template <class Load>
  file_result<loaded_checkpoint> load_filtered(state_view<Model, Optimizer>& state, Load load) {
    auto filtered = filtered_state<Filter, Model, Optimizer>::make(state);
    if (!filtered.ok())
      return {filtered.error(),
              detail::file_message("load from", directory().name(), filtered.error(), {})};
    auto loaded = load(filtered->view());
    if (!loaded.ok()) return loaded;
    filtered->take_back(state);
    schedule_.note(state.training.step, clock::now());
    return loaded;
  }

  basic_checkpoint_directory<Native> directory_;
  std::unique_ptr<detail::directory_owner<Native>> owner_;
  detail::save_schedule schedule_;
};

/// A manager on this system.
template <class Model, class Optimizer, class Format = onert, class Filter = keep_all>
using checkpoint_manager = basic_checkpoint_manager<native, Model, Optimizer, Format, Filter>;

}  // namespace ckpt

#endif  // CKPT_STORE_CHECKPOINT_MANAGER_HPP
