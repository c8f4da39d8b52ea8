#ifndef CKPT_MODEL_TENSORS_HPP
#define CKPT_MODEL_TENSORS_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/model/tensor_spec.hpp"

namespace ckpt {

/// The tensors of a model, in the order of their indices. Made by `tensors()`.
template <std::size_t Count>
struct tensor_table {
  tensor_spec specs[Count];

  [[nodiscard]] constexpr const tensor_spec* data() const noexcept { return specs; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return Count; }
};

template <>
struct tensor_table<0> {
  [[nodiscard]] constexpr const tensor_spec* data() const noexcept { return nullptr; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return 0; }
};

/// `static constexpr auto tensors = ckpt::tensors({{"fc.weight", ckpt::dtype::f32, {784, 10}}});`
template <std::size_t Count>
[[nodiscard]] constexpr tensor_table<Count> tensors(const tensor_spec (&specs)[Count]) noexcept {
  tensor_table<Count> table{};
  for (std::size_t i = 0; i < Count; ++i) table.specs[i] = specs[i];
  return table;
}

namespace detail {

/// What empty braces make.
struct nothing {};

}  // namespace detail

/// A model without tensors: `ckpt::tensors()` or `ckpt::tensors({})`.
[[nodiscard]] constexpr tensor_table<0> tensors(detail::nothing = {}) noexcept {
  return {};
}

/// The order in which onert-micro visits the tensors that it stores. Made by `visit_order()`.
template <std::size_t Count>
struct visit_table {
  std::uint32_t indices[Count];

  [[nodiscard]] constexpr const std::uint32_t* data() const noexcept { return indices; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return Count; }
};

/// `static constexpr auto visits = ckpt::visit_order({3, 4, 1, 2});`: indices of the tensors, from
/// the last operator of the graph to the first. An index may appear more than once: a weight that
/// two operators use is stored twice.
template <std::size_t Count>
[[nodiscard]] constexpr visit_table<Count> visit_order(
    const std::uint32_t (&indices)[Count]) noexcept {
  visit_table<Count> table{};
  for (std::size_t i = 0; i < Count; ++i) table.indices[i] = indices[i];
  return table;
}

}  // namespace ckpt

#endif  // CKPT_MODEL_TENSORS_HPP
