#ifndef CKPT_CODEC_CONTENTS_HPP
#define CKPT_CODEC_CONTENTS_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/format/contract.hpp"
#include "ckpt/model/model.hpp"
#include "ckpt/model/optimizer.hpp"
#include "ckpt/model/training_state.hpp"
#include "ckpt/model/values.hpp"

namespace ckpt {

/// Everything that a checkpoint holds, wherever it lies and whatever its container: what loads by
/// name, converters and foreign containers have in common. All tables belong to somebody else.
struct contents_view {
  model_view model;
  optimizer_view optimizer;
  /// The weights, then slot by slot: `payloads[section * model.size() + index]`, little-endian and
  /// row-major at any alignment. Empty where nothing is stored.
  span<const bytes_view> payloads;
  training_state training{};
  values_view values{};

  /// Weights and slots.
  [[nodiscard]] constexpr std::size_t section_count() const noexcept {
    return 1 + optimizer.slot_count;
  }
  /// What section 0 (weights) or 1 + slot stores for a tensor.
  [[nodiscard]] constexpr bytes_view bytes(std::size_t section, std::size_t index) const noexcept {
    return payloads[section * model.size() + index];
  }
  /// Dtype and shape of what a section stores for a tensor.
  [[nodiscard]] constexpr tensor_form form(std::size_t section, std::size_t index) const noexcept {
    return payload_form(optimizer, section, model[index], index);
  }
  /// Name of a slot; empty where the optimizer gives none.
  [[nodiscard]] constexpr name_view slot_name(std::size_t slot) const noexcept {
    return optimizer.slot_name(slot);
  }

  /// Whether every payload has the size that model and optimizer say.
  /// @errors count_mismatch, size_mismatch
  [[nodiscard]] constexpr status check() const noexcept {
    if (payloads.size() != section_count() * model.size())
      return fail(errc::count_mismatch, section_count() * model.size(), payloads.size());
    for (std::size_t s = 0; s < section_count(); ++s) {
      for (std::size_t i = 0; i < model.size(); ++i) {
        const std::uint64_t size = payload_bytes(optimizer, s, model[i], i);
        if (bytes(s, i).size() != size)
          return fail(errc::size_mismatch, size, bytes(s, i).size())
              .in(numbered_section(s))
              .about(i);
      }
    }
    return {};
  }
};

}  // namespace ckpt

#endif  // CKPT_CODEC_CONTENTS_HPP
