#ifndef CKPT_FORMAT_DETECT_HPP
#define CKPT_FORMAT_DETECT_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/format/detect_manifest.hpp"
#include "ckpt/format/file_map.hpp"

namespace ckpt {

namespace detail {

/// Whether magic and schema are those of schema 2.
[[nodiscard]] constexpr bool is_schema2(bytes_view head) noexcept {
  return head.size() >= 3 && load_little<std::uint16_t>(head.data()) == schema1::magic &&
         load_little<std::uint8_t>(head.data() + 2) == schema2::schema;
}

[[nodiscard]] constexpr status check_identity(bytes_view head, std::uint64_t file_bytes) noexcept {
  if (head.size() >= 2) {
    const auto magic = load_little<std::uint16_t>(head.data());
    if (magic != schema1::magic)
      return fail(errc::not_a_checkpoint, schema1::magic, magic).in(section::header).at(0);
  }
  if (head.size() >= 3) {
    const auto schema = load_little<std::uint8_t>(head.data() + 2);
    // Schema 2 has been dealt with; it is the newest that can be read.
    if (schema != schema1::schema)
      return fail(errc::unsupported_version, schema2::schema, schema).in(section::header).at(2);
  }
  if (file_bytes < schema1::header_bytes || head.size() < schema1::header_bytes)
    return fail(errc::truncated, schema1::header_bytes, file_bytes).in(section::header);
  const auto reserved = load_little<std::uint8_t>(head.data() + 3);
  if (reserved != 0) return fail(errc::bad_header, 0, reserved).in(section::header).at(3);
  return {};
}

/// The n that a WOF file has at byte 4, if this is one: its first stored tensor follows the table
/// at byte 8. An onert file can look so only with slots that are larger than their weights.
[[nodiscard]] constexpr std::uint32_t wof_count(bytes_view head) noexcept {
  const auto count = load_little<std::uint32_t>(head.data() + 4);
  const std::uint64_t payload = 8 + std::uint64_t{4} * count;
  for (std::uint64_t at = 8; at < payload && at + 4 <= head.size(); at += 4) {
    const auto entry = load_little<std::uint32_t>(head.data() + static_cast<std::size_t>(at));
    if (entry != 0) return entry == payload ? count : 0;
  }
  return 0;
}

/// Whether the header fits a checkpoint so well that it cannot be a WOF by chance: the footer ends
/// the file, and the first slot section follows a weight table.
[[nodiscard]] constexpr bool ends_with_footer(bytes_view head, std::uint64_t file_bytes) noexcept {
  if (head.size() < schema1::header_bytes) return false;
  const schema1::header fields = schema1::read_header(head.data());
  return fields.tensor_count != 0 && std::uint64_t{fields.other} + 8 == file_bytes &&
         fields.opt1 >= schema1::header_bytes + std::uint64_t{4} * fields.tensor_count;
}

[[nodiscard]] constexpr result<file_map> map_wof(std::uint32_t count,
                                                 std::uint64_t file_bytes) noexcept {
  const std::uint64_t payload = 8 + std::uint64_t{4} * count;
  if (payload > file_bytes)
    return fail(errc::truncated, payload, file_bytes).in(section::weights).at(4);
  file_map map;
  map.kind = dialect::wof;
  map.is_scattered = true;
  map.tensor_count = count;
  map.file_bytes = file_bytes;
  map.sections[0] = {0, 8, payload, file_bytes};
  return map;
}

/// Lays the sections end to end as the header says, and checks that each has room for its table.
[[nodiscard]] constexpr status map_sections(const schema1::header& fields, file_map& map) noexcept {
  const std::uint64_t table_bytes = std::uint64_t{4} * map.tensor_count;
  const std::uint64_t end = map.footer == no_offset ? map.file_bytes : map.footer;
  const std::uint64_t starts[] = {0, fields.opt1, fields.opt2};
  std::uint64_t least = 0;
  for (std::size_t s = 0; s <= map.slot_count; ++s) {
    section_bounds& bounds = map.sections[s];
    if (starts[s] < least)
      return fail(errc::bad_section, least, starts[s]).in(slot_section(s - 1)).at(4 * s);
    bounds.begin = starts[s];
    bounds.table = s == 0 ? schema1::header_bytes : bounds.begin;
    bounds.payload = bounds.table + table_bytes;
    bounds.end = s < map.slot_count ? starts[s + 1] : end;
    least = bounds.payload;
    if (bounds.end >= bounds.payload) continue;
    if (s < map.slot_count)
      return fail(errc::bad_section, least, bounds.end).in(slot_section(s)).at(4 * (s + 1));
    return fail(errc::bad_section, least, bounds.end).in(section::footer).at(12);
  }
  return {};
}

/// Whether the weight table leaves a tensor out, as every file of onert-micro does: a graph's input
/// is never stored.
[[nodiscard]] constexpr bool has_zero_entry(bytes_view head, std::uint32_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = schema1::header_bytes + 4 * i;
    if (at + 4 > head.size()) return false;
    if (load_little<std::uint32_t>(head.data() + at) == 0) return true;
  }
  return false;
}

[[nodiscard]] constexpr dialect draft_without_end(const schema1::header& fields,
                                                  bytes_view head) noexcept {
  if (fields.opt1 != 0 || fields.opt2 != 0) return dialect::draft_d1;
  const bool has_entry = fields.tensor_count > 0 && head.size() >= schema1::header_bytes + 4;
  const bool forgets_table =
      has_entry &&
      load_little<std::uint32_t>(head.data() + schema1::header_bytes) == schema1::header_bytes;
  return forgets_table ? dialect::draft_d3 : dialect::draft_d0;
}

/// Decides the dialect, and with it whether there is a footer.
[[nodiscard]] constexpr status classify(const schema1::header& fields, bytes_view head,
                                        bool skips_tensors, file_map& map) noexcept {
  const std::uint64_t needed = std::uint64_t{fields.other} + schema1::footer_bytes;
  if (fields.other == 0) {
    map.kind = draft_without_end(fields, head);
    if (map.kind == dialect::draft_d3) map.shift = std::uint64_t{4} * map.tensor_count;
    return {};
  }
  if (fields.other == map.file_bytes && fields.opt1 != 0 && fields.opt2 != 0) {
    map.kind = dialect::draft_d2;
    return {};
  }
  if (needed > map.file_bytes)
    return fail(errc::truncated, needed, map.file_bytes).in(section::header).at(12);
  if (needed < map.file_bytes)
    return fail(errc::trailing_bytes, needed, map.file_bytes).in(section::header).at(12);
  map.has_footer = true;
  map.footer = fields.other;
  if (map.tensor_count == 0 && fields.opt1 == 0) {
    map.kind = dialect::onert_v0;
  } else if (skips_tensors) {
    map.kind = dialect::onert_micro;
  }
  return {};
}

}  // namespace detail

