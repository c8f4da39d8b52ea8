#ifndef CKPT_MODEL_OPTIMIZER_MOMENTUM_HPP
#define CKPT_MODEL_OPTIMIZER_MOMENTUM_HPP

#include <cstddef>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// Gradient descent with momentum. One slot like the weight.
struct momentum {
  static constexpr name_view name = "momentum";
  static constexpr std::size_t slot_count = 1;
  static constexpr std::size_t velocity = 0;  ///< accumulated update
  static constexpr name_view slot_names[] = {"velocity"};
};

}  // namespace ckpt

#endif  // CKPT_MODEL_OPTIMIZER_MOMENTUM_HPP
