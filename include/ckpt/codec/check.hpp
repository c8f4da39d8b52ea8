#ifndef CKPT_CODEC_CHECK_HPP
#define CKPT_CODEC_CHECK_HPP

#include "ckpt/codec/check_micro.hpp"
#include "ckpt/codec/read_options.hpp"
#include "ckpt/codec/table_view.hpp"

namespace ckpt::detail {

/// Says which tensor is to blame for an entry that is not where it should be.
[[nodiscard]] constexpr status blame_order(const layout_view& layout, std::size_t section,
                                           const table_view& table, std::size_t index,
                                           std::uint64_t wanted) noexcept {
  for (std::size_t i = index == 0 ? 0 : index - 1; i <= index; ++i) {
    const std::uint64_t size = layout.bytes(section, i);
    const std::uint64_t extent = extent_of(layout, section, table, i);
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

/// Bytes of a section that no tensor of the model claims.
[[nodiscard]] constexpr std::uint64_t slack_of(const layout_view& layout, std::size_t section,
                                               const section_bounds& bounds) noexcept {
  std::uint64_t slack = bounds.end - bounds.payload;
  for (std::size_t i = 0; i < layout.model.size(); ++i) slack -= layout.bytes(section, i);
  return slack;
}

/// Why a file without a footer cannot be resumed. A draft d2 announces one behind its end: it is
/// also what is left of an Adam file that lost its last 8 bytes, so it counts as cut.
[[nodiscard]] constexpr status blame_missing_footer(const file_map& map) noexcept {
  if (map.kind != dialect::draft_d2) return fail(errc::no_footer).in(section::footer);
  return fail(errc::truncated, map.file_bytes + schema1::footer_bytes, map.file_bytes)
      .in(section::footer)
      .at(map.file_bytes);
}

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
  if (!map.has_footer) return blame_missing_footer(map);
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
    const status checked = map.is_scattered ? scattered_check(layout, s, table, options).run()
                                            : check_ordered(layout, s, table);
    if (!checked.ok()) return checked;
  }
  return {};
}

}  // namespace ckpt::detail

#endif  // CKPT_CODEC_CHECK_HPP
