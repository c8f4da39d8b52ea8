#ifndef CKPT_FORMAT_DETECT_MANIFEST_HPP
#define CKPT_FORMAT_DETECT_MANIFEST_HPP

#include "ckpt/base/result.hpp"
#include "ckpt/format/file_map.hpp"
#include "ckpt/format/manifest_view.hpp"
#include "ckpt/format/onert_plus.hpp"

/// Finds the parts of files that have a manifest: schema 1 with one in the gap, and schema 2.
namespace ckpt::detail {

/// The bytes behind the weight table, as far as they are known.
[[nodiscard]] constexpr bytes_view behind_table(bytes_view head, std::uint32_t count) noexcept {
  const std::uint64_t at = schema1::header_bytes + std::uint64_t{4} * count;
  if (at >= head.size()) return {};
  return head.part(static_cast<std::size_t>(at), head.size() - static_cast<std::size_t>(at));
}

/// The smallest offset in the weight table that is not 0, or `no_offset`.
[[nodiscard]] constexpr std::uint64_t first_payload(bytes_view head, std::uint32_t count) noexcept {
  std::uint64_t first = no_offset;
  for (std::size_t i = 0; i < count; ++i) {
    const auto entry =
        load_little<std::uint32_t>(head.data() + schema1::header_bytes + std::size_t{4} * i);
    if (entry != 0 && entry < first) first = entry;
  }
  return first;
}

/// Whether a file of schema 1 has a manifest.
enum class manifest_trace : std::uint8_t {
  none,
  whole,
  damaged
};

/// Looks for a manifest behind the weight table. Where the table leaves a gap, the magic decides.
/// Where it leaves none, the bytes are a tensor that looks like a manifest, or the table is
/// damaged: then the numbers in it decide, too. A gap may be a dead copy of onert-micro, so
/// something that is nearly a manifest, or not in its place, counts as a damaged one.
[[nodiscard]] constexpr manifest_trace find_manifest(const schema1::header& fields,
                                                     bytes_view head) noexcept {
  const bytes_view gap = behind_table(head, fields.tensor_count);
  if (gap.empty()) return manifest_trace::none;  // not all of the table need be known
  const std::uint64_t table_end = schema1::header_bytes + std::uint64_t{4} * fields.tensor_count;
  const std::uint64_t first = first_payload(head, fields.tensor_count);
  if (manifest::begins_at(gap)) {
    const manifest::header said = manifest::read_header(gap.data());
    const bool is_sound =
        manifest::check_header(said).ok() && said.tensor_count == fields.tensor_count;
    return first > table_end || is_sound ? manifest_trace::whole : manifest_trace::none;
  }
  const std::uint64_t room = first > table_end ? first - table_end : 0;
  for (std::size_t at = 0; at < room && at + manifest::header_bytes <= gap.size(); at += 4)
    if (manifest::bits_from_magic(gap.data() + at) <= (at == 0 ? 4U : 0U))
      return manifest_trace::damaged;
  return manifest_trace::none;
}

/// Where the sections of a file with a manifest begin and end, by its header.
[[nodiscard]] constexpr status map_plus_sections(const schema1::header& fields,
                                                 file_map& map) noexcept {
  const std::uint64_t starts[] = {0, fields.opt1, fields.opt2, fields.other};
  const bool is_plain_micro = map.kind == dialect::onert_micro_plus && map.slot_count == 0;
  for (std::size_t s = 0; s <= map.slot_count; ++s) {
    section_bounds& bounds = map.sections[s];
    bounds.begin = starts[s];
    bounds.table = s == 0 ? schema1::header_bytes : bounds.begin;
    cursor at(s == 0 ? map.head_bytes() : bounds.table + map.table_bytes());
    at.align(schema1::plus_alignment);
    bounds.payload = at.position();
    bounds.end = s == map.slot_count && (s > 0 || is_plain_micro) ? map.footer : starts[s + 1];
    if (bounds.payload > bounds.end || bounds.end > map.footer)
      return fail(errc::bad_section, bounds.payload, bounds.end).in(numbered_section(s));
  }
  const std::uint64_t tail = map.kind == dialect::onert_plus
                                 ? onert_plus::tail_bytes(map.tensor_count, map.slot_count)
                                 : 0;
  const std::uint64_t end = map.sections[map.slot_count].end;
  if (end + tail != map.footer)
    return fail(errc::bad_section, end + tail, map.footer).in(section::footer).at(12);
  return {};
}

/// The map of a file of schema 1 that has a manifest.
/// @errors truncated, trailing_bytes, unsupported_version, bad_manifest, bad_section
[[nodiscard]] constexpr result<file_map> map_plus(const schema1::header& fields, bytes_view head,
                                                  bool is_scattered,
                                                  std::uint64_t file_bytes) noexcept {
  const manifest::header said =
      manifest::read_header(behind_table(head, fields.tensor_count).data());
  if (const status sound = manifest::check_header(said); !sound.ok()) return sound;
  if (said.tensor_count != fields.tensor_count || said.slot_count > schema1::max_slot_count)
    return fail(errc::bad_manifest, fields.tensor_count, said.tensor_count).in(section::manifest);
  const std::uint64_t needed = std::uint64_t{fields.other} + schema1::footer_bytes;
  if (needed != file_bytes)
    return fail(needed > file_bytes ? errc::truncated : errc::trailing_bytes, needed, file_bytes)
        .in(section::header)
        .at(12);
  file_map map;
  map.kind = is_scattered ? dialect::onert_micro_plus : dialect::onert_plus;
  map.is_scattered = is_scattered;
  map.has_footer = true;
  map.tensor_count = fields.tensor_count;
  map.slot_count = said.slot_count;
  map.file_bytes = file_bytes;
  map.footer = fields.other;
  map.manifest = schema1::header_bytes + map.table_bytes();
  map.manifest_bytes = said.total_bytes;
  if ((map.slot_count < 2) != (fields.opt2 == 0))
    return fail(errc::bad_section, map.slot_count, fields.opt2).in(section::header).at(8);
  if (const status placed = map_plus_sections(fields, map); !placed.ok()) return placed;
  return map;
}

/// Whether the offsets in a header of schema 2 follow each other inside of the file.
[[nodiscard]] constexpr status check_schema2(const schema2::header& fields,
                                             std::uint64_t tables_end,
                                             std::uint64_t file_bytes) noexcept {
  const status bad = fail(errc::bad_header).in(section::header);
  if (fields.file_bytes != file_bytes)
    return fail(fields.file_bytes > file_bytes ? errc::truncated : errc::trailing_bytes,
                fields.file_bytes, file_bytes)
        .in(section::header)
        .at(16);
  if (fields.required_features != 0)
    return fail(errc::unsupported_feature, 0, fields.required_features).in(section::header).at(44);
  const std::uint32_t alignment = fields.alignment;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > schema2::max_alignment)
    return bad.at(12);
  if (fields.manifest < tables_end || fields.manifest >= file_bytes || fields.manifest % 4 != 0)
    return bad.at(24);
  if (fields.state < fields.manifest || fields.state > file_bytes) return bad.at(32);
  if (fields.state_bytes != file_bytes - fields.state || fields.state_bytes < schema2::state_bytes)
    return bad.at(40);
  return {};
}

