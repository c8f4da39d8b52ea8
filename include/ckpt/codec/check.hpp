#ifndef CKPT_CODEC_CHECK_HPP
#define CKPT_CODEC_CHECK_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/codec/read_options.hpp"
#include "ckpt/format/detect.hpp"
#include "ckpt/layout/layout_view.hpp"

namespace ckpt {

/// The offset table of one section of a file, of which only the entries are in memory.
class table_view {
 public:
  constexpr table_view() noexcept = default;
  constexpr table_view(const file_map& map, std::size_t section, const std::byte* entries) noexcept
      : bounds_(map.sections[section]),
        entries_(entries),
        shift_(map.shift),
        count_(map.tensor_count),
        part_(section == 0 ? section::weights : slot_section(section - 1)) {}

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

  /// Bytes from a stored tensor to the next larger offset of the section, or to its end. Of tensors
  /// with equal offsets only the last in index order has bytes.
  [[nodiscard]] constexpr std::uint64_t extent(std::size_t index) const noexcept {
    std::uint64_t next = bounds_.end;
    for (std::size_t i = 0; i < count_; ++i) {
      if (i > index && offset(i) == offset(index)) return 0;
      if (offset(i) > offset(index) && offset(i) < next) next = offset(i);
    }
    return next - offset(index);
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

namespace detail {

/// Says which tensor is to blame for an entry that is not where it should be.
[[nodiscard]] constexpr status blame_order(const layout_view& layout, std::size_t section,
                                           const table_view& table, std::size_t index,
                                           std::uint64_t wanted) noexcept {
  for (std::size_t i = index == 0 ? 0 : index - 1; i <= index; ++i) {
    const std::uint64_t size = layout.bytes(section, i);
    const std::uint64_t extent = table.extent(i);
    if (extent != size) return table.blame(i, errc::size_mismatch, size, extent);
  }
  return table.blame(index, errc::bad_order, wanted, table.offset(index));
}

/// onert: the tensors follow each other in the order of the table.
[[nodiscard]] constexpr status check_ordered(const layout_view& layout, std::size_t section,
                                             const table_view& table) noexcept {
  const section_bounds& bounds = table.bounds();
  for (std::size_t i = 0; i < table.size(); ++i)
    if (!table.is_inside(i))
      return table.blame(i, errc::offset_out_of_range, bounds.end, table.offset(i));
  cursor at(bounds.payload);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::uint64_t wanted = at.take(layout.bytes(section, i));
    if (table.offset(i) != wanted) return blame_order(layout, section, table, i, wanted);
  }
  if (at.position() == bounds.end) return {};
  if (table.size() == 0)
    return fail(errc::unclaimed_bytes, 0, bounds.end - bounds.payload).in(table.part());
  const std::size_t last = table.size() - 1;
  return table.blame(last, errc::size_mismatch, layout.bytes(section, last),
                     bounds.end - table.offset(last));
}

/// Whether onert-micro has stored four bytes for each element of this narrower or wider tensor.
[[nodiscard]] constexpr bool has_four_byte_elements(const layout_view& layout, std::size_t section,
                                                    std::size_t index,
                                                    std::uint64_t extent) noexcept {
  const std::size_t width = payload_width(layout.optimizer, section, layout.model[index]);
  const std::uint64_t size = layout.bytes(section, index);
  return width != 4 && size != 0 && extent == size / width * 4;
}

[[nodiscard]] constexpr status check_extent(const layout_view& layout, std::size_t section,
                                            const table_view& table, std::size_t index,
                                            const read_options& options) noexcept {
  const std::uint64_t size = layout.bytes(section, index);
  const std::uint64_t extent = table.extent(index);
  const bool is_wide = has_four_byte_elements(layout, section, index, extent);
  if (extent < size || (is_wide && !options.four_byte_elements))
    return table.blame(index, errc::size_mismatch, size, extent);
  return {};
}

/// onert-micro: an entry is 0 or inside of the section, as the role of its tensor demands.
[[nodiscard]] constexpr status check_entries(const layout_view& layout, std::size_t section,
                                             const table_view& table) noexcept {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.stored(i) == 0) {
      if (layout.bytes(section, i) == 0) continue;
      return table.blame(i, errc::missing_tensor, layout.bytes(section, i), 0);
    }
    if (!table.is_inside(i))
      return table.blame(i, errc::offset_out_of_range, table.bounds().end, table.offset(i));
    if (layout.model[i].purpose() == role::absent)
      return table.blame(i, errc::unexpected_tensor, 0, table.offset(i));
  }
  return {};
}

/// onert-micro without a known visit order: any order, and dead copies may lie between.
[[nodiscard]] constexpr status check_scattered(const layout_view& layout, std::size_t section,
                                               const table_view& table,
                                               const read_options& options) noexcept {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.stored(i) == 0) continue;
    const status fits = check_extent(layout, section, table, i, options);
    if (!fits.ok()) return fits;
  }
  return {};
}

