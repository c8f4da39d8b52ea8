#ifndef CKPT_INTEROP_ONEFLOW_NAMES_HPP
#define CKPT_INTEROP_ONEFLOW_NAMES_HPP

#include <string>
#include <string_view>

#include "ckpt/base/name.hpp"

namespace ckpt::oneflow {

namespace detail {

inline constexpr std::string_view mark_name = "snapshot_done";
inline constexpr std::string_view data_name = "out";
inline constexpr std::string_view meta_name = "meta";
inline constexpr std::string_view step_prefix = "System-Train-TrainStep-";
inline constexpr std::string_view system_prefix = "System-";

using ckpt::detail::starts_with;

/// What stands behind the name of a weight in that of its slot.
[[nodiscard]] inline std::string suffix_of(name_view optimizer, name_view slot_name) {
  const bool is_momentum = optimizer == "momentum" && slot_name == "velocity";
  return is_momentum ? "-momentum" : "-" + std::string(slot_name);
}

}  // namespace detail

}  // namespace ckpt::oneflow

#endif  // CKPT_INTEROP_ONEFLOW_NAMES_HPP
