#ifndef CKPT_EXAMPLES_TRAINER_LOSS_GUARD_HPP
#define CKPT_EXAMPLES_TRAINER_LOSS_GUARD_HPP

// Going back to a checkpoint when training goes wrong.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "checkpoints.hpp"
#include "ckpt/store.hpp"
#include "events.hpp"
#include "managed_directory.hpp"
#include "run_arguments.hpp"
#include "settings.hpp"

namespace trainer {

inline constexpr std::uint64_t most_rollbacks = 10;

/// Watches the loss of each step. When it is not finite, or rose too often in a row, the run goes
/// on from the newest good checkpoint: with half of the learning rate, as the same steps with the
/// same rate would end the same way. So that it ends in any case, it gives up where going back has
/// not led to a better checkpoint some times in a row, and after `most_rollbacks` in all. Rises
/// count from the first checkpoint on. It has to hear of a step before anybody saves it.
template <class Optimizer, class Format>
class loss_guard final : public event_handler {
 public:
  using state_view = ckpt::state_view<ckpt::dynamic_model, Optimizer>;

  loss_guard(managed_directory<Optimizer, Format>& directory, state_view& trained,
             run_progress& progress, loop_control& control, const settings& chosen)
      : directory_(directory),
        state_(trained),
        progress_(progress),
        control_(control),
        is_on_(chosen.directory.rises_to_go_back != 0),
        watch_(watch_settings(chosen)) {}

  void end_step(std::uint64_t, std::uint64_t, const figures& of_step) override {
    const bool is_early = !directory_.has_checkpoint() && std::isfinite(of_step.loss);
    if (!is_on_ || is_early) return;
    if (std::exchange(saves_, directory_.saves()) != directory_.saves()) watch_.progressed();
    const ckpt::loss_verdict verdict = watch_.report(of_step.loss);
    if (verdict == ckpt::loss_verdict::go_on) return;
    const std::string what = "the loss of step " + std::to_string(state_.training.step) +
                             (std::isfinite(of_step.loss) ? " rose again" : " is not finite");
    if (verdict == ckpt::loss_verdict::give_up || progress_.rollbacks >= most_rollbacks)
      stop("--rollback: " + what + ", and going back has not helped (" +
           std::to_string(progress_.rollbacks) + " times); the checkpoints stay");
    go_back(what);
  }

 private:
  static ckpt::loss_settings watch_settings(const settings& chosen) {
    ckpt::loss_settings made;
    made.rises = static_cast<std::uint32_t>(chosen.directory.rises_to_go_back);
    return made;
  }

  void go_back(const std::string& what) {
    const std::uint64_t rollbacks = progress_.rollbacks + 1;
    const auto loaded = directory_.roll_back(state_);
    if (!loaded.ok())
      stop("--rollback: " + what + ", and there is nothing to go back to: " + loaded.message());
    read_progress(argument_reader(loaded->entry.arguments), state_.training, progress_);
    progress_.rollbacks = rollbacks;
    control_.has_moved = true;
    warn("--rollback: " + what + "; back to " + checkpoint_name(loaded->entry.serial) + ": " +
         progress_of(state_.training) + ", with half of the learning rate");
  }

  managed_directory<Optimizer, Format>& directory_;
  state_view& state_;
  run_progress& progress_;
  loop_control& control_;
  const bool is_on_;
  ckpt::loss_watch watch_;
  std::uint64_t saves_ = 0;  // that the watch has heard of
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_LOSS_GUARD_HPP
