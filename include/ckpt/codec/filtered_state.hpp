#ifndef CKPT_CODEC_FILTERED_STATE_HPP
#define CKPT_CODEC_FILTERED_STATE_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/result.hpp"
#include "ckpt/codec/state_view.hpp"
#include "ckpt/model/model.hpp"
#include "ckpt/model/tensor_filter.hpp"

namespace ckpt {

namespace detail {

/// Binds the tensors that have a number to the memory of the original. Both have one optimizer, so
/// the sizes are the same; what is not bound in the original is not bound here.
template <class Original, class Kept>
constexpr void bind_kept(const Original& original, const std::uint32_t* numbers,
                         Kept& kept) noexcept {
  const std::size_t total = original.model().size();
  for (std::size_t i = 0; i < total; ++i) {
    if (numbers[i] == left_out) continue;
    if (const auto own = original.weight_bytes(i); own.data() != nullptr)
      static_cast<void>(kept.bind_weight(numbers[i], own));
    for (std::size_t s = 0; s < Original::slot_count; ++s)
      if (const auto own = original.slot_bytes(s, i); own.data() != nullptr)
        static_cast<void>(kept.bind_slot(s, numbers[i], own));
  }
}

/// Takes over all that a state has beside its tensors.
template <class Original, class Kept>
constexpr void take_over(const Original& original, Kept& kept) noexcept {
  kept.training = original.training;
  kept.user_values = original.user_values;
}

/// A state of which nothing is left out: the state itself.
/// @tparam State  a `state_view`, or a const one
template <class State>
class whole_state {
 public:
  using view_type = State;

  constexpr explicit whole_state(State& original) noexcept : original_(&original) {}

  [[nodiscard]] constexpr State& view() const noexcept { return *original_; }
  template <class Original>
  constexpr void take_back(Original& original) const noexcept {
    original.training = original_->training;
  }

 private:
  State* original_;
};

/// What `filtered_state` is with `keep_all`.
template <class Model, class Optimizer, class Byte>
class unfiltered_state : public whole_state<state_view<Model, Optimizer, Byte>> {
 public:
  using original_type = state_view<Model, Optimizer, Byte>;
  using model_type = Model;
  using whole_state<original_type>::whole_state;

  /// In the form that serves any filter; it cannot fail here.
  [[nodiscard]] static constexpr result<whole_state<original_type>> make(
      original_type& original) noexcept {
    return whole_state<original_type>(original);
  }
  /// Of a state that can only be saved.
  [[nodiscard]] static constexpr result<whole_state<const original_type>> make(
      const original_type& original) noexcept {
    return whole_state<const original_type>(original);
  }
  static void make(const original_type&&) = delete;
};

}  // namespace detail

/// The tensors of a state that a filter keeps, bound to the same memory, and their slots with them;
/// what a checkpoint of the state consists of. What is left out is neither saved nor touched by
/// loading.
///
///     ckpt::filtered_state<ckpt::paddle_filter, mlp, ckpt::adam> kept(state);
///     ckpt::save("a.ckpt", kept.view()).or_throw();
///     ckpt::load("a.ckpt", kept.view()).or_throw();
///     kept.take_back(state);                          // step, epoch and all that goes with them
///
/// `training` is a copy made at construction, `user_values` are shared. Errors about a tensor give
/// its index in the filtered model. Nothing is allocated for a static model, nor with `keep_all`,
/// which gives the state itself. For a run-time model there is only `make()`, in
/// ckpt/checkpoint/filtered_state.hpp.
/// @tparam Byte  std::byte, or const std::byte for a state that can only be saved
template <class Filter, class Model, class Optimizer, class Byte = std::byte>
class filtered_state {
  static_assert(is_static_model_v<Model>,
                "ckpt: a filtered state of a run-time model is in "
                "ckpt/checkpoint/filtered_state.hpp");

 public:
  using original_type = state_view<Model, Optimizer, Byte>;
  using model_type = filtered_model_t<Model, Filter>;
  using view_type = state_view<model_type, Optimizer, Byte>;

  /// Takes what the filter keeps. The memory of the tensors must outlive it, `original` need not.
  constexpr explicit filtered_state(const original_type& original) noexcept {
    detail::bind_kept(original, detail::kept_tensors<Model, Filter>::table.numbers, view_);
    detail::take_over(original, view_);
  }

  /// The same in the form that serves any model; it cannot fail here.
  [[nodiscard]] static constexpr result<filtered_state> make(
      const original_type& original) noexcept {
    return filtered_state(original);
  }

  /// A state like any other, to be saved and loaded.
  [[nodiscard]] constexpr view_type& view() noexcept { return view_; }
  [[nodiscard]] constexpr const view_type& view() const noexcept { return view_; }

  /// Gives `training` back, after a load.
  constexpr void take_back(original_type& original) const noexcept {
    original.training = view_.training;
  }

 private:
  view_type view_{};
};

/// With `keep_all`: the state itself, which must outlive it.
template <class Model, class Optimizer, class Byte>
class filtered_state<keep_all, Model, Optimizer, Byte>
    : public detail::unfiltered_state<Model, Optimizer, Byte> {
 public:
  using detail::unfiltered_state<Model, Optimizer, Byte>::unfiltered_state;
};

/// The same of a run-time model.
template <class Optimizer, class Byte>
class filtered_state<keep_all, dynamic_model, Optimizer, Byte>
    : public detail::unfiltered_state<dynamic_model, Optimizer, Byte> {
 public:
  using detail::unfiltered_state<dynamic_model, Optimizer, Byte>::unfiltered_state;
};

}  // namespace ckpt

#endif  // CKPT_CODEC_FILTERED_STATE_HPP
