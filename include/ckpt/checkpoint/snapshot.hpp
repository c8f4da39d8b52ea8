#ifndef CKPT_CHECKPOINT_SNAPSHOT_HPP
#define CKPT_CHECKPOINT_SNAPSHOT_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "ckpt/base/result.hpp"
#include "ckpt/checkpoint/state.hpp"
#include "ckpt/codec/writer.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/model/check.hpp"

namespace ckpt {

namespace detail {

/// Whether two models are one: their tensors have the same names, dtypes, shapes and roles.
/// @errors count_mismatch, name_mismatch, dtype_mismatch, shape_mismatch, role_mismatch
[[nodiscard]] constexpr status check_same_model(const model_view& wanted,
                                                const model_view& found) noexcept {
  if (wanted.size() != found.size()) return fail(errc::count_mismatch, wanted.size(), found.size());
  if (wanted.tensors.data() == found.tensors.data()) return {};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].name() != found[i].name()) return fail(errc::name_mismatch).about(i);
    if (wanted[i].purpose() != found[i].purpose()) return fail(errc::role_mismatch).about(i);
    const status same = check_same_form(wanted[i], found[i]);
    if (!same.ok()) return same.about(i);
  }
  return {};
}

}  // namespace detail

/// A copy of a state as it was at one moment, in memory of its own that is taken once. It can be
/// moved, not copied. One thread at a time may use it.
template <class Model, class Optimizer>
class snapshot {
 public:
  /// Takes the memory for weights and slots, and touches all of it.
  /// @param model  of a run-time state; its specs must outlive the snapshot
  /// @errors no_memory, too_large, invalid_shape
  [[nodiscard]] static result<snapshot> make(const dynamic_model& model = {}) noexcept {
    auto memory = state<Model, Optimizer>::make(model);
    if (!memory.ok()) return memory.error();
    return snapshot(std::move(*memory));
  }

  /// Copies weights, slots, training state and the user's values. If it fails, the copy is as it
  /// was. Memory is taken only for the user's values, when they have more room than before.
  /// @errors unbound_tensor, no_memory; of a run-time state of another model count_mismatch,
  ///         name_mismatch, dtype_mismatch, shape_mismatch, role_mismatch
  template <class Byte>
  status take(const state_view<Model, Optimizer, Byte>& from) noexcept {
    if (const status possible = check(from); !possible.ok()) return possible;
    if (const status room = make_room(from.user_values); !room.ok()) return room;
    copy_tensors(from.pointers());
    copy_.training = from.training;
    copy_.user_values = nullptr;
    if (from.user_values == nullptr) return {};
    copy_.user_values = values_.get();
    return values_->assign(*from.user_values);
  }

  /// The copy; zeros until something is taken. Its values move with the snapshot.
  [[nodiscard]] const state_view<Model, Optimizer>& view() const noexcept { return copy_; }

 private:
  explicit snapshot(state<Model, Optimizer> zeros) noexcept : copy_(std::move(zeros)) {}

  template <class Byte>
  [[nodiscard]] status check(const state_view<Model, Optimizer, Byte>& from) const noexcept {
    if constexpr (!is_static_model_v<Model>) {
      const status same = detail::check_same_model(copy_.model(), from.model());
      if (!same.ok()) return same;
    }
    layout_view tensors_only{};
    tensors_only.model = copy_.model();
    tensors_only.optimizer = copy_.optimizer();
    return detail::check_bound(tensors_only, 1 + Optimizer::slot_count, from.pointers());
  }

  /// All of the caller's room is taken at once, so that values that grow cost no second time.
  status make_room(const values* wanted) noexcept {
    if (wanted == nullptr) return {};
    if (values_ != nullptr && values_->capacity() >= wanted->capacity()) return {};
    return detail::without_exceptions([&]() -> status {
      std::vector<std::byte> records(wanted->capacity());
      auto made = std::make_unique<values>(bytes_span(records.data(), records.size()));
      records_.swap(records);
      values_.swap(made);
      return {};
    });
  }

  void copy_tensors(const std::byte* const* from) noexcept {
    const model_view model = copy_.model();
    for (std::size_t s = 0; s <= Optimizer::slot_count; ++s) {
      for (std::size_t i = 0; i < model.size(); ++i) {
        const std::uint64_t bytes = payload_bytes(copy_.optimizer(), s, model[i], i);
        const std::size_t place = s * model.size() + i;
        if (bytes != 0)
          std::memcpy(copy_.pointers()[place], from[place], static_cast<std::size_t>(bytes));
      }
    }
  }

  state<Model, Optimizer> copy_;
  std::vector<std::byte> records_;
  std::unique_ptr<values> values_;
};

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_SNAPSHOT_HPP
