#ifndef CKPT_CODEC_TABLE_VIEW_HPP
#define CKPT_CODEC_TABLE_VIEW_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/format/detect.hpp"
#include "ckpt/layout/layout_view.hpp"

namespace ckpt::detail {

/// The offset table of one section of a file, of which only the entries are in memory.
class table_view {
 public:
  constexpr table_view() noexcept = default;
  constexpr table_view(const file_map& map, std::size_t section, const std::byte* entries) noexcept
      : bounds_(map.sections[section]),
        entries_(entries),
        shift_(map.shift),
        count_(map.tensor_count),
        part_(numbered_section(section)) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr const section_bounds& bounds() const noexcept { return bounds_; }

  /// The entry as it stands in the file; 0 means not stored in onert-micro.
  [[nodiscard]] constexpr std::uint64_t stored(std::size_t index) const noexcept {
    return load_little<std::uint32_t>(entries_ + 4 * index);
  }
  /// Where the tensor begins.
  [[nodiscard]] constexpr std::uint64_t offset(std::size_t index) const noexcept {
    return stored(index) + shift_;
  }

  [[nodiscard]] constexpr bool is_inside(std::size_t index) const noexcept {
    return offset(index) >= bounds_.payload && offset(index) <= bounds_.end;
  }

  /// A failure that is about entry `index`.
  [[nodiscard]] constexpr status blame(std::size_t index, errc kind, std::uint64_t expected,
                                       std::uint64_t found) const noexcept {
    return fail(kind, expected, found).in(part_).about(index).at(bounds_.table + 4 * index);
  }

  [[nodiscard]] constexpr section part() const noexcept { return part_; }

 private:
  section_bounds bounds_{};
  const std::byte* entries_ = nullptr;
  std::uint64_t shift_ = 0;
  std::size_t count_ = 0;
  section part_ = section::weights;
};

/// Bytes from a tensor to the next one that has bytes, or to the end of the section; 0 where
/// another begins at the same place. Takes time proportional to the table.
[[nodiscard]] constexpr std::uint64_t extent_of(const layout_view& layout, std::size_t section,
                                                const table_view& table,
                                                std::size_t index) noexcept {
  const std::uint64_t begin = table.offset(index);
  std::uint64_t next = table.bounds().end;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::uint64_t other = table.offset(i);
    if (i == index || other < begin || other >= next || layout.bytes(section, i) == 0) continue;
    next = other;
  }
  return next - begin;
}

}  // namespace ckpt::detail

#endif  // CKPT_CODEC_TABLE_VIEW_HPP
