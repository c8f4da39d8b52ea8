#ifndef CKPT_CODEC_PARTIAL_REPORT_HPP
#define CKPT_CODEC_PARTIAL_REPORT_HPP

#include <cstdint>

#include "ckpt/model/match_plan.hpp"

namespace ckpt {

/// What a load by name has done: the plan with its lists, and what came with them. Where it has an
/// error nothing has been touched, and the lists say what the two sides have.
class [[nodiscard]] partial_report : public match_plan {
 public:
  /// Nothing is loaded yet.
  constexpr explicit partial_report(const match_plan& plan) noexcept : match_plan(plan) {}

  bool training_loaded = false;    ///< step, epoch and what else says where training stands
  std::uint64_t weight_bytes = 0;  ///< of weights that came from the file
  std::uint64_t slot_bytes = 0;    ///< of slots that came from the file
  std::uint64_t cold_bytes = 0;    ///< of slots that were set to zero
};

}  // namespace ckpt

#endif  // CKPT_CODEC_PARTIAL_REPORT_HPP
