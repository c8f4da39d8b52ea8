#ifndef CKPT_CODEC_WRITER_HPP
#define CKPT_CODEC_WRITER_HPP

#include <array>

#include "ckpt/base/buffer.hpp"
#include "ckpt/codec/state_view.hpp"
#include "ckpt/codec/write_file.hpp"
#include "ckpt/layout/dynamic_layout.hpp"

namespace ckpt {

namespace detail {

/// A run-time state can be of another model than the layout; its memory would be of other sizes.
/// @errors count_mismatch, size_mismatch
[[nodiscard]] constexpr status check_same_sizes(const layout_view& layout,
                                                const model_view& model) noexcept {
  if (model.size() != layout.model.size())
    return fail(errc::count_mismatch, layout.model.size(), model.size());
  for (std::size_t s = 0; s < layout.sections.size(); ++s) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      const std::uint64_t bytes = payload_bytes(layout.optimizer, s, model[i], i);
      if (bytes != layout.bytes(s, i))
        return fail(errc::size_mismatch, layout.bytes(s, i), bytes).about(i);
    }
  }
  return {};
}

/// Every tensor that has bytes must be bound, before the first byte goes out.
/// @param pointers  one for each weight and slot, section by section
[[nodiscard]] constexpr status check_bound(const layout_view& layout, std::size_t section_count,
                                           const std::byte* const* pointers) noexcept {
  const std::size_t count = layout.model.size();
  for (std::size_t s = 0; s < section_count; ++s) {
    for (std::size_t i = 0; i < count; ++i) {
      if (pointers[s * count + i] != nullptr || layout.bytes(s, i) == 0) continue;
      return fail(errc::unbound_tensor, layout.bytes(s, i), 0).in(numbered_section(s)).about(i);
    }
  }
  return {};
}

/// What a state adds to its tensors.
template <class Format, class State>
[[nodiscard]] status write_footer(const State& state,
                                  std::array<std::byte, Format::footer_bytes>& footer) noexcept {
  const values_view values =
      state.user_values == nullptr ? values_view{} : values_view(*state.user_values);
  return Format::write_footer(state.training, values, footer);
}

}  // namespace detail

/// Writes checkpoints of one model, optimizer and format, in file order and without a copy.
/// @tparam Host  byte order of the tensors in memory
template <class Model, class Optimizer, class Format = onert, byte_order Host = host_byte_order>
class writer {
 public:
  /// The layout of the files that it writes.
  using layout_type = layout<Model, Optimizer, Format>;

  /// For a static model; the writer of a run-time model is made from its layout.
  constexpr writer() noexcept {
    static_assert(is_static_model_v<Model>,
                  "ckpt: the writer of a run-time model is made from its layout: writer(layout)");
  }
  /// For any model, from its layout.
  constexpr explicit writer(const layout_type& known) noexcept : layout_(known) {}

  /// Whether the state can be written at all.
  /// @errors count_mismatch and size_mismatch (a run-time state of another model), unbound_tensor,
  ///         counter_out_of_range, unstorable_values
  template <class Byte>
  [[nodiscard]] status check(const state_view<Model, Optimizer, Byte>& state) const noexcept {
    std::array<std::byte, Format::footer_bytes> footer{};
    return prepare(layout_.view(), state, footer);
  }

  /// Sends the whole checkpoint to a sink. What can be checked is checked before the first byte.
  /// @errors count_mismatch and size_mismatch (a run-time state of another model), unbound_tensor,
  ///         counter_out_of_range, unstorable_values, whatever the sink reports
  template <class Byte, class Sink>
  status write(const state_view<Model, Optimizer, Byte>& state, Sink& sink) const {
    static_assert(is_sink_v<Sink>,
                  "ckpt: a sink has `status append(bytes_view)` and `status flush()` "
                  "(see ckpt/base/io_contract.hpp)");
    const layout_view layout = layout_.view();
    std::array<std::byte, Format::footer_bytes> footer{};
    if (const status ready = prepare(layout, state, footer); !ready.ok()) return ready;
    const std::byte* const* const pointers = state.pointers();
    const auto payloads = [&layout, pointers](std::size_t s, std::size_t i) noexcept {
      return bytes_view(pointers[s * layout.model.size() + i],
                        static_cast<std::size_t>(layout.bytes(s, i)));
    };
    return detail::write_file<Format, Host>(layout, footer, payloads, sink);
  }

  /// Writes the whole checkpoint into `memory` and returns the part that it fills.
  /// @errors buffer_too_small, and those of check()
  template <class Byte>
  result<bytes_view> write_to(const state_view<Model, Optimizer, Byte>& state,
                              bytes_span memory) const {
    const std::uint64_t needed = layout_.view().file_bytes;
    if (memory.size() < needed) return fail(errc::buffer_too_small, needed, memory.size());
    buffer_sink sink(memory);
    if (const status written = write(state, sink); !written.ok()) return written;
    return sink.written();
  }

 private:
  template <class Byte>
  static status prepare(const layout_view& layout, const state_view<Model, Optimizer, Byte>& state,
                        std::array<std::byte, Format::footer_bytes>& footer) noexcept {
    if constexpr (!is_static_model_v<Model>) {
      const status same = detail::check_same_sizes(layout, state.model());
      if (!same.ok()) return same;
    }
    const status counters = detail::write_footer<Format>(state, footer);
    if (!counters.ok()) return counters;
    return detail::check_bound(layout, 1 + Optimizer::slot_count, state.pointers());
  }

  layout_type layout_{};
};

}  // namespace ckpt

#endif  // CKPT_CODEC_WRITER_HPP
