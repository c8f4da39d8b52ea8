#ifndef CKPT_FORMAT_ONERT_MICRO_HPP
#define CKPT_FORMAT_ONERT_MICRO_HPP

#include "ckpt/format/dialect.hpp"
#include "ckpt/format/schema1.hpp"

namespace ckpt {

/// The file that onert-micro writes, byte for byte.
///
/// - N counts all tensors of the graph; entry i belongs to tensor i; 0 means not stored.
/// - Payloads follow the model's `visits` (operators from last to first); a model without them is
///   visited by index. A tensor visited twice is stored twice and its table entry names the later
///   copy.
/// - Without slots opt1 and opt2 are 0: SGD, and Adam before its first step.
/// - Every stored tensor has its slots, so a frozen one can only be stored without an optimizer.
///
/// onert-micro itself stores four bytes for each element whatever the dtype; ckpt writes the true
/// size, which is the same for 4-byte types, and reads the other on request
/// (`read_options::four_byte_elements`).
///
/// @source OMCheckpointSaver.cpp of Samsung ONE (onert-micro)
struct onert_micro : schema1::policy<onert_micro> {
  static constexpr name_view name = "onert_micro";
  static constexpr dialect kind = dialect::onert_micro;

  /// None, or Adam's two: onert-micro has no other.
  [[nodiscard]] static constexpr bool holds(std::size_t slot_count) noexcept {
    return slot_count == 0 || slot_count == schema1::max_slot_count;
  }

  /// The entry of an absent tensor is 0.
  static constexpr bool lists_absent = false;

  /// The model's own order, or by index.
  [[nodiscard]] static constexpr visit_list visits(const model_view& model) noexcept {
    if (model.visits.empty()) return {model.size(), true, nullptr};
    return {model.visits.size(), false, model.visits.data()};
  }

  /// Without an absent tensor a file with slots is told from one of onert only by the order of its
  /// payloads, which then must be that of onert.
  /// @errors unstorable_model
  [[nodiscard]] static constexpr status check(const model_view& model,
                                              const optimizer_view& optimizer) noexcept {
    if (optimizer.slot_count == 0) return {};
    bool has_absent = false;
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (model[i].purpose() == role::frozen) return fail(errc::unstorable_model).about(i);
      has_absent = has_absent || model[i].purpose() == role::absent;
    }
    return has_absent || model.visits.empty() ? status{} : fail(errc::unstorable_model);
  }

  /// Without slots opt1 and opt2 are 0.
  static constexpr void fill(span<const section_bounds> sections,
                             schema1::header& fields) noexcept {
    if (sections.size() <= schema1::max_slot_count) return;
    fields.opt1 = static_cast<std::uint32_t>(sections[1].begin);
    fields.opt2 = static_cast<std::uint32_t>(sections[2].begin);
  }
};

}  // namespace ckpt

#endif  // CKPT_FORMAT_ONERT_MICRO_HPP
