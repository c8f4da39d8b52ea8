#ifndef CKPT_MODEL_OPTIMIZER_AMSGRAD_HPP
#define CKPT_MODEL_OPTIMIZER_AMSGRAD_HPP

#include <cstddef>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// AMSGrad (Reddi et al., 2018). Three slots, all like the weight; schema 1 holds two at most.
struct amsgrad {
  static constexpr name_view name = "amsgrad";
  static constexpr std::size_t slot_count = 3;
  static constexpr std::size_t m = 0;      ///< first moment: running mean of gradients
  static constexpr std::size_t v = 1;      ///< second moment: running mean of squared gradients
  static constexpr std::size_t v_max = 2;  ///< largest second moment so far
  static constexpr name_view slot_names[] = {"m", "v", "v_max"};
};

}  // namespace ckpt

#endif  // CKPT_MODEL_OPTIMIZER_AMSGRAD_HPP