/// The map of a file of schema 2.
/// @errors truncated, trailing_bytes, unsupported_feature, unsupported_version, bad_header,
///         bad_manifest
[[nodiscard]] constexpr result<file_map> map_schema2(bytes_view head,
                                                     std::uint64_t file_bytes) noexcept {
  if (head.size() < schema2::header_bytes)
    return fail(errc::truncated, schema2::header_bytes, file_bytes).in(section::header);
  const schema2::header fields = schema2::read_header(head.data());
  file_map map;
  map.kind = dialect::v2;
  map.is_wide = true;
  map.has_footer = true;
  map.tensor_count = fields.tensor_count;
  map.slot_count = fields.slot_count;
  map.alignment = fields.alignment;
  map.file_bytes = file_bytes;
  const std::uint64_t tables = product(map.table_bytes(), std::uint64_t{1} + fields.slot_count);
  const status sound = check_schema2(
      fields, tables > file_bytes ? overflowed : schema2::header_bytes + tables, file_bytes);
  if (!sound.ok()) return sound;
  map.footer = fields.state;
  map.footer_bytes = fields.state_bytes;
  map.manifest = fields.manifest;
  map.sections[0] = {0, schema2::header_bytes, fields.manifest, fields.state};
  if (head.size() < fields.manifest + manifest::header_bytes) return map;
  const auto first = static_cast<std::size_t>(fields.manifest);
  if (!manifest::begins_at(head.part(first, head.size() - first)))
    return fail(errc::bad_manifest).in(section::manifest).at(first);
  const manifest::header said = manifest::read_header(head.data() + first);
  if (const status agrees = manifest::check_header(said); !agrees.ok()) return agrees;
  const std::uint64_t end = map.manifest + said.total_bytes;
  if (said.tensor_count != map.tensor_count || said.slot_count != map.slot_count ||
      end > fields.state)
    return fail(errc::bad_manifest, fields.state, end).in(section::manifest).at(first);
  map.manifest_bytes = said.total_bytes;
  map.sections[0].payload = end;
  return map;
}

}  // namespace ckpt::detail

#endif  // CKPT_FORMAT_DETECT_MANIFEST_HPP
