#ifndef CKPT_EXAMPLES_TRAINER_EVENTS_HPP
#define CKPT_EXAMPLES_TRAINER_EVENTS_HPP

// Events: what the loop tells while it trains, and what may be asked of it.

#include <cstdint>
#include <vector>

#include "progress.hpp"

namespace trainer {

/// Hears how training goes: a handler overrides what it is for. Epochs and the steps of an epoch
/// are counted from 0. A resumed run begins the epoch that it is in, and then only the steps that
/// are left of it; what is skipped has no events.
struct event_handler {
  event_handler() = default;
  event_handler(const event_handler&) = delete;
  event_handler& operator=(const event_handler&) = delete;
  virtual ~event_handler() = default;

  virtual void begin_epoch(std::uint64_t /*epoch*/) {}
  virtual void begin_step(std::uint64_t /*epoch*/, std::uint64_t /*step*/) {}
  /// The weights have moved, and the state counts the step.
  virtual void end_step(std::uint64_t /*epoch*/, std::uint64_t /*step*/, const figures& /*of*/) {}
  /// The state counts the epoch.
  virtual void end_epoch(std::uint64_t /*epoch*/, const epoch_result& /*of*/) {}
};

/// What handlers ask of the loop.
struct loop_control {
  bool stops = false;      ///< takes effect at the next batch; an epoch without one left is ended
  bool has_moved = false;  ///< the state stands elsewhere now: go on from there
};

/// The handlers of a run, in the order in which they are told.
class event_handlers {
 public:
  void add(event_handler& one) { all_.push_back(&one); }

  /// Tells an event to all, but to nobody behind a handler that has moved the state.
  template <class... Parameters, class... Arguments>
  void tell(const loop_control& control, void (event_handler::*event)(Parameters...),
            const Arguments&... arguments) const {
    for (event_handler* const one : all_) {
      if (control.has_moved) return;
      (one->*event)(arguments...);
    }
  }

 private:
  std::vector<event_handler*> all_;
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_EVENTS_HPP
