#ifndef CKPT_CODEC_VERIFY_HPP
#define CKPT_CODEC_VERIFY_HPP

#include "ckpt/codec/check.hpp"
#include "ckpt/codec/opened_file.hpp"
#include "ckpt/codec/visit_check.hpp"

namespace ckpt {

/// What can be said of a file without its model. When `error` is set and the file could at least be
/// named, the map is filled all the same.
struct description {
  bool is_named = false;  ///< dialect and sections are known
  file_map map{};
  training_state training{};  ///< zero where there is no footer
  values_view values{};       ///< keys and values of the user
  manifest::view manifest{};  ///< names, dtypes, shapes, checksums; only where the map has one
  status error{};             ///< the first thing wrong, or ok
};

/// Which slot sizes `verify()` takes for right.
enum class slot_sizes : std::uint8_t {
  like_weights,  ///< a slot is empty or as large as its weight, as SGD, momentum and Adam have it
  any,           ///< any: the optimizer has slots of other shapes
};

namespace detail {

/// Bytes of an entry of a table whose offsets do not fall.
[[nodiscard]] constexpr std::uint64_t ordered_extent(const table_view& table,
                                                     std::size_t index) noexcept {
  const std::uint64_t next =
      index + 1 < table.size() ? table.offset(index + 1) : table.bounds().end;
  return next - table.offset(index);
}

/// onert: the first tensor follows the table, and offsets never fall.
[[nodiscard]] constexpr status verify_ordered(const table_view& table) noexcept {
  const section_bounds& bounds = table.bounds();
  std::uint64_t least = bounds.payload;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!table.is_inside(i))
      return table.blame(i, errc::offset_out_of_range, bounds.end, table.offset(i));
    if (table.offset(i) < least) return table.blame(i, errc::bad_order, least, table.offset(i));
    least = table.offset(i);
  }
  const std::uint64_t first = table.size() == 0 ? bounds.end : table.offset(0);
  if (first != bounds.payload)
    return fail(errc::unclaimed_bytes, 0, first - bounds.payload)
        .in(table.part())
        .at(bounds.payload);
  return {};
}

/// onert-micro: entries are 0 or inside of the section.
[[nodiscard]] constexpr status verify_scattered(const table_view& table) noexcept {
  const section_bounds& bounds = table.bounds();
  bool is_empty = true;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.stored(i) == 0) continue;
    is_empty = false;
    if (!table.is_inside(i))
      return table.blame(i, errc::offset_out_of_range, bounds.end, table.offset(i));
  }
  if (is_empty && bounds.end != bounds.payload)
    return fail(errc::unclaimed_bytes, 0, bounds.end - bounds.payload)
        .in(table.part())
        .at(bounds.payload);
  return {};
}

/// onert: each slot is empty or as large as its weight, and all slots of a tensor are alike.
[[nodiscard]] constexpr status compare_ordered(const table_view& weights, const table_view& first,
                                               const table_view& slot) noexcept {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint64_t weight = ordered_extent(weights, i);
    const std::uint64_t found = ordered_extent(slot, i);
    if (found != 0 && found != weight)
      return slot.blame(i, errc::slot_size_mismatch, weight, found);
    const std::uint64_t sibling = ordered_extent(first, i);
    if (found != sibling) return slot.blame(i, errc::slot_size_mismatch, sibling, found);
  }
  return {};
}

/// onert-micro writes every section in the same order: a slot lies in its section where the weight
/// lies in the first.
[[nodiscard]] constexpr status compare_scattered(const table_view& weights,
                                                 const table_view& slot) noexcept {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint64_t wanted =
        weights.stored(i) == 0
            ? 0
            : weights.stored(i) - weights.bounds().payload + slot.bounds().payload;
    if (slot.stored(i) != wanted) return slot.blame(i, errc::bad_order, wanted, slot.stored(i));
  }
  const std::uint64_t weight_bytes = weights.bounds().end - weights.bounds().payload;
  const std::uint64_t slot_bytes = slot.bounds().end - slot.bounds().payload;
  if (weight_bytes == slot_bytes) return {};
  return fail(errc::slot_size_mismatch, weight_bytes, slot_bytes).in(slot.part());
}

