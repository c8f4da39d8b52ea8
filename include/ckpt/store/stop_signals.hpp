#ifndef CKPT_STORE_STOP_SIGNALS_HPP
#define CKPT_STORE_STOP_SIGNALS_HPP

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <utility>

#include "ckpt/base/errc.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/status.hpp"

namespace ckpt {

namespace detail {

/// What the handlers have heard. One for the process, as signals are.
struct signal_record {
  std::atomic<bool> is_watched{false};
  std::atomic<bool> save{false};
  std::atomic<int> stop{0};          // the number of the signal
  std::atomic<unsigned> stop_at{0};  // seconds; 0: not yet
};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
                  std::atomic<unsigned>::is_always_lock_free,
              "ckpt: a handler of signals may only touch atomics without locks");
inline signal_record heard_signals;

using signal_handler = void (*)(int);

/// Windows goes back to the default with each signal; elsewhere a handler stays.
inline void keep_handler(int number, signal_handler handler) noexcept {
#if defined(_WIN32)
  static_cast<void>(std::signal(number, handler));
#else
  static_cast<void>(number);
  static_cast<void>(handler);
#endif
}

inline void hear_save(int number) noexcept {
  keep_handler(number, &hear_save);
  heard_signals.save = true;
}

/// The first signal is a request. One that comes later is meant for a program that hangs; but soon
/// after the first it is the same request, since timeout(1) and others send theirs twice.
inline void hear_stop(int number) noexcept {
  constexpr unsigned repeat_seconds = 2;  // at least one, as the clock counts whole ones
  const auto now = static_cast<unsigned>(std::time(nullptr));
  unsigned first = 0;
  keep_handler(number, &hear_stop);
  if (heard_signals.stop_at.compare_exchange_strong(first, now)) {
    heard_signals.stop = number;
    return;
  }
  if (now - first < repeat_seconds) return;
  static_cast<void>(std::signal(number, SIG_DFL));
  static_cast<void>(std::raise(number));
}

}  // namespace detail

/// Lets a training loop end where it is whole. While an object lives, SIGINT and SIGTERM request a
/// stop, and SIGHUP, where it exists, requests a checkpoint; nothing else happens by them. Look
/// once a step, save, and leave the loop; by convention the program then ends with 128 + n:
///
///     const auto signals = ckpt::stop_signals::watch();
///     while (step < last && !signals->stop_requested()) {
///       train_one_step();
///       if (signals->take_save_request()) save();
///     }
///     save();
///     return signals->stop_requested() ? 128 + signals->signal_number() : 0;
///
/// A further SIGINT or SIGTERM, one to two seconds after the first or later, does what it does by
/// default: it ends a program that hangs. A signal that was ignored before stays ignored, like the
/// SIGHUP of nohup. Handlers set by sigaction come back without their flags.
class stop_signals {
 public:
  /// Sets the handlers; the destructor brings the former ones back. Forgets earlier requests.
  /// @errors busy (another object watches), input_output (the system refuses a handler)
  [[nodiscard]] static result<stop_signals> watch() noexcept {
    detail::signal_record& heard = detail::heard_signals;
    if (heard.is_watched.exchange(true)) return fail(errc::busy);
    heard.save = false;
    heard.stop = 0;
    heard.stop_at = 0;
    stop_signals made;
    made.is_active_ = true;
    const status set = made.set_handlers();
    if (!set.ok()) return set;
    return result<stop_signals>(std::move(made));
  }

  stop_signals(stop_signals&& other) noexcept
      : is_active_(other.is_active_), set_count_(other.set_count_) {
    for (std::size_t i = 0; i < set_count_; ++i) former_[i] = other.former_[i];
    other.is_active_ = false;
  }
  stop_signals(const stop_signals&) = delete;
  stop_signals& operator=(const stop_signals&) = delete;
  ~stop_signals() {
    if (!is_active_) return;
    while (set_count_ > 0) {
      --set_count_;
      static_cast<void>(std::signal(numbers[set_count_], former_[set_count_]));
    }
    detail::heard_signals.is_watched = false;
  }

  /// Whether SIGINT or SIGTERM has come. Stays so until the next watch, also when this one is over,
  /// and needs no object, so that any part of a program can ask.
  [[nodiscard]] static bool stop_requested() noexcept { return signal_number() != 0; }
  /// Whether SIGHUP has come since the last call.
  [[nodiscard]] static bool take_save_request() noexcept {
    return detail::heard_signals.save.exchange(false);
  }
  /// The number of the signal that requested the stop first; 0: none has.
  [[nodiscard]] static int signal_number() noexcept { return detail::heard_signals.stop; }

 private:
#if defined(SIGHUP)
  static constexpr int numbers[] = {SIGINT, SIGTERM, SIGHUP};
#else
  static constexpr int numbers[] = {SIGINT, SIGTERM};
#endif
  static constexpr std::size_t count = sizeof numbers / sizeof numbers[0];

  stop_signals() noexcept = default;

  [[nodiscard]] status set_handlers() noexcept {
    for (; set_count_ < count; ++set_count_) {
      const int number = numbers[set_count_];
      const bool stops = number == SIGINT || number == SIGTERM;
      const auto former = std::signal(number, stops ? &detail::hear_stop : &detail::hear_save);
      if (former == SIG_ERR) {
        status failed = fail(errc::input_output);
        failed.os_code = errno;
        return failed;
      }
      if (former == SIG_IGN) static_cast<void>(std::signal(number, SIG_IGN));
      former_[set_count_] = former;
    }
    return {};
  }

  bool is_active_ = false;
  std::size_t set_count_ = 0;
  detail::signal_handler former_[count] = {};
};

}  // namespace ckpt

#endif  // CKPT_STORE_STOP_SIGNALS_HPP
