#ifndef CKPT_INTEROP_PADDLE_NAMES_HPP
#define CKPT_INTEROP_PADDLE_NAMES_HPP

#include <string>
#include <string_view>

#include "ckpt/base/name.hpp"

namespace ckpt::paddle {

namespace detail {

inline constexpr std::string_view mark_name = "_SUCCESS";
inline constexpr std::string_view program_name = "__model__";
inline constexpr std::string_view step_name = "@STEP_COUNTER@";

struct accumulator {
  name_view optimizer;
  name_view slot;
  name_view name;
};

/// Where fluid has another name for a slot than ckpt.
inline constexpr accumulator accumulators[] = {{"adam", "m", "moment1"},
                                               {"adam", "v", "moment2"},
                                               {"adamw", "m", "moment1"},
                                               {"adamw", "v", "moment2"},
                                               {"lamb", "m", "moment1"},
                                               {"lamb", "v", "moment2"},
                                               {"amsgrad", "m", "moment1"},
                                               {"amsgrad", "v", "moment2"},
                                               {"amsgrad", "v_max", "moment2_max"},
                                               {"adagrad", "accumulator", "moment"},
                                               {"rmsprop_centred", "mean_gradient", "mean_grad"}};

/// What stands behind the name of a weight in that of its slot: fluid numbers variables of one
/// name, and the first has the number 0.
[[nodiscard]] inline std::string suffix_of(name_view optimizer, name_view slot_name) {
  name_view found = slot_name;
  for (const accumulator& each : accumulators)
    if (each.optimizer == optimizer && each.slot == slot_name) found = each.name;
  return "_" + std::string(found) + "_0";
}

}  // namespace detail

}  // namespace ckpt::paddle

#endif  // CKPT_INTEROP_PADDLE_NAMES_HPP
