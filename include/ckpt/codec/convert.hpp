#ifndef CKPT_CODEC_CONVERT_HPP
#define CKPT_CODEC_CONVERT_HPP

#include <array>

#include "ckpt/codec/contents.hpp"
#include "ckpt/codec/write_file.hpp"
#include "ckpt/layout/dynamic_layout.hpp"
#include "ckpt/model/check.hpp"
#include "ckpt/model/match_plan.hpp"

/// From any checkpoint to any other: rearrange what one holds into the shape of another, then write
/// that in a format. Bytes are never copied on the way, and never changed.
namespace ckpt {

/// What may change on the way from one checkpoint to another. The default changes nothing.
struct convert_rules {
  /// Slots that the source does not have start at zero (SGD to Adam).
  bool zero_missing_slots = false;
  /// Slots that the target does not have are left out (Adam to SGD).
  bool drop_extra_slots = false;
  /// Stored tensors that the target does not have are left out.
  bool drop_extra_tensors = false;
  /// Everything but step and epoch is left out, for formats that hold no more.
  bool drop_training_state = false;
};

namespace detail {

/// Whether all slots of the source go somewhere, and all slots of the target come from somewhere.
/// @errors no_optimizer_state, optimizer_mismatch
[[nodiscard]] constexpr status check_slots(const optimizer_view& source,
                                           const optimizer_view& target,
                                           const convert_rules& rules) noexcept {
  std::size_t used = 0;
  for (std::size_t s = 0; s < target.slot_count; ++s) {
    if (slot_in_file(source, target, s) != npos) {
      ++used;
    } else if (!rules.zero_missing_slots) {
      const errc kind =
          source.slot_count == 0 ? errc::no_optimizer_state : errc::optimizer_mismatch;
      return fail(kind, target.slot_count, source.slot_count).in(slot_section(s));
    }
  }
  if (used == source.slot_count || rules.drop_extra_slots) return {};
  return fail(errc::optimizer_mismatch, target.slot_count, source.slot_count);
}

/// Every stored tensor of the source must be asked for, and none twice.
/// @errors no_such_tensor, duplicate_name, unexpected_tensor
[[nodiscard]] constexpr status check_used(const contents_view& source,
                                          span<const std::uint32_t> from,
                                          const convert_rules& rules,
                                          span<bytes_view> marks) noexcept {
  for (std::size_t i = 0; i < source.model.size(); ++i) marks[i] = {};
  constexpr std::byte used{};
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == no_tensor) continue;
    if (from[i] >= source.model.size())
      return fail(errc::no_such_tensor, source.model.size(), from[i]).about(i);
    if (!marks[from[i]].empty()) return fail(errc::duplicate_name).about(i);
    marks[from[i]] = bytes_view(&used, 1);
  }
  for (std::size_t i = 0; i < source.model.size(); ++i)
    if (marks[i].empty() && source.model[i].purpose() != role::absent && !rules.drop_extra_tensors)
      return fail(errc::unexpected_tensor).about(i);
  return {};
}

/// The section of the source that a section of the target comes from, or `npos`.
[[nodiscard]] constexpr std::size_t source_section(const contents_view& source,
                                                   const contents_view& target,
                                                   std::size_t section) noexcept {
  if (section == 0) return 0;
  const std::size_t slot = slot_in_file(source.optimizer, target.optimizer, section - 1);
  return slot == npos ? npos : 1 + slot;
}

/// Where the bytes of one payload of the target come from.
/// @errors missing_tensor, role_mismatch (the source stores what the target does not), those of
///         contents_view::check(), dtype_mismatch, shape_mismatch, buffer_too_small (zeros)
[[nodiscard]] constexpr result<bytes_view> take_payload(const contents_view& source,
                                                        const contents_view& target,
                                                        std::size_t section, std::size_t index,
                                                        std::uint32_t from,
                                                        bytes_view zeros) noexcept {
  const std::uint64_t size = payload_bytes(target.optimizer, section, target.model[index], index);
  const std::size_t origin = source_section(source, target, section);
  if (size == 0) {
    const bool is_lost = from != no_tensor && origin != npos && !source.bytes(origin, from).empty();
    if (is_lost) return fail(errc::role_mismatch);
    return bytes_view{};
  }
  if (from == no_tensor) return fail(errc::missing_tensor);
  if (origin == npos) {
    if (size > zeros.size()) return fail(errc::buffer_too_small, size, zeros.size());
    return zeros.part(0, static_cast<std::size_t>(size));
  }
  const status same = check_same_form(target.form(section, index), source.form(origin, from));
  if (!same.ok()) return same;
  const bytes_view bytes = source.bytes(origin, from);
  if (bytes.size() != size) return fail(errc::size_mismatch, size, bytes.size());
  return bytes;
}

}  // namespace detail

