#ifndef CKPT_CODEC_READER_HPP
#define CKPT_CODEC_READER_HPP

#include <cstring>

#include "ckpt/codec/opened_file.hpp"
#include "ckpt/codec/state_view.hpp"
#include "ckpt/codec/writer.hpp"
#include "ckpt/layout/dynamic_layout.hpp"

namespace ckpt {

/// Reads checkpoints of one model and optimizer from memory, without copying them. It accepts any
/// format that holds the same tensors; a file of its own format is recognised by comparing header
/// and tables with the layout. Nothing is handed out before all is checked; payloads are compared
/// with their checksums by `load_into()` and `check_payloads()`.
/// @tparam Host  byte order of the tensors in memory
template <class Model, class Optimizer, class Format = onert, byte_order Host = host_byte_order>
class reader {
 public:
  /// The layout that a file of the reader's own format has.
  using layout_type = layout<Model, Optimizer, Format>;
  /// What `load_into()` fills.
  using state_type = state_view<Model, Optimizer>;

  constexpr reader() noexcept = default;

  /// Opens a checkpoint of a static model.
  /// @param file  the whole checkpoint at any alignment; it must outlive the reader
  /// @errors those of detect(), check_request() and open_located()
  [[nodiscard]] static result<reader> open(bytes_view file,
                                           const read_options& options = {}) noexcept {
    static_assert(is_static_model_v<Model>,
                  "ckpt: the reader of a run-time model needs its layout: open(layout, file)");
    return open(layout_type{}, file, options);
  }

  /// Opens a checkpoint of a model that is known only at run time.
  [[nodiscard]] static result<reader> open(const layout_type& layout, bytes_view file,
                                           const read_options& options = {}) noexcept {
    const layout_view view = layout.view();
    const result<detail::located_file> located =
        detail::locate(view, Format::kind, file, file.size());
    if (!located.ok()) return located.error();
    const file_map& map = located->map;
    const status wanted = detail::check_request(view, map, Format::kind, options);
    if (!wanted.ok()) return wanted;

    const std::byte* tables[1 + schema1::max_slot_count] = {};
    for (std::size_t s = 0; s < detail::tables_read(view, map, options.slots); ++s)
      tables[s] = file.data() + static_cast<std::size_t>(map.table(s));
    const std::uint64_t head_bytes = map.has_manifest() ? map.head_bytes() : 0;
    const bytes_view footer = map.has_footer ? file.part(static_cast<std::size_t>(map.footer),
                                                         static_cast<std::size_t>(map.footer_bytes))
                                             : bytes_view{};
    const result<detail::opened_file> opened =
        detail::open_located(view, *located, file.part(0, static_cast<std::size_t>(head_bytes)),
                             tables, footer, options);
    if (!opened.ok()) return opened.error();
    return reader(layout, file, *opened, options);
  }

  /// The dialect of the file.
  [[nodiscard]] dialect kind() const noexcept { return opened_.map.kind; }
  /// Step and epoch as the file says; zero where a draft says nothing.
  [[nodiscard]] training_state training() const noexcept { return opened_.training; }
  /// Keys and values of the user; none in formats without them.
  [[nodiscard]] values_view user_values() const noexcept { return opened_.values; }
  /// Whether the file has names and checksums.
  [[nodiscard]] bool has_manifest() const noexcept { return opened_.map.has_manifest(); }
  /// Slot sections of the file, whether they can be read with this reader or not.
  [[nodiscard]] std::size_t slot_count() const noexcept { return opened_.map.slot_count; }
  /// Bytes between the weights that belong to none of them (onert-micro keeps dead copies).
  [[nodiscard]] std::uint64_t slack_bytes() const noexcept { return opened_.slack_bytes; }

