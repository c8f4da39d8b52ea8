#ifndef CKPT_MODEL_OPTIMIZER_SGD_HPP
#define CKPT_MODEL_OPTIMIZER_SGD_HPP

#include <cstddef>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// Plain stochastic gradient descent. It keeps nothing, so its checkpoints store no slot bytes.
struct sgd {
  static constexpr name_view name = "sgd";
  static constexpr std::size_t slot_count = 0;
};

}  // namespace ckpt

#endif  // CKPT_MODEL_OPTIMIZER_SGD_HPP
