#ifndef CKPT_MODEL_MODEL_HPP
#define CKPT_MODEL_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "ckpt/base/span.hpp"
#include "ckpt/model/tensors.hpp"

namespace ckpt {

/// A model as all arithmetic sees it, whether the compiler knows it or not.
struct model_view {
  span<const tensor_spec> tensors;
  span<const std::uint32_t> visits;  ///< empty: every tensor once, by index

  /// Tensors, absent ones too.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return tensors.size(); }
  [[nodiscard]] constexpr const tensor_spec& operator[](std::size_t index) const noexcept {
    return tensors[index];
  }
  [[nodiscard]] constexpr const tensor_spec* begin() const noexcept { return tensors.begin(); }
  [[nodiscard]] constexpr const tensor_spec* end() const noexcept { return tensors.end(); }
};

/// A model whose tensors are known only at run time. It views the specs; they, and their names,
/// must outlive it.
class dynamic_model {
 public:
  constexpr dynamic_model() noexcept = default;

  /// @param visits  the order of onert-micro's payloads; empty: by index
  constexpr explicit dynamic_model(span<const tensor_spec> tensors,
                                   span<const std::uint32_t> visits = {}) noexcept
      : view_{tensors, visits} {}

  /// The model as all arithmetic sees it.
  [[nodiscard]] constexpr const model_view& view() const noexcept { return view_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return view_.size(); }

 private:
  model_view view_{};
};

namespace detail {

template <class Model, class = void>
struct has_tensors : std::false_type {};
template <class Model>
struct has_tensors<Model, std::void_t<decltype(Model::tensors.size())>> : std::true_type {};

template <class Model, class = void>
struct has_visits : std::false_type {};
template <class Model>
struct has_visits<Model, std::void_t<decltype(Model::visits.size())>> : std::true_type {};

}  // namespace detail

/// Whether `Model` is a struct with `static constexpr auto tensors = ckpt::tensors({...})`.
template <class Model>
inline constexpr bool is_static_model_v = detail::has_tensors<Model>::value;
template <class Model>
inline constexpr bool is_dynamic_model_v = std::is_same_v<Model, dynamic_model>;

/// The view of a static model.
template <class Model>
[[nodiscard]] constexpr model_view view_of() noexcept {
  static_assert(is_static_model_v<Model>,
                "ckpt: a model is a struct with `static constexpr auto tensors = "
                "ckpt::tensors({...})`, or ckpt::dynamic_model (see ckpt/model/model.hpp)");
  model_view view{span<const tensor_spec>(Model::tensors.data(), Model::tensors.size()), {}};
  if constexpr (detail::has_visits<Model>::value)
    view.visits = span<const std::uint32_t>(Model::visits.data(), Model::visits.size());
  return view;
}

}  // namespace ckpt

#endif  // CKPT_MODEL_MODEL_HPP
