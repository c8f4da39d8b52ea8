#ifndef CKPT_MODEL_INDEX_OF_HPP
#define CKPT_MODEL_INDEX_OF_HPP

#include <cstddef>

#include "ckpt/model/model.hpp"

namespace ckpt {

/// No tensor has the name.
inline constexpr std::size_t npos = ~std::size_t{0};

/// Index of the tensor called `name`, or `npos`.
[[nodiscard]] constexpr std::size_t find_tensor(const model_view& model, name_view name) noexcept {
  for (std::size_t i = 0; i < model.size(); ++i)
    if (model[i].name() == name) return i;
  return npos;
}

namespace detail {

// Not constexpr on purpose: the compiler names it when a constant expression asks for a name that
// the model does not have.
[[nodiscard]] inline std::size_t the_model_has_no_tensor_of_this_name() noexcept {
  return npos;
}

}  // namespace detail

/// Index of the tensor called `name` in a static model. As a constant expression an unknown name
/// does not compile; at run time it gives `npos`.
template <class Model>
[[nodiscard]] constexpr std::size_t index_of(name_view name) noexcept {
  const std::size_t index = find_tensor(view_of<Model>(), name);
  return index == npos ? detail::the_model_has_no_tensor_of_this_name() : index;
}

}  // namespace ckpt

#endif  // CKPT_MODEL_INDEX_OF_HPP
