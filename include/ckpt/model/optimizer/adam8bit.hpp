#ifndef CKPT_MODEL_OPTIMIZER_ADAM8BIT_HPP
#define CKPT_MODEL_OPTIMIZER_ADAM8BIT_HPP

#include <cstddef>

#include "ckpt/base/name.hpp"
#include "ckpt/model/tensor_spec.hpp"

namespace ckpt {

/// Adam with block-wise quantized moments (arXiv 2110.02861): each moment is one byte an element,
/// and one scale for each block of 2048 elements in row-major order. Four slots: a file needs
/// `ckpt::v2`.
struct adam8bit {
  static constexpr name_view name = "adam8bit";
  static constexpr std::size_t slot_count = 4;
  static constexpr std::size_t m = 0;        ///< first moment, signed
  static constexpr std::size_t m_scale = 1;  ///< largest magnitude of each block of it
  static constexpr std::size_t v = 2;        ///< second moment, unsigned
  static constexpr std::size_t v_scale = 3;
  static constexpr name_view slot_names[] = {"m", "m_scale", "v", "v_scale"};

  /// Elements that share a scale.
  static constexpr std::size_t block = 2048;

  /// Dtype and shape of a slot.
  static constexpr tensor_form slot(std::size_t which, const tensor_form& weight) noexcept {
    if (which == m) return tensor_form(dtype::i8, weight.extents());
    if (which == v) return tensor_form(dtype::u8, weight.extents());
    const std::uint64_t elements = weight.extents().element_count();
    return tensor_form(dtype::f32, {elements / block + (elements % block != 0 ? 1U : 0U)});
  }
};

}  // namespace ckpt

#endif  // CKPT_MODEL_OPTIMIZER_ADAM8BIT_HPP
