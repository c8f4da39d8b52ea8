#ifndef CKPT_MODEL_OPTIMIZER_ADAFACTOR_HPP
#define CKPT_MODEL_OPTIMIZER_ADAFACTOR_HPP

#include <cstddef>

#include "ckpt/base/name.hpp"
#include "ckpt/model/tensor_spec.hpp"

namespace ckpt {

/// Adafactor (arXiv 1804.04235) without momentum. A matrix keeps one statistic a row and one a
/// column in place of a full second moment; a tensor of rank 0 or 1 keeps the full second moment
/// in `row` and nothing in `column`.
struct adafactor {
  static constexpr name_view name = "adafactor";
  static constexpr std::size_t slot_count = 2;
  static constexpr std::size_t row = 0;     ///< mean of squares over the last axis
  static constexpr std::size_t column = 1;  ///< mean of squares over the axis before the last
  static constexpr name_view slot_names[] = {"row", "column"};

  /// Dtype and shape of a slot: the weight's, without one axis.
  static constexpr tensor_form slot(std::size_t which, const tensor_form& weight) noexcept {
    const std::size_t rank = weight.extents().rank();
    if (rank < 2) return which == row ? weight : tensor_form(weight.type(), {0});
    return tensor_form(weight.type(), weight.extents().without(which == row ? rank - 1 : rank - 2));
  }
};

}  // namespace ckpt

#endif  // CKPT_MODEL_OPTIMIZER_ADAFACTOR_HPP