[[nodiscard]] constexpr table_view table_of(bytes_view file, const file_map& map,
                                            std::size_t section) noexcept {
  return table_view(map, section,
                    file.data() + static_cast<std::size_t>(map.sections[section].table));
}

[[nodiscard]] constexpr status verify_tables(bytes_view file, const file_map& map,
                                             slot_sizes sizes) noexcept {
  const bool is_micro = map.is_scattered;
  const table_view weights = table_of(file, map, 0);
  for (std::size_t s = 0; s <= map.slot_count; ++s) {
    const table_view table = table_of(file, map, s);
    const status sound = is_micro ? verify_scattered(table) : verify_ordered(table);
    if (!sound.ok()) return sound;
  }
  if (sizes == slot_sizes::any) return {};
  for (std::size_t s = 1; s <= map.slot_count; ++s) {
    const table_view slot = table_of(file, map, s);
    const status alike = is_micro ? compare_scattered(weights, slot)
                                  : compare_ordered(weights, table_of(file, map, 1), slot);
    if (!alike.ok()) return alike;
  }
  return {};
}

/// What stands against a dialect even if its tables are sound. A file without a footer proves that
/// it is whole only if its slots match its weights (d1).
[[nodiscard]] constexpr status judge(const file_map& map) noexcept {
  if (map.kind == dialect::wof) return fail(errc::unsupported_dialect).in(section::header);
  if (map.has_footer || map.kind == dialect::draft_d1) return {};
  return blame_missing_footer(map);
}

/// Every byte of a file that has checksums. What is known of it is filled in as far as it is sound.
[[nodiscard]] inline status verify_manifest(bytes_view file, description& said) noexcept {
  opened_file opened;
  opened.map = said.map;
  for (std::size_t s = 0; s <= (opened.map.is_wide ? 0 : opened.map.slot_count); ++s)
    opened.tables[s] = file.data() + static_cast<std::size_t>(opened.map.table(s));
  const bytes_view head = file.part(0, static_cast<std::size_t>(opened.map.head_bytes()));
  const bytes_view footer = file.part(static_cast<std::size_t>(opened.map.footer),
                                      static_cast<std::size_t>(opened.map.footer_bytes));
  const result<file_frame_view> frame = open_frame(opened.map, head, opened.tables, footer);
  if (!frame.ok()) return frame.error();
  said.manifest = frame->manifest;
  if (const status read = read_footer(footer, opened); !read.ok()) return read;
  said.training = opened.training;
  said.values = opened.values;
  if (const status order = visit_check(frame->manifest).run(); !order.ok()) return order;
  return payload_check(file, *frame).run();
}

}  // namespace detail

/// Describes untrusted bytes without a model, or says the first thing wrong with them. Takes no
/// memory, and time proportional to the tables; of files with checksums it reads every byte, and
/// any bit that has changed is found.
///
/// What takes memory to find out is taken on trust, though no writer of this library makes it:
/// that no name comes twice in a manifest and, above 131,072 tensors, that its visit order is
/// sound. `open_contents()` looks at both; without it, `manifest.list()` and `check_model()` do.
/// @errors (in `error`) those of detect(); offset_out_of_range, bad_order, unclaimed_bytes,
///         slot_size_mismatch; unsupported_dialect, no_footer, truncated for dialects that cannot
///         be trusted to be whole; bad_manifest, checksum_mismatch, bad_padding, invalid_visits,
///         bad_training_state, unsupported_version for files with a manifest
[[nodiscard]] inline description verify(bytes_view file,
                                        slot_sizes sizes = slot_sizes::like_weights) noexcept {
  description said;
  const result<file_map> found = detect(file);
  said.error = found.error();
  if (!found.ok()) return said;
  said.is_named = true;
  said.map = *found;
  if (said.map.has_manifest()) {
    said.error = detail::verify_manifest(file, said);
    return said;
  }
  if (said.map.has_footer)
    said.training = schema1::read_footer(file.data() + static_cast<std::size_t>(said.map.footer));
  said.error = detail::judge(said.map);
  if (said.error.ok()) said.error = detail::verify_tables(file, said.map, sizes);
  return said;
}

}  // namespace ckpt

#endif  // CKPT_CODEC_VERIFY_HPP