  /// Weight of tensor `index` as stored: little-endian, row-major, at any alignment. Empty when it
  /// is absent.
  [[nodiscard]] bytes_view weight_bytes(std::size_t index) const noexcept {
    return bytes(0, index);
  }
  /// Slot `slot` of tensor `index` as stored. Empty when the file or the tensor has none.
  [[nodiscard]] bytes_view slot_bytes(std::size_t slot, std::size_t index) const noexcept {
    return bytes(1 + slot, index);
  }

  /// Weight of tensor `index` as elements, in place.
  /// @errors no_such_tensor, wrong_dtype, unaligned, foreign_byte_order
  template <class T>
  [[nodiscard]] result<span<const T>> weight_as(std::size_t index) const noexcept {
    return elements<T>(0, index);
  }
  /// Slot `slot` of tensor `index` as elements, in place.
  /// @errors no_such_tensor, wrong_dtype, unaligned, foreign_byte_order
  template <class T>
  [[nodiscard]] result<span<const T>> slot_as(std::size_t slot, std::size_t index) const noexcept {
    return elements<T>(1 + slot, index);
  }

  /// Copies the weight of tensor `index` into memory of its size, in the byte order of the host.
  /// @errors no_such_tensor, buffer_too_small
  status copy_weight(std::size_t index, bytes_span to) const noexcept { return copy(0, index, to); }
  /// Copies slot `slot` of tensor `index`.
  /// @errors no_such_tensor, buffer_too_small
  status copy_slot(std::size_t slot, std::size_t index, bytes_span to) const noexcept {
    return copy(1 + slot, index, to);
  }

  /// Compares every payload that the reader was opened for with its checksum, in files that have
  /// them. Reads all of them; `open()` does not.
  /// @errors checksum_mismatch
  [[nodiscard]] status check_payloads() const noexcept {
    if (!opened_.map.has_manifest()) return {};
    for (std::size_t s = 0; s < opened_.section_count; ++s)
      for (std::size_t i = 0; i < layout_.view().model.size(); ++i)
        if (const status same = check_payload(s, i); !same.ok()) return same;
    return {};
  }

  /// Copies everything that the reader was opened for into a state, after checking that all of it
  /// is bound and that the payloads match their checksums, in files that have them.
  /// @errors count_mismatch and size_mismatch (a run-time state of another model), unbound_tensor,
  ///         checksum_mismatch, buffer_too_small (the user's values), truncated (the reader was
  ///         never opened)
  result<load_report> load_into(state_type& state) const noexcept {
    if (opened_.section_count == 0) return never_opened();
    const layout_view layout = layout_.view();
    if constexpr (!is_static_model_v<Model>) {
      const status same = detail::check_same_sizes(layout, state.model());
      if (!same.ok()) return same;
    }
    const std::size_t touched =
        options_.slots == slot_policy::cold ? layout.sections.size() : opened_.section_count;
    const status bound = detail::check_bound(layout, touched, state.pointers());
    if (!bound.ok()) return bound;
    const bool takes_training = options_.slots != slot_policy::ignored;
    if (takes_training)
      if (const status fits = detail::check_fits(opened_.values, state.user_values); !fits.ok())
        return fits;
    if (!options_.skip_checksums)
      if (const status whole = check_payloads(); !whole.ok()) return whole;
    for (std::size_t s = 0; s < opened_.section_count; ++s)
      for (std::size_t i = 0; i < layout.model.size(); ++i)
        deliver(s, i, state.pointers()[s * layout.model.size() + i]);
    if (options_.slots == slot_policy::cold) detail::clear_slots(layout, state.pointers());
    if (takes_training)
      if (const status taken = detail::take_training(opened_, state); !taken.ok()) return taken;
    return detail::report_of(layout, opened_, options_);
  }

