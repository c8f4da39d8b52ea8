#ifndef CKPT_CODEC_PARTIAL_COPY_HPP
#define CKPT_CODEC_PARTIAL_COPY_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/codec/contents.hpp"
#include "ckpt/codec/partial_report.hpp"
#include "ckpt/model/check.hpp"

namespace ckpt {

namespace detail {

/// The bytes of the file that fill one weight or slot of a loaded tensor.
[[nodiscard]] constexpr bytes_view bytes_for(const contents_view& source, const match_plan& plan,
                                             const match_entry& entry,
                                             std::size_t section) noexcept {
  const auto size = static_cast<std::size_t>(plan.model().bytes(section, entry.in_model));
  const std::size_t from = section == 0 ? 0 : 1 + plan.file_slot(section - 1);
  const bytes_view whole = source.bytes(from, entry.in_file);
  if (size == 0 || size == whole.size()) return whole.part(0, size);
  const std::uint64_t rows = source.form(from, entry.in_file).extents()[0];
  return whole.part(static_cast<std::size_t>(whole.size() / rows * entry.first_row), size);
}

/// Sections of the model that a load fills or clears.
[[nodiscard]] constexpr std::size_t sections_touched(const match_plan& plan) noexcept {
  return plan.slots() == slot_rule::untouched ? 1 : 1 + plan.model().optimizer.slot_count;
}

/// All that will be touched must be bound, before any of it is.
/// @errors unbound_tensor
[[nodiscard]] constexpr status check_targets(const match_plan& plan,
                                             const std::byte* const* pointers) noexcept {
  const match_side& model = plan.model();
  for (const match_entry& entry : plan.loaded()) {
    for (std::size_t s = 0; s < sections_touched(plan); ++s) {
      const std::uint64_t size = model.bytes(s, entry.in_model);
      if (size == 0 || pointers[s * model.model.size() + entry.in_model] != nullptr) continue;
      return fail(errc::unbound_tensor, size, 0).in(numbered_section(s)).about(entry.in_model);
    }
  }
  return {};
}

/// Fills or clears one weight or slot.
template <byte_order Host>
void deliver(const contents_view& source, const match_entry& entry, std::size_t section,
             bytes_span to, partial_report& report) noexcept {
  if (section != 0 && report.slots() == slot_rule::cold) {
    std::memset(to.data(), 0, to.size());
    report.cold_bytes += to.size();
    return;
  }
  const bytes_view from = bytes_for(source, report, entry, section);
  std::memcpy(to.data(), from.data(), to.size());
  if constexpr (Host == byte_order::big)
    reverse_elements(to, byte_width(report.model().form(section, entry.in_model).type()));
  (section == 0 ? report.weight_bytes : report.slot_bytes) += to.size();
}

/// Fills the tensors that a plan loads. All checks are done.
template <byte_order Host>
void deliver_all(const contents_view& source, std::byte* const* pointers,
                 partial_report& report) noexcept {
  const match_side& model = report.model();
  for (std::size_t s = 0; s < sections_touched(report); ++s) {
    for (const match_entry& entry : report.loaded()) {
      const auto size = static_cast<std::size_t>(model.bytes(s, entry.in_model));
      std::byte* const to = pointers[s * model.model.size() + entry.in_model];
      if (size != 0) deliver<Host>(source, entry, s, bytes_span(to, size), report);
    }
  }
}

/// Whether the state becomes the one whose step and epoch the file has.
[[nodiscard]] constexpr bool makes_whole(const match_plan& plan) noexcept {
  if (plan.slots() == slot_rule::untouched) return false;
  if (!plan.missing().empty() || !plan.mismatched().empty()) return false;
  for (const match_entry& entry : plan.loaded())
    if (entry.has_row_rule) return false;
  for (const match_entry& entry : plan.excluded())
    if (entry.in_model != no_tensor) return false;
  return true;
}

[[nodiscard]] constexpr bool takes_training(const match_plan& plan) noexcept {
  if (plan.training() == training_rule::when_whole) return makes_whole(plan);
  return plan.training() == training_rule::always;
}

/// What the compiler has matched must be what the file holds.
/// @errors count_mismatch, name_mismatch, optimizer_mismatch, dtype_mismatch, shape_mismatch,
///         role_mismatch
[[nodiscard]] constexpr status check_is(const contents_view& source,
                                        const match_side& wanted) noexcept {
  if (source.model.size() != wanted.model.size())
    return fail(errc::count_mismatch, wanted.model.size(), source.model.size());
  if (source.optimizer.slot_count != wanted.optimizer.slot_count)
    return fail(errc::optimizer_mismatch, wanted.optimizer.slot_count, source.optimizer.slot_count);
  for (std::size_t i = 0; i < wanted.model.size(); ++i) {
    if (source.model[i].name() != wanted.model[i].name()) return fail(errc::name_mismatch).about(i);
    if (source.model[i].purpose() != wanted.model[i].purpose())
      return fail(errc::role_mismatch).about(i);
  }
  for (std::size_t s = 0; s < source.section_count(); ++s) {
    for (std::size_t i = 0; i < wanted.model.size(); ++i) {
      const status same = check_same_form(wanted.form(s, i), source.form(s, i));
      if (!same.ok()) return same.about(i);
    }
  }
  return {};
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_CODEC_PARTIAL_COPY_HPP
