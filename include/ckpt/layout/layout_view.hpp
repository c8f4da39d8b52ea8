#ifndef CKPT_LAYOUT_LAYOUT_VIEW_HPP
#define CKPT_LAYOUT_LAYOUT_VIEW_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/format/contract.hpp"

namespace ckpt {

/// A layout as the codec sees it, whether the compiler knows it or not. It points into the layout
/// that it was asked of.
struct layout_view {
  model_view model;
  optimizer_view optimizer;
  span<const section_bounds> sections;
  span<const std::uint32_t* const> heads;  ///< header and table of each section, as on disk
  std::uint64_t footer = 0;
  std::uint64_t file_bytes = 0;

  /// Slot sections of the file.
  [[nodiscard]] constexpr std::size_t slot_count() const noexcept { return sections.size() - 1; }

  /// Header and table of a section, as bytes of the file.
  [[nodiscard]] bytes_view head(std::size_t section) const noexcept {
    const section_bounds& bounds = sections[section];
    return as_bytes(span<const std::uint32_t>(
        heads[section], static_cast<std::size_t>((bounds.payload - bounds.begin) / 4)));
  }

  /// Bytes that a section stores for a tensor.
  [[nodiscard]] constexpr std::uint64_t bytes(std::size_t section,
                                              std::size_t index) const noexcept {
    return payload_bytes(optimizer, section, model[index]);
  }
};

}  // namespace ckpt

#endif  // CKPT_LAYOUT_LAYOUT_VIEW_HPP
