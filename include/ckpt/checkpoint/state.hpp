#ifndef CKPT_CHECKPOINT_STATE_HPP
#define CKPT_CHECKPOINT_STATE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "ckpt/base/result.hpp"
#include "ckpt/codec/state_view.hpp"
#include "ckpt/format/cursor.hpp"
#include "ckpt/model/check.hpp"

namespace ckpt {

namespace detail {

/// Every weight and slot begins at a multiple of this: a cache line, and enough for any vector.
inline constexpr std::size_t tensor_alignment = 64;

struct aligned_delete {
  void operator()(std::byte* block) const noexcept {
    ::operator delete[](block, std::align_val_t{tensor_alignment});
  }
};
using aligned_block = std::unique_ptr<std::byte[], aligned_delete>;

/// Zeroed memory, or null.
[[nodiscard]] inline aligned_block allocate_block(std::size_t bytes) noexcept {
  void* const memory = ::operator new[](bytes, std::align_val_t{tensor_alignment}, std::nothrow);
  if (memory != nullptr) std::memset(memory, 0, bytes);
  return aligned_block(static_cast<std::byte*>(memory));
}

/// Calls `visit(section, index, bytes, offset)` for every weight and slot, each at its aligned
/// place behind `at`.
template <class Visit>
constexpr void place_in_memory(const model_view& model, const optimizer_view& optimizer, cursor& at,
                               Visit visit) {
  for (std::size_t s = 0; s <= optimizer.slot_count; ++s) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      const std::uint64_t bytes = payload_bytes(optimizer, s, model[i], i);
      at.align(tensor_alignment);
      visit(s, i, bytes, at.take(bytes));
    }
  }
}

}  // namespace detail

/// The whole state of a training run: owns weights and slots in one aligned block, zero at first,
/// and knows step and epoch. It can be moved, not copied; views into it stay valid when it moves.
template <class Model, class Optimizer>
class state : public state_view<Model, Optimizer> {
  using view_type = state_view<Model, Optimizer>;

 public:
  /// For a static model; of a run-time model it is the state without tensors. Where memory is
  /// short it throws ckpt::failure; without exceptions nothing is bound then, which save and load
  /// report.
  state() { settle(allocate({})); }

  /// For a model that is known only at run time; its specs must outlive the state.
  explicit state(const dynamic_model& model) { settle(allocate(model)); }

  /// The same with the failure as a value.
  /// @errors no_memory, too_large, invalid_shape
  [[nodiscard]] static result<state> make(const dynamic_model& model = {}) noexcept {
    state made{unallocated{}};
    const status allocated = made.allocate(model);
    if (!allocated.ok()) return allocated;
    return result<state>(std::move(made));
  }

  state(state&& other) noexcept { swap(other); }
  state& operator=(state&& other) noexcept {
    swap(other);
    return *this;
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() = default;

  /// Bytes of the block.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return block_bytes_; }

  /// Bytes of the block before there is one: a constant of a static model, with which it needs no
  /// argument. `overflowed` when they exceed 64 bits.
  [[nodiscard]] static constexpr std::uint64_t memory_needed(
      const dynamic_model& model = {}) noexcept {
    cursor at(pointer_bytes(model));
    detail::place_in_memory(view_of_either(model), view_type::optimizer(), at,
                            [](std::size_t, std::size_t, std::uint64_t, std::uint64_t) {});
    return at.position();
  }

 private:
  struct unallocated {};
  explicit state(unallocated) noexcept {}

  void settle(const status& allocated) {
#if CKPT_EXCEPTIONS
    allocated.or_throw();
#else
    static_cast<void>(allocated);
#endif
  }

  void swap(state& other) noexcept {
    std::swap(static_cast<view_type&>(*this), static_cast<view_type&>(other));
    std::swap(block_, other.block_);
    std::swap(block_bytes_, other.block_bytes_);
  }

  // A run-time model keeps its table of pointers in front of the tensors.
  static constexpr std::uint64_t pointer_bytes(const dynamic_model& model) noexcept {
    if constexpr (is_static_model_v<Model>) return 0;
    return product(view_type::pointers_needed(model), sizeof(std::byte*));
  }

  static constexpr model_view view_of_either([[maybe_unused]] const dynamic_model& model) noexcept {
    if constexpr (is_static_model_v<Model>) {
      return view_of<Model>();
    } else {
      return model.view();
    }
  }

  status allocate(const dynamic_model& given) noexcept {
    const model_view model = view_of_either(given);
    if (const status shapes = check_shapes(model); !shapes.ok()) return shapes;
    const std::uint64_t needed = memory_needed(given);
    constexpr std::uint64_t limit = (std::numeric_limits<std::size_t>::max)() / 2;
    if (needed > limit) return fail(errc::too_large, limit, needed);
    block_bytes_ = static_cast<std::size_t>(needed);
    block_ = detail::allocate_block(block_bytes_);
    if (block_ == nullptr) return fail(errc::no_memory, block_bytes_, 0);
    if constexpr (!is_static_model_v<Model>)
      static_cast<view_type&>(*this) = view_type(given, new (block_.get()) std::byte*[1]);
    bind_all(model, pointer_bytes(given));
    return {};
  }

  void bind_all(const model_view& model, std::uint64_t first) noexcept {
    cursor at(first);
    const auto bind = [this](std::size_t s, std::size_t i, std::uint64_t size_bytes,
                             std::uint64_t place) {
      const bytes_span payload(block_.get() + static_cast<std::size_t>(place),
                               static_cast<std::size_t>(size_bytes));
      static_cast<void>(s == 0 ? this->bind_weight(i, payload)
                               : this->bind_slot(s - 1, i, payload));
    };
    detail::place_in_memory(model, view_type::optimizer(), at, bind);
  }

  detail::aligned_block block_;
  std::size_t block_bytes_ = 0;
};

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_STATE_HPP
