#ifndef CKPT_MODEL_OPTIMIZER_RMSPROP_HPP
#define CKPT_MODEL_OPTIMIZER_RMSPROP_HPP

#include <cstddef>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// RMSProp. One slot like the weight.
struct rmsprop {
  static constexpr name_view name = "rmsprop";
  static constexpr std::size_t slot_count = 1;
  static constexpr std::size_t mean_square = 0;  ///< running mean of squared gradients
  static constexpr name_view slot_names[] = {"mean_square"};
};

/// Centred RMSProp. Two slots, both like the weight.
struct rmsprop_centred {
  static constexpr name_view name = "rmsprop_centred";
  static constexpr std::size_t slot_count = 2;
  static constexpr std::size_t mean_square = 0;    ///< running mean of squared gradients
  static constexpr std::size_t mean_gradient = 1;  ///< running mean of gradients
  static constexpr name_view slot_names[] = {"mean_square", "mean_gradient"};
};

}  // namespace ckpt

#endif  // CKPT_MODEL_OPTIMIZER_RMSPROP_HPP
