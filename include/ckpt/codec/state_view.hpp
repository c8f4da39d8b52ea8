#ifndef CKPT_CODEC_STATE_VIEW_HPP
#define CKPT_CODEC_STATE_VIEW_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/format/contract.hpp"
#include "ckpt/model/model.hpp"
#include "ckpt/model/optimizer.hpp"
#include "ckpt/model/training_state.hpp"

namespace ckpt {

namespace detail {

/// One pointer for each weight and slot of a model, section by section.
template <class Model, std::size_t Sections, class Byte>
class pointer_table {
 public:
  [[nodiscard]] static constexpr model_view model() noexcept { return view_of<Model>(); }
  [[nodiscard]] constexpr Byte* const* data() const noexcept { return pointers_.data(); }
  [[nodiscard]] constexpr Byte** data() noexcept { return pointers_.data(); }

 private:
  std::array<Byte*, Sections * Model::tensors.size()> pointers_{};
};

template <std::size_t Sections, class Byte>
class pointer_table<dynamic_model, Sections, Byte> {
 public:
  constexpr pointer_table() noexcept = default;
  constexpr pointer_table(const dynamic_model& model, Byte** pointers) noexcept
      : model_(model), pointers_(pointers) {}

  [[nodiscard]] constexpr const model_view& model() const noexcept { return model_.view(); }
  [[nodiscard]] constexpr Byte* const* data() const noexcept { return pointers_; }
  [[nodiscard]] constexpr Byte** data() noexcept { return pointers_; }

 private:
  dynamic_model model_{};
  Byte** pointers_ = nullptr;
};

}  // namespace detail

/// Weights and slots in memory that the caller owns (a runtime's tensors, a firmware's static
/// buffers, a mapped file), and where training stands. Nothing is copied or allocated.
/// @tparam Byte  std::byte, or const std::byte for a state that can only be saved
template <class Model, class Optimizer, class Byte = std::byte>
class state_view {
  static_assert(is_optimizer_v<Optimizer>,
                "ckpt: Optimizer must be an empty struct with `static constexpr std::size_t "
                "slot_count` (see ckpt/model/optimizer.hpp)");

 public:
  /// Slots of each trainable tensor.
  static constexpr std::size_t slot_count = Optimizer::slot_count;

  training_state training{};
  /// Keys and values that go with the state in formats that hold them; null for none. They must
  /// outlive the state.
  values* user_values = nullptr;

  /// Nothing is bound yet.
  constexpr state_view() noexcept = default;

  /// For a run-time model.
  /// @param pointers  memory of the caller for `pointers_needed(model)` pointers
  constexpr state_view(const dynamic_model& model, Byte** pointers) noexcept
      : table_(model, pointers) {
    for (std::size_t i = 0; i < pointers_needed(model); ++i) pointers[i] = nullptr;
  }

  /// Pointers that a state of a run-time model needs memory for.
  [[nodiscard]] static constexpr std::size_t pointers_needed(const dynamic_model& model) noexcept {
    return (1 + slot_count) * model.size();
  }

  /// The tensors of the state.
  [[nodiscard]] constexpr model_view model() const noexcept { return table_.model(); }
  /// The optimizer of the state.
  [[nodiscard]] static constexpr optimizer_view optimizer() noexcept {
    return view_of_optimizer<Optimizer>();
  }

  /// Binds the weight of tensor `index` to `memory`, which must be as large as the tensor.
  /// @errors no_such_tensor, buffer_too_small
  constexpr status bind_weight(std::size_t index, span<Byte> memory) noexcept {
    return bind(0, index, memory);
  }
  /// Binds slot `slot` of tensor `index`.
  /// @errors no_such_tensor, buffer_too_small
  constexpr status bind_slot(std::size_t slot, std::size_t index, span<Byte> memory) noexcept {
    return bind(1 + slot, index, memory);
  }
  /// The same with elements of the tensor's own type.
  /// @errors no_such_tensor, wrong_dtype, buffer_too_small
  template <class T>
  status bind_weight(std::size_t index, T* elements, std::size_t count) noexcept {
    return bind_elements(0, index, elements, count);
  }
  /// Slot `slot` of tensor `index`, with elements of its own type.
  /// @errors no_such_tensor, wrong_dtype, buffer_too_small
  template <class T>
  status bind_slot(std::size_t slot, std::size_t index, T* elements, std::size_t count) noexcept {
    return bind_elements(1 + slot, index, elements, count);
  }

  /// Bytes of the weight of tensor `index`; empty while unbound.
  [[nodiscard]] constexpr span<Byte> weight_bytes(std::size_t index) const noexcept {
    return bytes(0, index);
  }
  /// Bytes of slot `slot` of tensor `index`; empty while unbound.
  [[nodiscard]] constexpr span<Byte> slot_bytes(std::size_t slot,
                                                std::size_t index) const noexcept {
    return bytes(1 + slot, index);
  }

