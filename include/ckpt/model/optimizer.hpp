#ifndef CKPT_MODEL_OPTIMIZER_HPP
#define CKPT_MODEL_OPTIMIZER_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ckpt/base/name.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/model/tensor_spec.hpp"

/// An optimizer policy says which slots (state per tensor) an optimizer keeps. It is an empty
/// struct; one of yours is equal to ours:
///
///     struct lion {
///       static constexpr std::size_t slot_count = 1;
///       static constexpr std::size_t momentum = 0;
///       static constexpr ckpt::name_view name = "lion";             // optional
///       static constexpr ckpt::name_view slot_names[] = {"m"};      // optional
///       static constexpr ckpt::tensor_form slot(std::size_t, const ckpt::tensor_form& weight);
///     };                                                            // slot(): optional
///
/// Without `slot()` every slot has the dtype and shape of its weight.
namespace ckpt {

namespace detail {

template <class T, class = void>
struct has_slot_count : std::false_type {};
template <class T>
struct has_slot_count<T, std::void_t<decltype(static_cast<std::size_t>(T::slot_count))>>
    : std::true_type {};

template <class T, class = void>
struct has_slot_form : std::false_type {};
template <class T>
struct has_slot_form<T, std::void_t<decltype(tensor_form(T::slot(std::size_t{}, tensor_form{})))>>
    : std::true_type {};

template <class T, class = void>
struct has_member_slot : std::false_type {};
template <class T>
struct has_member_slot<T, std::void_t<decltype(&T::slot)>> : std::true_type {};

template <class T, class = void>
struct has_slot_names : std::false_type {};
template <class T>
struct has_slot_names<T, std::void_t<decltype(name_view(T::slot_names[0]))>> : std::true_type {};

template <class T, class = void>
struct has_name : std::false_type {};
template <class T>
struct has_name<T, std::void_t<decltype(name_view(T::name))>> : std::true_type {};

template <class Optimizer>
[[nodiscard]] constexpr tensor_form form_of_slot(std::size_t slot,
                                                 const tensor_form& weight) noexcept {
  return Optimizer::slot(slot, weight);
}

}  // namespace detail

/// Whether `T` is an optimizer policy.
template <class T>
inline constexpr bool is_optimizer_v = std::is_empty_v<T>&& detail::has_slot_count<T>::value;

/// An optimizer as all arithmetic sees it.
// Whether slots are like their weights is a flag of its own: with sanitizers on, GCC cannot compare
// a function with null in a constant expression.
struct optimizer_view {
  /// Gives dtype and shape of a slot from those of its weight.
  using form_function = tensor_form (*)(std::size_t slot, const tensor_form& weight) noexcept;

  std::size_t slot_count = 0;
  bool slots_like_weights = true;
  form_function form = nullptr;  ///< only where a slot has a form of its own
  /// The form of every slot of every tensor, slot by slot, where a file says it and no function.
  span<const tensor_form> forms = {};
  name_view name = {};
  span<const name_view> slot_names = {};

  /// Name of a slot; empty where the optimizer gives none.
  [[nodiscard]] constexpr name_view slot_name(std::size_t slot) const noexcept {
    return slot < slot_names.size() ? slot_names[slot] : name_view{};
  }

  /// Dtype and shape of a slot of `tensor`.
  /// @param index  of the tensor in its model; needed where `forms` is given
  [[nodiscard]] constexpr tensor_form slot_form(std::size_t slot, const tensor_spec& tensor,
                                                std::size_t index = 0) const noexcept {
    if (slots_like_weights) return tensor.form();
    if (forms.empty()) return form(slot, tensor.form());
    return forms[slot * (forms.size() / slot_count) + index];
  }

  /// Bytes that a checkpoint stores for a slot: none unless the tensor is trainable.
  [[nodiscard]] constexpr std::uint64_t slot_bytes(std::size_t slot, const tensor_spec& tensor,
                                                   std::size_t index = 0) const noexcept {
    if (slots_like_weights) return tensor.stored_bytes(slot + 1);
    return tensor.purpose() == role::trainable ? slot_form(slot, tensor, index).byte_size() : 0;
  }
};

/// The view of an optimizer policy.
template <class Optimizer>
[[nodiscard]] constexpr optimizer_view view_of_optimizer() noexcept {
  static_assert(is_optimizer_v<Optimizer>,
                "ckpt: Optimizer must be an empty struct with `static constexpr std::size_t "
                "slot_count` (see ckpt/model/optimizer.hpp)");
  static_assert(
      detail::has_slot_form<Optimizer>::value || !detail::has_member_slot<Optimizer>::value,
      "ckpt: an optimizer's slot() is `static constexpr ckpt::tensor_form "
      "slot(std::size_t, const ckpt::tensor_form& weight)`");
  optimizer_view view;
  view.slot_count = Optimizer::slot_count;
  if constexpr (detail::has_slot_form<Optimizer>::value) {
    view.slots_like_weights = false;
    view.form = &detail::form_of_slot<Optimizer>;
  }
  if constexpr (detail::has_name<Optimizer>::value) view.name = Optimizer::name;
  if constexpr (detail::has_slot_names<Optimizer>::value) {
    static_assert(sizeof(Optimizer::slot_names) / sizeof(name_view) == Optimizer::slot_count,
                  "ckpt: an optimizer's slot_names must name each of its slots once");
    view.slot_names = span<const name_view>(Optimizer::slot_names, Optimizer::slot_count);
  }
  return view;
}

}  // namespace ckpt

#endif  // CKPT_MODEL_OPTIMIZER_HPP
