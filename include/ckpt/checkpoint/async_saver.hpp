#ifndef CKPT_CHECKPOINT_ASYNC_SAVER_HPP
#define CKPT_CHECKPOINT_ASYNC_SAVER_HPP

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/checkpoint/finished_saves.hpp"
#include "ckpt/checkpoint/save.hpp"
#include "ckpt/checkpoint/snapshot.hpp"
#include "ckpt/config.hpp"

/// Saving in the background. Not part of ckpt/ckpt.hpp, because it needs threads: include it by
/// name and link the thread library of the system (CMake: Threads::Threads).
namespace ckpt {

/// How to save in the background.
struct async_settings {
  /// Saves that may be under way at once, at least 1. Each has a snapshot of the state, so this
  /// many times `snapshot_bytes` are taken for the life of the saver.
  std::size_t max_in_flight = 2;
};

/// What a save has besides the state where nothing more is needed.
struct no_arguments {};

/// Saves in the background: `save()` copies the state and returns; one thread writes the copies in
/// the order of the calls, so that the newest published checkpoint never goes backwards.
///
///     ckpt::async_saver<mlp, ckpt::adam> saver([](const auto& copy, const auto&) {
///       return ckpt::save("mlp.ckpt", copy);
///     });
///     for (...) {
///       train(state);
///       if (const auto started = saver.save(state); !started.ok()) log(started.message());
///     }
///     if (const auto finished = saver.wait(); !finished.ok()) log(finished.message());
///
/// **A failure in the background** is reported exactly once: by the next `save()`, `poll()` or
/// `wait()`, whichever comes first. Several are one failure: the status of the first, the messages
/// of all, a line each.
///
/// **A save() that reports an earlier failure HAS STARTED the new save nevertheless**, so a trainer
/// that logs and goes on loses nothing. Only when its message begins with "cannot start the save"
/// was the new one refused; earlier failures then wait for the next call.
///
/// **The end.** The destructor finishes every save that was started, the last one too. What fails
/// then has nobody to be reported to: call `wait()` before. A program that ends without destructors
/// (std::_Exit, a signal) leaves under each name the old checkpoint or the new one, whole.
///
/// **Threads.** `save()`, `wait()`, `poll()` and the destructor: one thread at a time;
/// `in_flight()`: any thread. The state may be changed as soon as `save()` has returned. The target
/// runs in the background, one call at a time, and must not call the saver but for `in_flight()`. A
/// process made by fork() has no such thread: it must leave the saver of its parent alone.
///
/// @tparam Report     what the target gives for a save that succeeded
/// @tparam Arguments  goes with each save to the target, such as a path
template <class Model, class Optimizer, class Report = save_report, class Arguments = no_arguments>
class async_saver {
 public:
  /// Writes one copy. One that throws has failed: with its own status if it throws ckpt::failure
  /// (as `or_throw()` does), with no_memory otherwise.
  using target_type = std::function<file_result<Report>(const state_view<Model, Optimizer>& copy,
                                                        const Arguments& arguments)>;

  /// Bytes of one snapshot of a static model, but for the user's values; of a run-time model 0.
  static constexpr std::uint64_t snapshot_bytes = state<Model, Optimizer>::memory_needed();

  /// Takes and touches the memory of all snapshots and starts the thread. What goes wrong here is
  /// reported by `save()`. (Without exceptions, a thread that cannot start ends the program.)
  /// @param save_copy  the target
  /// @param live  of a run-time state: its model; the specs must outlive the saver
  explicit async_saver(target_type save_copy, const async_settings& given = {},
                       const dynamic_model& live = {})
      : target_(std::move(save_copy)) {
    set_up_ = detail::without_exceptions([&] { return set_up(given, live); });
    if (!set_up_.ok()) slots_.reset();
  }

  async_saver(const async_saver&) = delete;
  async_saver& operator=(const async_saver&) = delete;

  /// Finishes every save that was started.
  ~async_saver() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  /// Copies weights, slots, training state and the user's values, and starts to save the copy. It
  /// waits for the copying only; where `max_in_flight` saves are under way, also for the oldest of
  /// them to finish. Gives the number of saves that are under way, this one included.
  /// @errors of this save, which is then refused: unbound_tensor, no_memory, too_large,
  ///         invalid_shape, invalid_settings (no snapshots, no target); of a run-time state of
  ///         another model count_mismatch, name_mismatch, dtype_mismatch, shape_mismatch,
  ///         role_mismatch. OF EARLIER SAVES, WITH THIS ONE STARTED: what the target gave
  template <class Byte>
  [[nodiscard]] file_result<std::size_t> save(const state_view<Model, Optimizer, Byte>& from,
                                              Arguments arguments = {}) {
    if (!set_up_.ok()) return refuse(set_up_, from.model());
    // Nobody but this thread fills snapshots, so the free one stays free without the lock.
    slot& next = wait_for_room();
    const status taken = next.copy->take(from);
    if (!taken.ok()) return refuse(taken, from.model());
    next.arguments = std::move(arguments);
    return start();
  }

