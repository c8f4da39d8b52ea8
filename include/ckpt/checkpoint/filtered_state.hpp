#ifndef CKPT_CHECKPOINT_FILTERED_STATE_HPP
#define CKPT_CHECKPOINT_FILTERED_STATE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "ckpt/checkpoint/ready_layout.hpp"
#include "ckpt/codec/filtered_state.hpp"

namespace ckpt {

namespace detail {

/// The tensors that a filter keeps of a run-time model, in memory of their own. Their names stay
/// where they are.
template <class Filter>
class kept_model {
 public:
  /// @param numbers  memory for one word a tensor
  /// @errors no_memory, invalid_rules (the filter keeps no tensor of a model that has some)
  [[nodiscard]] status choose(const model_view& from, std::uint32_t* numbers) noexcept {
    size_ = number_kept<Filter>(from.tensors, numbers);
    if (size_ == 0 && from.size() != 0) return fail(errc::invalid_rules);
    specs_.reset(new (std::nothrow) tensor_spec[size_ + 1]);
    if (specs_ == nullptr) return fail(errc::no_memory, (size_ + 1) * sizeof(tensor_spec), 0);
    pick_tensors(from.tensors, numbers, specs_.get());
    visit_count_ = pick_visits(from, numbers, nullptr);
    visits_ = allocate_words(visit_count_);
    if (visits_ == nullptr) return fail(errc::no_memory, 4 * (visit_count_ + 1), 0);
    pick_visits(from, numbers, visits_.get());
    return {};
  }

  [[nodiscard]] dynamic_model get() const noexcept {
    return dynamic_model(span<const tensor_spec>(specs_.get(), size_),
                         span<const std::uint32_t>(visits_.get(), visit_count_));
  }

 private:
  std::unique_ptr<tensor_spec[]> specs_;
  std::unique_ptr<std::uint32_t[]> visits_;
  std::size_t size_ = 0;
  std::size_t visit_count_ = 0;
};

}  // namespace detail

/// The same for a model that is known only at run time: owns the tables of what is kept. The names
/// of the tensors must outlive it. It can be moved, not copied; what was moved from is not used
/// again.
template <class Filter, class Optimizer, class Byte>
class filtered_state<Filter, dynamic_model, Optimizer, Byte> {
  static_assert(is_filter_v<Filter>,
                "ckpt: Filter must be an empty struct with `static constexpr bool keeps(const "
                "ckpt::tensor_spec&) noexcept` (see ckpt/model/tensor_filter.hpp)");

 public:
  using original_type = state_view<dynamic_model, Optimizer, Byte>;
  using model_type = dynamic_model;
  using view_type = original_type;

  /// Takes what the filter keeps.
  /// @errors no_memory, too_large (more tensors than can be numbered), invalid_rules (the filter
  ///         keeps no tensor of a model that has some)
  [[nodiscard]] static result<filtered_state> make(const original_type& original) noexcept {
    filtered_state made;
    if (const status taken = made.take(original); !taken.ok()) return taken;
    return result<filtered_state>(std::move(made));
  }

  filtered_state(filtered_state&&) noexcept = default;
  filtered_state& operator=(filtered_state&&) noexcept = default;
  filtered_state(const filtered_state&) = delete;
  filtered_state& operator=(const filtered_state&) = delete;
  ~filtered_state() = default;

  /// A state like any other, to be saved and loaded.
  [[nodiscard]] view_type& view() noexcept { return view_; }
  [[nodiscard]] const view_type& view() const noexcept { return view_; }

  /// Gives `training` back, after a load.
  void take_back(original_type& original) const noexcept { original.training = view_.training; }

 private:
  filtered_state() noexcept = default;

  status take(const original_type& original) noexcept {
    const std::size_t total = original.model().size();
    if (total >= no_tensor) return fail(errc::too_large, no_tensor - 1, total);
    const auto numbers = detail::allocate_words(total);
    if (numbers == nullptr) return fail(errc::no_memory, 4 * (total + 1), 0);
    if (const status chosen = kept_.choose(original.model(), numbers.get()); !chosen.ok())
      return chosen;
    const std::size_t needed = view_type::pointers_needed(kept_.get());
    pointers_.reset(new (std::nothrow) Byte*[needed + 1]);
    if (pointers_ == nullptr) return fail(errc::no_memory, (needed + 1) * sizeof(Byte*), 0);
    view_ = view_type(kept_.get(), pointers_.get());
    detail::bind_kept(original, numbers.get(), view_);
    detail::take_over(original, view_);
    return {};
  }

  detail::kept_model<Filter> kept_;
  std::unique_ptr<Byte*[]> pointers_;
  view_type view_{};
};

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_FILTERED_STATE_HPP
