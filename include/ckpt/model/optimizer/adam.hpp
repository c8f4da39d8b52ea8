#ifndef CKPT_MODEL_OPTIMIZER_ADAM_HPP
#define CKPT_MODEL_OPTIMIZER_ADAM_HPP

#include <cstddef>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// Adam (arXiv 1412.6980). Two slots, both like the weight.
struct adam {
  static constexpr name_view name = "adam";
  static constexpr std::size_t slot_count = 2;
  static constexpr std::size_t m = 0;  ///< first moment: running mean of gradients
  static constexpr std::size_t v = 1;  ///< second moment: running mean of squared gradients
  static constexpr name_view slot_names[] = {"m", "v"};
};

/// AdamW (arXiv 1711.05101): Adam with decoupled weight decay. The slots are those of Adam.
struct adamw : adam {
  static constexpr name_view name = "adamw";
};

}  // namespace ckpt

#endif  // CKPT_MODEL_OPTIMIZER_ADAM_HPP
