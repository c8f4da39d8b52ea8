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
  /// Header, table and manifest of each section but for the checksums, as on disk.
  span<const span<const std::uint32_t>> heads;
  std::uint64_t footer = 0;
  std::uint64_t file_bytes = 0;

  /// Slot sections of the file.
  [[nodiscard]] constexpr std::size_t slot_count() const noexcept { return sections.size() - 1; }

  /// Header, table and manifest of a section but for the checksums, as bytes of the file.
  [[nodiscard]] bytes_view head(std::size_t section) const noexcept {
    return as_bytes(heads[section]);
  }

  /// Bytes that a section stores for a tensor.
  [[nodiscard]] constexpr std::uint64_t bytes(std::size_t section,
                                              std::size_t index) const noexcept {
    return payload_bytes(optimizer, section, model[index], index);
  }
};

}  // namespace ckpt

#endif  // CKPT_LAYOUT_LAYOUT_VIEW_HPP