/// Arranges what a checkpoint holds for another model and optimizer. The result views the bytes of
/// the source.
/// @param from  for each tensor of `model` the index of the source, `no_tensor` for none
/// @param payloads  memory for `(1 + slots) x tensors` of the target, and at least for one a tensor
///        of the source
/// @param zeros  as many zero bytes as the largest slot that starts at zero
/// @errors no_optimizer_state, optimizer_mismatch, no_such_tensor, duplicate_name (a source tensor
///         is asked for twice), unexpected_tensor, missing_tensor, role_mismatch (the target does
///         not store what the source does), dtype_mismatch, shape_mismatch, size_mismatch,
///         buffer_too_small, count_mismatch
[[nodiscard]] constexpr result<contents_view> rearrange(
    const contents_view& source, const model_view& model, const optimizer_view& optimizer,
    span<const std::uint32_t> from, const convert_rules& rules, span<bytes_view> payloads,
    bytes_view zeros) noexcept {
  contents_view target = source;
  target.model = model;
  target.optimizer = optimizer;
  if (from.size() != model.size()) return fail(errc::count_mismatch, model.size(), from.size());
  const std::size_t count = target.section_count() * model.size();
  if (payloads.size() < count || payloads.size() < source.model.size())
    return fail(errc::buffer_too_small, count, payloads.size());
  const status slots = detail::check_slots(source.optimizer, optimizer, rules);
  if (!slots.ok()) return slots;
  const status used = detail::check_used(source, from, rules, payloads);
  if (!used.ok()) return used;
  for (std::size_t s = 0; s < target.section_count(); ++s) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      const auto bytes = detail::take_payload(source, target, s, i, from[i], zeros);
      if (!bytes.ok()) return bytes.error().in(numbered_section(s)).about(i);
      payloads[s * model.size() + i] = *bytes;
    }
  }
  target.payloads = span<const bytes_view>(payloads.data(), count);
  if (rules.drop_training_state) {
    target.training = {source.training.step, source.training.epoch};
    target.values = {};
  }
  return target;
}

/// Memory that the layout of run-time contents needs: one `sections` and one `heads` a section, and
/// `words_for_contents()` words.
struct layout_memory {
  span<section_bounds> sections;
  span<span<const std::uint32_t>> heads;
  span<std::uint32_t> words;
};

/// Words of `layout_memory` that contents need in a format.
template <class Format>
[[nodiscard]] constexpr std::size_t words_for_contents(const contents_view& contents) noexcept {
  return detail::words_needed<Format>(contents.model, contents.optimizer);
}

/// Lays contents out in a format; the layout points into `memory`.
/// @errors optimizer_mismatch (more slots than the format holds), buffer_too_small, those of
///         contents_view::check() and of layout::make()
template <class Format>
[[nodiscard]] result<layout_view> lay_out_contents(const contents_view& contents,
                                                   const layout_memory& memory) noexcept {
  const std::size_t count = contents.section_count();
  if (!Format::holds(contents.optimizer.slot_count))
    return fail(errc::optimizer_mismatch, Format::holds(2) ? 2 : 0, contents.optimizer.slot_count);
  if (const status sound = contents.check(); !sound.ok()) return sound;
  if (memory.sections.size() < count || memory.heads.size() < count)
    return fail(errc::buffer_too_small, count, memory.sections.size());
  const span<section_bounds> sections(memory.sections.data(), count);
  const result<file_end> end = detail::lay_out<Format>(contents.model, contents.optimizer, sections,
                                                       memory.heads.data(), memory.words);
  if (!end.ok()) return end.error();
  layout_view made;
  made.model = contents.model;
  made.optimizer = contents.optimizer;
  made.sections = span<const section_bounds>(sections.data(), count);
  made.heads = span<const span<const std::uint32_t>>(memory.heads.data(), count);
  made.footer = end->footer;
  made.file_bytes = end->file_bytes;
  return made;
}

/// Sends contents to a sink in the format that they were laid out for.
/// @errors counter_out_of_range, unstorable_values, whatever the sink reports
template <class Format, class Sink>
status write_contents(const contents_view& contents, const layout_view& known, Sink& sink) {
  static_assert(is_sink_v<Sink>,
                "ckpt: a sink has `status append(bytes_view)` and `status flush()` "
                "(see ckpt/base/io_contract.hpp)");
  std::array<std::byte, Format::footer_bytes> footer{};
  const status counters =
      Format::write_footer(contents.training, contents.values, bytes_span(footer));
  if (!counters.ok()) return counters;
  const auto payloads = [&contents](std::size_t section, std::size_t index) noexcept {
    return contents.bytes(section, index);
  };
  // Payloads of contents have the order of the file already, whatever the host's is.
  return detail::write_file<Format, byte_order::little>(known, bytes_view(footer), payloads, sink);
}

}  // namespace ckpt

#endif  // CKPT_CODEC_CONVERT_HPP