/// Tells the dialect of a file, and where its sections are, from its bytes alone.
/// @param head  the file from its first byte to 48 bytes behind its weight table (so that a
/// manifest
///        shows), or the whole file if that is shorter; more does no harm. Of schema 2 the 64 bytes
///        in front will do: without the first 48 bytes of the manifest, its length stays 0.
/// @param file_bytes  size of the whole file
/// @errors truncated, trailing_bytes, not_a_checkpoint, unsupported_version, bad_header,
///         bad_section, bad_manifest, unsupported_feature
[[nodiscard]] constexpr result<file_map> detect(bytes_view head,
                                                std::uint64_t file_bytes) noexcept {
  if (detail::is_schema2(head)) return detail::map_schema2(head, file_bytes);
  const status identity = detail::check_identity(head, file_bytes);
  if (!identity.ok() && identity.kind != errc::truncated) return identity;
  if (head.size() >= 12 && !detail::ends_with_footer(head, file_bytes))
    if (const std::uint32_t count = detail::wof_count(head); count != 0)
      return detail::map_wof(count, file_bytes);
  if (!identity.ok()) return identity;

  const schema1::header fields = schema1::read_header(head.data());
  const std::uint64_t table_end = schema1::header_bytes + std::uint64_t{4} * fields.tensor_count;
  if (table_end > file_bytes)
    return fail(errc::truncated, table_end, file_bytes).in(section::header).at(16);

  const bool skips_tensors = detail::has_zero_entry(head, fields.tensor_count);
  const bool is_scattered =
      skips_tensors || (fields.opt1 == 0 && fields.opt2 == 0 && fields.other != 0);
  const detail::manifest_trace manifest = detail::find_manifest(fields, head);
  if (manifest == detail::manifest_trace::whole)
    return detail::map_plus(fields, head, is_scattered, file_bytes);
  if (manifest == detail::manifest_trace::damaged)
    return fail(errc::bad_manifest).in(section::manifest).at(table_end);
  file_map map;
  map.file_bytes = file_bytes;
  map.tensor_count = fields.tensor_count;
  map.slot_count = schema1::count_slots(fields);
  map.is_scattered = is_scattered;
  if (const status known = detail::classify(fields, head, skips_tensors, map); !known.ok())
    return known;
  if (const status placed = detail::map_sections(fields, map); !placed.ok()) return placed;
  return map;
}

/// The same for a whole file in memory.
[[nodiscard]] constexpr result<file_map> detect(bytes_view file) noexcept {
  return detect(file, file.size());
}

}  // namespace ckpt

#endif  // CKPT_FORMAT_DETECT_HPP