  /// Elements of the weight of tensor `index`.
  /// @errors no_such_tensor, unbound_tensor, wrong_dtype, unaligned
  template <class T>
  [[nodiscard]] result<span<T>> weight_as(std::size_t index) const noexcept {
    return elements<T>(0, index);
  }
  /// Elements of slot `slot` of tensor `index`.
  /// @errors no_such_tensor, unbound_tensor, wrong_dtype, unaligned
  template <class T>
  [[nodiscard]] result<span<T>> slot_as(std::size_t slot, std::size_t index) const noexcept {
    return elements<T>(1 + slot, index);
  }

  /// Elements of a weight of a static model, typed by the model:
  /// `state.weight<ckpt::index_of<mlp>("fc.weight")>()`. It must be bound, and aligned for its
  /// type.
  template <std::size_t Index>
  [[nodiscard]] auto weight() const noexcept {
    return typed<0, Index>();
  }
  /// Elements of slot `Slot` of tensor `Index`.
  template <std::size_t Slot, std::size_t Index>
  [[nodiscard]] auto slot() const noexcept {
    static_assert(Slot < slot_count, "ckpt: the optimizer has no such slot");
    return typed<1 + Slot, Index>();
  }

  /// One pointer for each weight, then for each slot section by section.
  [[nodiscard]] constexpr Byte* const* pointers() const noexcept { return table_.data(); }

 private:
  [[nodiscard]] constexpr bool has(std::size_t section, std::size_t index) const noexcept {
    return section <= slot_count && index < model().size();
  }

  [[nodiscard]] constexpr std::uint64_t size_of(std::size_t section,
                                                std::size_t index) const noexcept {
    return payload_bytes(optimizer(), section, model()[index], index);
  }

  [[nodiscard]] constexpr dtype type_of(std::size_t section, std::size_t index) const noexcept {
    return payload_type(optimizer(), section, model()[index], index);
  }

  constexpr status bind(std::size_t section, std::size_t index, span<Byte> memory) noexcept {
    if (!has(section, index)) return fail(errc::no_such_tensor, model().size(), index);
    if (memory.size() != size_of(section, index))
      return fail(errc::buffer_too_small, size_of(section, index), memory.size())
          .in(numbered_section(section))
          .about(index);
    table_.data()[section * model().size() + index] = memory.data();
    return {};
  }

  template <class T>
  status bind_elements(std::size_t section, std::size_t index, T* elements,
                       std::size_t count) noexcept {
    static_assert(std::is_const_v<Byte> || !std::is_const_v<T>,
                  "ckpt: a state that can be loaded needs memory that can be written");
    if (!has(section, index)) return fail(errc::no_such_tensor, model().size(), index);
    if (!holds<T>(type_of(section, index)))
      return fail(errc::wrong_dtype, byte_width(type_of(section, index)), sizeof(T))
          .in(numbered_section(section))
          .about(index);
    return bind(section, index, span<Byte>(reinterpret_cast<Byte*>(elements), count * sizeof(T)));
  }

  [[nodiscard]] constexpr span<Byte> bytes(std::size_t section, std::size_t index) const noexcept {
    if (!has(section, index)) return {};
    Byte* const memory = pointers()[section * model().size() + index];
    if (memory == nullptr) return {};
    return span<Byte>(memory, static_cast<std::size_t>(size_of(section, index)));
  }

  template <class T>
  [[nodiscard]] result<span<T>> elements(std::size_t section, std::size_t index) const noexcept {
    static_assert(!std::is_const_v<Byte> || std::is_const_v<T>,
                  "ckpt: the memory of this state is read-only; ask for weight_as<const T>()");
    if (!has(section, index)) return fail(errc::no_such_tensor, model().size(), index);
    if (!holds<T>(type_of(section, index)))
      return fail(errc::wrong_dtype, byte_width(type_of(section, index)), sizeof(T))
          .in(numbered_section(section))
          .about(index);
    const span<Byte> memory = bytes(section, index);
    if (memory.size() != size_of(section, index))
      return fail(errc::unbound_tensor, size_of(section, index), 0)
          .in(numbered_section(section))
          .about(index);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    if (address % alignof(T) != 0)
      return fail(errc::unaligned, alignof(T), address % alignof(T))
          .in(numbered_section(section))
          .about(index);
    return span<T>(reinterpret_cast<T*>(memory.data()), memory.size() / sizeof(T));
  }

  template <std::size_t Section, std::size_t Index>
  [[nodiscard]] auto typed() const noexcept {
    static_assert(is_static_model_v<Model>,
                  "ckpt: the types of a run-time model are not known here; use weight_as<T>()");
    static_assert(Index < Model::tensors.size(), "ckpt: the model has no tensor of this index");
    constexpr const tensor_spec& tensor = Model::tensors.data()[Index];
    constexpr dtype type = payload_type(optimizer(), Section, tensor, Index);
    using element =
        std::conditional_t<std::is_const_v<Byte>, const element_t<type>, element_t<type>>;
    const span<Byte> memory = bytes(Section, Index);
    return span<element>(reinterpret_cast<element*>(memory.data()),
                         memory.size() / sizeof(element));
  }

  detail::pointer_table<Model, 1 + slot_count, Byte> table_{};
};

/// A state that can only be saved: its memory may be read-only.
template <class Model, class Optimizer>
using const_state_view = state_view<Model, Optimizer, const std::byte>;

}  // namespace ckpt

#endif  // CKPT_CODEC_STATE_VIEW_HPP