  /// Waits until nothing is under way. Gives the reports, in order, of the saves that have finished
  /// since `wait()` or `poll()` last gave any.
  /// @errors what the target gave, for every save that failed; the reports of the others then wait
  ///         for the next call
  [[nodiscard]] file_result<std::vector<Report>> wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return in_flight_ == 0; });
    return finished_.take();
  }

  /// The same of what has finished by now, without waiting.
  /// @errors those of wait()
  [[nodiscard]] file_result<std::vector<Report>> poll() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return finished_.take();
  }

  /// Saves that are under way.
  [[nodiscard]] std::size_t in_flight() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return in_flight_;
  }

 private:
  struct slot {
    std::optional<snapshot<Model, Optimizer>> copy;
    Arguments arguments{};
  };

  status set_up(const async_settings& given, const dynamic_model& live) {
    if (given.max_in_flight == 0 || !target_) return fail(errc::invalid_settings);
    slots_.reset(new (std::nothrow) slot[given.max_in_flight]);
    if (slots_ == nullptr)
      return fail(errc::no_memory, product(given.max_in_flight, sizeof(slot)), 0);
    for (slot_count_ = 0; slot_count_ < given.max_in_flight; ++slot_count_) {
      auto made = snapshot<Model, Optimizer>::make(live);
      if (!made.ok()) return made.error();
      slots_[slot_count_].copy.emplace(std::move(*made));
    }
    thread_ = std::thread([this] { work(); });
    return {};
  }

  [[nodiscard]] file_result<std::size_t> refuse(const status& why, const model_view& of) const {
    std::string words = "cannot start the save: ";
    if (why.kind != errc::invalid_settings) {
      words += why.message().c_str();
    } else {
      words += target_ ? "max_in_flight is 0; at least one snapshot is needed" : "it has no target";
    }
    if (why.tensor < of.size() && !of[why.tensor].name().empty())
      words += "; the tensor is '" + std::string(of[why.tensor].name()) + "'";
    return {why, std::move(words)};
  }

  /// The free slot behind those under way; waits until there is one.
  [[nodiscard]] slot& wait_for_room() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return in_flight_ < slot_count_; });
    return slots_[(oldest_ + in_flight_) % slot_count_];
  }

  [[nodiscard]] file_result<std::size_t> start() {
    std::unique_lock<std::mutex> lock(mutex_);
    file_result<std::size_t> outcome = ++in_flight_;
    if (finished_.has_failure()) outcome = finished_.template take_failure<std::size_t>();
    lock.unlock();
    changed_.notify_all();
    return outcome;
  }

  /// The thread: saves the oldest copy until there is none and none will come.
  void work() noexcept {
    std::unique_lock<std::mutex> lock(mutex_);
    while (wait_for_work(lock)) {
      const slot& next = slots_[oldest_];
      lock.unlock();
      file_result<Report> outcome = run(next);
      lock.lock();
      finished_.add(std::move(outcome));
      oldest_ = (oldest_ + 1) % slot_count_;
      --in_flight_;
      changed_.notify_all();
    }
  }

  /// False when there is no save and none will come.
  [[nodiscard]] bool wait_for_work(std::unique_lock<std::mutex>& lock) {
    if (in_flight_ > 0) return true;
    changed_.wait(lock, [this] { return in_flight_ > 0 || is_ending_; });
    if (is_ending_) return in_flight_ > 0;
    // On a busy machine a thread that wakes up takes the processor of the one that woke it, for
    // some milliseconds: let save() return first.
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock.lock();
    return true;
  }

  [[nodiscard]] file_result<Report> run(const slot& from) const noexcept {
    file_result<Report> outcome(fail(errc::no_memory), {});
    static_cast<void>(detail::without_exceptions([&]() -> status {
      outcome = call_target(from);
      return {};
    }));
    return outcome;
  }

  [[nodiscard]] file_result<Report> call_target(const slot& from) const {
#if CKPT_EXCEPTIONS
    try {
      return target_(from.copy->view(), from.arguments);
    } catch (const failure& thrown) {
      return {thrown.reason(), thrown.what()};
    } catch (const std::exception& thrown) {
      return {fail(errc::no_memory), std::string("the target of a saver threw: ") + thrown.what()};
    }
#else
    return target_(from.copy->view(), from.arguments);
#endif
  }

  target_type target_;
  status set_up_{};
  std::unique_ptr<slot[]> slots_;
  std::size_t slot_count_ = 0;

  mutable std::mutex mutex_;  // guards what follows; a slot belongs to the thread while under way
  std::condition_variable changed_;
  std::size_t oldest_ = 0;
  std::size_t in_flight_ = 0;
  bool is_ending_ = false;
  detail::finished_saves<Report> finished_;

  std::thread thread_;
};

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_ASYNC_SAVER_HPP