  /// Binds a state to the bytes of the file, so that they can be saved again.
  /// @errors foreign_byte_order (big-endian hosts), truncated (the reader was never opened), those
  /// of
  ///         bind_weight()
  status bind_to(const_state_view<Model, Optimizer>& state) const noexcept {
    if constexpr (Host == byte_order::big) return fail(errc::foreign_byte_order);
    if (opened_.section_count == 0) return never_opened();
    const layout_view layout = layout_.view();
    for (std::size_t s = 0; s < opened_.section_count; ++s) {
      for (std::size_t i = 0; i < layout.model.size(); ++i) {
        const status bound = s == 0 ? state.bind_weight(i, weight_bytes(i))
                                    : state.bind_slot(s - 1, i, slot_bytes(s - 1, i));
        if (!bound.ok()) return bound;
      }
    }
    state.training = opened_.training;
    return {};
  }

 private:
  reader(const layout_type& known, bytes_view whole, const detail::opened_file& checked,
         const read_options& accepted) noexcept
      : layout_(known), file_(whole), opened_(checked), options_(accepted) {}

  /// A reader that was not made by `open()` has no bytes to give.
  [[nodiscard]] status never_opened() const noexcept {
    return fail(errc::truncated, layout_.view().file_bytes, 0);
  }

  [[nodiscard]] status check_payload(std::size_t section, std::size_t index) const noexcept {
    return detail::check_checksum(opened_.manifest, section, index, bytes(section, index),
                                  opened_.offset(section, index));
  }

  [[nodiscard]] bool has(std::size_t section, std::size_t index) const noexcept {
    return section <= Optimizer::slot_count && section < opened_.section_count &&
           index < layout_.view().model.size();
  }

  [[nodiscard]] bytes_view bytes(std::size_t section, std::size_t index) const noexcept {
    const layout_view layout = layout_.view();
    if (!has(section, index)) return {};
    const auto size = static_cast<std::size_t>(layout.bytes(section, index));
    if (size == 0) return {};
    return file_.part(static_cast<std::size_t>(opened_.offset(section, index)), size);
  }

  [[nodiscard]] std::size_t width(std::size_t section, std::size_t index) const noexcept {
    const layout_view layout = layout_.view();
    return payload_width(layout.optimizer, section, layout.model[index], index);
  }

  [[nodiscard]] status check_index(std::size_t section, std::size_t index) const noexcept {
    return has(section, index) ? status{}
                               : fail(errc::no_such_tensor, layout_.view().model.size(), index);
  }

  void deliver(std::size_t section, std::size_t index, std::byte* to) const noexcept {
    const bytes_view from = bytes(section, index);
    if (from.empty()) return;
    std::memcpy(to, from.data(), from.size());
    if constexpr (Host == byte_order::big)
      reverse_elements(bytes_span(to, from.size()), width(section, index));
  }

  status copy(std::size_t section, std::size_t index, bytes_span to) const noexcept {
    if (const status known = check_index(section, index); !known.ok()) return known;
    const bytes_view from = bytes(section, index);
    if (to.size() != from.size())
      return fail(errc::buffer_too_small, from.size(), to.size()).about(index);
    deliver(section, index, to.data());
    return {};
  }

  template <class T>
  [[nodiscard]] result<span<const T>> elements(std::size_t section,
                                               std::size_t index) const noexcept {
    if (const status known = check_index(section, index); !known.ok()) return known;
    const layout_view layout = layout_.view();
    const dtype type = payload_type(layout.optimizer, section, layout.model[index], index);
    if (!holds<T>(type)) return fail(errc::wrong_dtype, byte_width(type), sizeof(T)).about(index);
    if (Host == byte_order::big && sizeof(T) > 1)
      return fail(errc::foreign_byte_order).about(index);
    const bytes_view from = bytes(section, index);
    const std::uintptr_t rest = reinterpret_cast<std::uintptr_t>(from.data()) % alignof(T);
    if (rest != 0) return fail(errc::unaligned, 0, rest).about(index);
    return span<const T>(reinterpret_cast<const T*>(from.data()), from.size() / sizeof(T));
  }

  layout_type layout_{};
  bytes_view file_{};
  detail::opened_file opened_{};
  read_options options_{};
};

}  // namespace ckpt

#endif  // CKPT_CODEC_READER_HPP
