#ifndef CKPT_MODEL_TENSOR_SPEC_HPP
#define CKPT_MODEL_TENSOR_SPEC_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/name.hpp"
#include "ckpt/model/dtype.hpp"
#include "ckpt/model/shape.hpp"

namespace ckpt {

/// What training does with a tensor.
enum class role : std::uint8_t {
  trainable,  ///< stored, and its slots too
  frozen,     ///< stored, without slots
  absent,     ///< only holds an index; nothing is stored (a graph's inputs in onert-micro)
};

/// Bytes of all elements; `overflowed` when they exceed 64 bits.
[[nodiscard]] constexpr std::uint64_t bytes_of(dtype type, const shape& extents) noexcept {
  return product(extents.element_count(), byte_width(type));
}

/// Dtype and shape: all that decides how many bytes a weight or a slot has.
class tensor_form {
 public:
  constexpr tensor_form() noexcept = default;
  /// Elements of this dtype in this shape.
  constexpr tensor_form(dtype type, const shape& extents) noexcept
      : extents_(extents), byte_size_(bytes_of(type, extents)), type_(type) {}

  [[nodiscard]] constexpr dtype type() const noexcept { return type_; }
  [[nodiscard]] constexpr const shape& extents() const noexcept { return extents_; }
  /// Bytes of all elements; `overflowed` when they exceed 64 bits.
  [[nodiscard]] constexpr std::uint64_t byte_size() const noexcept { return byte_size_; }

 private:
  shape extents_{};
  std::uint64_t byte_size_ = 4;
  dtype type_ = dtype::f32;
};

/// One tensor of a model: name, dtype, shape, role. The name must outlive the spec; a literal
/// always does.
class tensor_spec {
 public:
  /// An absent scalar: what a table holds before it is filled.
  constexpr tensor_spec() noexcept = default;

  /// With a literal as its name: `{"fc.bias", ckpt::dtype::f32, {10}}`.
  template <std::size_t Size>
  constexpr tensor_spec(const char (&name)[Size], dtype type, const shape& extents,
                        role purpose = role::trainable) noexcept
      : extents_(extents),
        name_(name, Size - 1),
        weight_bytes_(purpose == role::absent ? 0 : bytes_of(type, extents)),
        slot_bytes_(purpose == role::trainable ? weight_bytes_ : 0),
        type_(type),
        purpose_(purpose) {}

  /// A buffer is not a literal; see `named()`.
  template <std::size_t Size>
  tensor_spec(char (&buffer)[Size], dtype type, const shape& extents,
              role purpose = role::trainable) = delete;

  /// Without a name: the tensor is known by its index.
  constexpr tensor_spec(dtype type, const shape& extents, role purpose = role::trainable) noexcept
      : extents_(extents),
        weight_bytes_(purpose == role::absent ? 0 : bytes_of(type, extents)),
        slot_bytes_(purpose == role::trainable ? weight_bytes_ : 0),
        type_(type),
        purpose_(purpose) {}

  /// With a name that is not a literal. (A constructor for it would double the time in which a
  /// compiler reads a large model.)
  [[nodiscard]] static constexpr tensor_spec named(name_view name, dtype type, const shape& extents,
                                                   role purpose = role::trainable) noexcept {
    tensor_spec spec(type, extents, purpose);
    spec.name_ = name;
    return spec;
  }

  [[nodiscard]] constexpr name_view name() const noexcept { return name_; }
  [[nodiscard]] constexpr dtype type() const noexcept { return type_; }
  [[nodiscard]] constexpr const shape& extents() const noexcept { return extents_; }
  [[nodiscard]] constexpr role purpose() const noexcept { return purpose_; }
  [[nodiscard]] constexpr tensor_form form() const noexcept { return {type_, extents_}; }

  /// Bytes of the weight as a checkpoint stores it; `overflowed` when they exceed 64 bits.
  [[nodiscard]] constexpr std::uint64_t byte_size() const noexcept { return weight_bytes_; }
  /// The same in section 0; in the others, bytes of a slot that is like the weight: none unless the
  /// tensor is trainable.
  [[nodiscard]] constexpr std::uint64_t stored_bytes(std::size_t section) const noexcept {
    return section == 0 ? weight_bytes_ : slot_bytes_;
  }

 private:
  shape extents_{};
  name_view name_{};
  // Sizes are kept because layouts ask for them again and again, often at compile time.
  std::uint64_t weight_bytes_ = 0;
  std::uint64_t slot_bytes_ = 0;
  dtype type_ = dtype::f32;
  role purpose_ = role::absent;
};

/// Whether two tensors, or two forms, have one dtype and shape.
template <class A, class B>
[[nodiscard]] constexpr bool have_same_form(const A& a, const B& b) noexcept {
  return a.type() == b.type() && a.extents() == b.extents();
}

}  // namespace ckpt

#endif  // CKPT_MODEL_TENSOR_SPEC_HPP
