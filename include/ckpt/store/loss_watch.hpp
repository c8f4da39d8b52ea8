#ifndef CKPT_STORE_LOSS_WATCH_HPP
#define CKPT_STORE_LOSS_WATCH_HPP

#include <cstdint>
#include <cstring>
#include <limits>

#include "ckpt/base/errc.hpp"
#include "ckpt/base/status.hpp"

namespace ckpt {

/// When to go back to an older checkpoint.
struct loss_settings {
  /// Reports in a row, each above the one before, that ask for it.
  std::uint32_t rises = 30;
  /// Roll backs without progress in between; the next trouble gives up. 0: the first does.
  std::uint32_t max_roll_backs = 3;

  /// @errors invalid_settings (no rises)
  [[nodiscard]] constexpr status check() const noexcept {
    return rises == 0 ? fail(errc::invalid_settings) : status{};
  }
};

/// What to do after a report.
enum class loss_verdict : std::uint8_t {
  go_on,
  roll_back,  ///< load the newest good checkpoint
  give_up     ///< rolling back has not helped
};

/// Decides when training has gone wrong: when the loss is NaN or infinite, at once; or when it rose
/// from report to report, so many times in a row. A report that is not above the one before begins
/// the count anew, so the noise of single batches never adds up; report a mean over many batches
/// where slow divergence is to be seen.
///
/// Protection against looping, after dlib: each roll back doubles the rises that the next one
/// takes, and after some it gives up, until `progressed()`. It touches no checkpoint itself.
class loss_watch {
 public:
  /// @param settings  for which `check()` is ok; no rises are taken for one
  constexpr explicit loss_watch(const loss_settings& settings = {}) noexcept
      : settings_(settings), rises_needed_(settings.rises) {}

  /// Takes the loss of the next step or epoch.
  [[nodiscard]] loss_verdict report(double loss) noexcept {
    if (!is_finite(loss)) return trouble();
    const bool rose = has_last_ && loss > last_;
    is_healthy_ = has_last_ && !rose;
    rises_ = rose ? rises_ + 1 : 0;
    has_last_ = true;
    last_ = loss;
    return rose && rises_ >= rises_needed_ ? trouble() : loss_verdict::go_on;
  }

  /// A checkpoint was saved: the next trouble is a new one. Without effect unless `is_healthy()`,
  /// as a checkpoint of a loss that rises is none to go back to.
  constexpr void progressed() noexcept {
    if (!is_healthy_) return;
    roll_backs_ = 0;
    rises_needed_ = settings_.rises;
  }

  /// Whether the last report was finite and not above the one before it, which was reported since
  /// the last roll back as well.
  [[nodiscard]] constexpr bool is_healthy() const noexcept { return is_healthy_; }
  /// Rises in a row that ask for the next roll back.
  [[nodiscard]] constexpr std::uint32_t rises_needed() const noexcept { return rises_needed_; }
  /// Roll backs since the last progress.
  [[nodiscard]] constexpr std::uint32_t roll_backs() const noexcept { return roll_backs_; }

 private:
  /// By the bits, since a compiler that may take all numbers for finite (-ffast-math) would leave
  /// every other question out.
  [[nodiscard]] static bool is_finite(double number) noexcept {
    static_assert(std::numeric_limits<double>::is_iec559, "ckpt: doubles must be IEEE 754");
    constexpr std::uint64_t exponent = 0x7FF0000000000000U;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return (bits & exponent) != exponent;
  }

  [[nodiscard]] constexpr loss_verdict trouble() noexcept {
    rises_ = 0;
    has_last_ = false;
    is_healthy_ = false;
    if (roll_backs_ >= settings_.max_roll_backs) return loss_verdict::give_up;
    ++roll_backs_;
    constexpr std::uint32_t most = (std::numeric_limits<std::uint32_t>::max)();
    rises_needed_ = rises_needed_ > most / 2 ? most : rises_needed_ * 2;
    return loss_verdict::roll_back;
  }

  loss_settings settings_;
  std::uint32_t rises_needed_;
  std::uint32_t rises_ = 0;
  std::uint32_t roll_backs_ = 0;
  bool has_last_ = false;
  bool is_healthy_ = false;
  double last_ = 0;
};

}  // namespace ckpt

#endif  // CKPT_STORE_LOSS_WATCH_HPP
