#ifndef CKPT_MODEL_OPTIMIZER_ADAGRAD_HPP
#define CKPT_MODEL_OPTIMIZER_ADAGRAD_HPP

#include <cstddef>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// Adagrad. One slot like the weight.
struct adagrad {
  static constexpr name_view name = "adagrad";
  static constexpr std::size_t slot_count = 1;
  static constexpr std::size_t accumulator = 0;  ///< sum of squared gradients
  static constexpr name_view slot_names[] = {"accumulator"};
};

}  // namespace ckpt

#endif  // CKPT_MODEL_OPTIMIZER_ADAGRAD_HPP
