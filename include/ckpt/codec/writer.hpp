#ifndef CKPT_CODEC_WRITER_HPP
#define CKPT_CODEC_WRITER_HPP

#include <array>
#include <cstring>

#include "ckpt/base/buffer.hpp"
#include "ckpt/base/io_contract.hpp"
#include "ckpt/codec/state_view.hpp"
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
      const std::uint64_t bytes = payload_bytes(layout.optimizer, s, model[i]);
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

/// Turns elements round on their way into the sink, a little at a time.
template <class Sink>
status append_reversed(Sink& sink, bytes_view elements, std::size_t width) {
  std::array<std::byte, 8192> turned;
  for (std::size_t first = 0; first < elements.size();) {
    const std::size_t rest = elements.size() - first;
    const std::size_t size = rest < turned.size() ? rest : turned.size();
    std::memcpy(turned.data(), elements.data() + first, size);
    reverse_elements(bytes_span(turned.data(), size), width);
    if (const status sent = sink.append(bytes_view(turned.data(), size)); !sent.ok()) return sent;
    if (const status sent = sink.flush(); !sent.ok()) return sent;
    first += size;
  }
  return {};
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
  ///         counter_out_of_range
  template <class Byte>
  [[nodiscard]] status check(const state_view<Model, Optimizer, Byte>& state) const noexcept {
    std::array<std::byte, Format::footer_bytes> footer{};
    return prepare(layout_.view(), state, footer);
  }

  /// Sends the whole checkpoint to a sink. What can be checked is checked before the first byte.
  /// @errors count_mismatch and size_mismatch (a run-time state of another model), unbound_tensor,
  ///         counter_out_of_range, whatever the sink reports
  template <class Byte, class Sink>
  status write(const state_view<Model, Optimizer, Byte>& state, Sink& sink) const {
    static_assert(is_sink_v<Sink>,
                  "ckpt: a sink has `status append(bytes_view)` and `status flush()` "
                  "(see ckpt/base/io_contract.hpp)");
    const layout_view layout = layout_.view();
    std::array<std::byte, Format::footer_bytes> footer{};
    if (const status ready = prepare(layout, state, footer); !ready.ok()) return ready;
    for (std::size_t s = 0; s <= Optimizer::slot_count; ++s) {
      const status sent = write_section(layout, s, state.pointers(), sink);
      if (!sent.ok()) return sent;
    }
    if (const status sent = sink.append(bytes_view(footer)); !sent.ok()) return sent;
    return sink.flush();
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
    const status counters = Format::write_footer(state.training, footer.data());
    if (!counters.ok()) return counters;
    return detail::check_bound(layout, 1 + Optimizer::slot_count, state.pointers());
  }

  template <class Sink>
  static status write_section(const layout_view& layout, std::size_t section,
                              const std::byte* const* pointers, Sink& sink) {
    if (const status sent = sink.append(layout.head(section)); !sent.ok()) return sent;
    const std::size_t count = layout.model.size();
    const visit_list visits = Format::visits(layout.model);
    for (std::size_t k = 0; k < visits.count; ++k) {
      const std::size_t index = visits[k];
      const bytes_view payload(pointers[section * count + index],
                               static_cast<std::size_t>(layout.bytes(section, index)));
      if (payload.empty()) continue;
      const status sent = write_payload(layout, section, index, payload, sink);
      if (!sent.ok()) return sent;
    }
    return {};
  }

  template <class Sink>
  static status write_payload([[maybe_unused]] const layout_view& layout,
                              [[maybe_unused]] std::size_t section,
                              [[maybe_unused]] std::size_t index, bytes_view payload, Sink& sink) {
    if constexpr (Host == byte_order::big) {
      const std::size_t width = payload_width(layout.optimizer, section, layout.model[index]);
      if (width > 1) return detail::append_reversed(sink, payload, width);
    }
    return sink.append(payload);
  }

  layout_type layout_{};
};

}  // namespace ckpt

#endif  // CKPT_CODEC_WRITER_HPP
