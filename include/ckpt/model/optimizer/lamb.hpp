#ifndef CKPT_MODEL_OPTIMIZER_LAMB_HPP
#define CKPT_MODEL_OPTIMIZER_LAMB_HPP

#include <cstddef>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// LAMB (arXiv 1904.00962). Two slots, both like the weight.
struct lamb {
  static constexpr name_view name = "lamb";
  static constexpr std::size_t slot_count = 2;
  static constexpr std::size_t m = 0;  ///< first moment: running mean of gradients
  static constexpr std::size_t v = 1;  ///< second moment: running mean of squared gradients
  static constexpr name_view slot_names[] = {"m", "v"};
};

}  // namespace ckpt

#endif  // CKPT_MODEL_OPTIMIZER_LAMB_HPP
