#ifndef CKPT_FORMAT_ONERT_HPP
#define CKPT_FORMAT_ONERT_HPP

#include "ckpt/format/dialect.hpp"
#include "ckpt/format/schema1.hpp"

namespace ckpt {

/// The file that the onert exporter writes, byte for byte (its state of September 2024 and later).
///
/// - N counts the constant operands, and payloads follow the order of the table.
/// - Without slots opt1 equals the footer's offset and opt2 is 0; with one slot opt2 is 0.
/// - A tensor without slots has an entry of size 0 in the slot tables: its offset is the one of
///   the next tensor, or the end of the section.
/// - onert itself always writes epoch 0; ckpt writes the epoch it is given.
///
/// @source CheckpointExporter.cc of Samsung ONE (onert)
struct onert : schema1::policy<onert> {
  static constexpr name_view name = "onert";
  static constexpr dialect kind = dialect::onert;

  /// Up to two.
  [[nodiscard]] static constexpr bool holds(std::size_t slot_count) noexcept {
    return slot_count <= schema1::max_slot_count;
  }

  /// An absent tensor has an entry of size 0.
  static constexpr bool lists_absent = true;

  /// By index, whatever the model's own order is.
  [[nodiscard]] static constexpr visit_list visits(const model_view& model) noexcept {
    return {model.size(), true, nullptr};
  }

  /// Takes every model.
  [[nodiscard]] static constexpr status check(const model_view&, const optimizer_view&) noexcept {
    return {};
  }

  /// Without slots opt1 is the end of the weights, opt2 without a second slot 0.
  static constexpr void fill(span<const section_bounds> sections,
                             schema1::header& fields) noexcept {
    fields.opt1 = static_cast<std::uint32_t>(sections[0].end);
    if (sections.size() > 2) fields.opt2 = static_cast<std::uint32_t>(sections[2].begin);
  }
};

}  // namespace ckpt

#endif  // CKPT_FORMAT_ONERT_HPP