/// The offset of visit `k` differs from the table: says so unless the table names another copy.
[[nodiscard]] constexpr status blame_visit(const layout_view& layout, std::size_t section,
                                           const table_view& table, std::size_t k,
                                           std::uint64_t wanted) noexcept {
  const span<const std::uint32_t> visits = layout.model.visits;
  cursor at(table.bounds().payload);
  for (std::size_t other = 0; other < visits.size(); ++other) {
    const std::uint64_t copy = at.take(layout.bytes(section, visits[other]));
    if (visits[other] == visits[k] && copy == table.offset(visits[k])) return {};
  }
  return table.blame(visits[k], errc::bad_order, wanted, table.offset(visits[k]));
}

/// onert-micro with a known visit order: every offset is known, and so are the dead copies.
[[nodiscard]] constexpr status check_visited(const layout_view& layout, std::size_t section,
                                             const table_view& table) noexcept {
  const span<const std::uint32_t> visits = layout.model.visits;
  const section_bounds& bounds = table.bounds();
  cursor at(bounds.payload);
  for (std::size_t k = 0; k < visits.size(); ++k) {
    const std::uint64_t bytes = layout.bytes(section, visits[k]);
    const std::uint64_t wanted = at.take(bytes);
    if (bytes == 0 || table.offset(visits[k]) == wanted) continue;
    const status other = blame_visit(layout, section, table, k, wanted);
    if (!other.ok()) return other;
  }
  if (at.position() == bounds.end) return {};
  return fail(errc::unclaimed_bytes, at.position() - bounds.payload, bounds.end - bounds.payload)
      .in(table.part());
}

[[nodiscard]] constexpr status check_micro(const layout_view& layout, std::size_t section,
                                           const table_view& table,
                                           const read_options& options) noexcept {
  const status entries = check_entries(layout, section, table);
  if (!entries.ok()) return entries;
  const status sizes = check_scattered(layout, section, table, options);
  if (!sizes.ok() || layout.model.visits.empty() || options.four_byte_elements) return sizes;
  return check_visited(layout, section, table);
}

/// Bytes of a section that no tensor of the model claims.
[[nodiscard]] constexpr std::uint64_t slack_of(const layout_view& layout, std::size_t section,
                                               const section_bounds& bounds) noexcept {
  std::uint64_t slack = bounds.end - bounds.payload;
  for (std::size_t i = 0; i < layout.model.size(); ++i) slack -= layout.bytes(section, i);
  return slack;
}

}  // namespace detail

/// Whether what the caller asks for is in the file, as far as its map tells.
/// @param own  the dialect of the reader's format
/// @errors unsupported_dialect, dialect_mismatch, count_mismatch, no_footer, no_optimizer_state,
///         optimizer_mismatch
[[nodiscard]] constexpr status check_request(const layout_view& layout, const file_map& map,
                                             dialect own, const read_options& options) noexcept {
  if (map.kind == dialect::wof) return fail(errc::unsupported_dialect).in(section::header);
  if (options.only_own_dialect && map.kind != own)
    return fail(errc::dialect_mismatch).in(section::header);
  if (map.tensor_count != layout.model.size())
    return fail(errc::count_mismatch, layout.model.size(), map.tensor_count)
        .in(section::header)
        .at(16);
  if (options.slots == slot_policy::ignored) return {};
  if (map.kind == dialect::draft_d2)
    return fail(errc::truncated, map.file_bytes + schema1::footer_bytes, map.file_bytes)
        .in(section::footer)
        .at(map.file_bytes);
  if (!map.has_footer) return fail(errc::no_footer).in(section::footer);
  if (options.slots == slot_policy::cold || map.slot_count == layout.slot_count()) return {};
  const errc kind = map.slot_count == 0 ? errc::no_optimizer_state : errc::optimizer_mismatch;
  return fail(kind, layout.slot_count(), map.slot_count).in(section::header).at(4);
}

/// Whether the tables of a file are those of the model.
/// @param tables  the entries of each section's table
/// @errors offset_out_of_range, size_mismatch, bad_order, missing_tensor, unexpected_tensor,
///         unclaimed_bytes
[[nodiscard]] constexpr status check_tables(const layout_view& layout, const file_map& map,
                                            const std::byte* const* tables,
                                            std::size_t section_count,
                                            const read_options& options) noexcept {
  for (std::size_t s = 0; s < section_count; ++s) {
    const table_view table(map, s, tables[s]);
    const status checked = map.skips_tensors ? detail::check_micro(layout, s, table, options)
                                             : detail::check_ordered(layout, s, table);
    if (!checked.ok()) return checked;
  }
  return {};
}

}  // namespace ckpt

#endif  // CKPT_CODEC_CHECK_HPP
