#ifndef CKPT_CODEC_MANIFEST_CHECK_HPP
#define CKPT_CODEC_MANIFEST_CHECK_HPP

#include <type_traits>

#include "ckpt/base/crc32c_fast.hpp"
#include "ckpt/codec/read_options.hpp"
#include "ckpt/codec/table_view.hpp"
#include "ckpt/format/manifest_view.hpp"
#include "ckpt/model/check.hpp"

/// What a manifest makes of a file: the place of every byte, and whether it is what was written.
namespace ckpt::detail {

/// The parts of a file with a manifest that are not payload.
struct file_frame_view {
  const file_map* map = nullptr;
  manifest::view manifest{};
  bytes_view head{};                         ///< the file up to the end of the manifest
  const std::byte* const* tables = nullptr;  ///< the entries of each section's table
  bytes_view footer{};
};

/// An entry of an offset table, whatever its width.
[[nodiscard]] constexpr std::uint64_t entry_of(const file_map& map, const std::byte* const* tables,
                                               std::size_t section, std::size_t index) noexcept {
  if (!map.is_wide) return table_view(map, section, tables[section]).offset(index);
  const std::size_t at = section * map.tensor_count + index;
  return load_little<std::uint64_t>(tables[0] + 8 * at);
}

/// Where the first payload of a section goes when the payloads in front of it end at `end`.
[[nodiscard]] constexpr std::uint64_t section_start(const file_map& map, std::size_t section,
                                                    std::uint64_t end) noexcept {
  return map.is_wide && section > 0 ? end : map.sections[map.is_wide ? 0 : section].payload;
}

/// Whether `visit` of `for_each_place()` cannot throw, as it is throughout the core.
template <class Visit>
inline constexpr bool is_nothrow_visit_v =
    std::is_nothrow_invocable_v<Visit&, std::size_t, std::size_t, const tensor_spec&,
                                const tensor_form&, std::uint64_t, std::uint64_t>;

/// Calls `visit(section, index, tensor, form, offset, bytes)` for every payload that a manifest
/// lists, with the place that it must have. `at` is where the last one ended. It throws what
/// `visit` throws.
template <class Visit>
status for_each_place(const file_map& map, const manifest::view& manifest, cursor& at,
                      Visit&& visit) noexcept(is_nothrow_visit_v<Visit>) {
  return manifest.for_each_payload([&](std::size_t s, std::size_t i, const tensor_spec& found,
                                       const tensor_form& form,
                                       std::uint64_t extent) noexcept(is_nothrow_visit_v<Visit>) {
    if (i == 0) at = cursor(section_start(map, s, at.position()));
    if (extent != 0) at.align(map.alignment);
    return visit(s, i, found, form, at.take(extent), extent);
  });
}

/// Every table entry is where the manifest puts its tensor, and every section ends with its last
/// one.
/// @errors bad_order, bad_section
[[nodiscard]] inline status check_places(const file_frame_view& frame) noexcept {
  const file_map& map = *frame.map;
  cursor at(map.sections[0].payload);
  std::uint64_t ends[1 + schema1::max_slot_count] = {};
  for (std::size_t s = 0; s < 1 + schema1::max_slot_count; ++s) ends[s] = map.sections[s].payload;
  const auto compare = [&](std::size_t s, std::size_t i, const tensor_spec& listed,
                           const tensor_form&, std::uint64_t place, std::uint64_t) noexcept {
    const bool has_entry = !map.is_scattered || listed.purpose() != role::absent;
    const std::uint64_t wanted = has_entry ? place : 0;
    const std::uint64_t found = entry_of(map, frame.tables, s, i);
    if (!map.is_wide) ends[s] = at.position();
    if (found == wanted) return status{};
    return fail(errc::bad_order, wanted, found).in(numbered_section(s)).about(i);
  };
  const status placed = for_each_place(map, frame.manifest, at, compare);
  if (!placed.ok()) return placed;
  if (map.is_wide) {
    at.align(schema2::state_alignment);
    if (at.position() == map.footer) return {};
    return fail(errc::bad_section, at.position(), map.footer).in(section::footer).at(32);
  }
  for (std::size_t s = 0; s <= map.slot_count; ++s)
    if (ends[s] != map.sections[s].end)
      return fail(errc::bad_section, ends[s], map.sections[s].end).in(numbered_section(s));
  return {};
}

/// The checksum over everything but payloads and padding.
/// @errors checksum_mismatch
[[nodiscard]] inline status check_frame_checksum(const file_frame_view& frame) noexcept {
  const file_map& map = *frame.map;
  std::uint32_t found = crc32c_fast(frame.head.part(0, frame.head.size() - 4));
  if (!map.is_wide)
    for (std::size_t s = 1; s <= map.slot_count; ++s)
      found = crc32c_fast(bytes_view(frame.tables[s], static_cast<std::size_t>(map.table_bytes())),
                          found);
  found = crc32c_fast(frame.footer, found);
  const std::uint32_t wanted = frame.manifest.frame_checksum();
  if (found == wanted) return {};
  return fail(errc::checksum_mismatch, wanted, found).in(section::header);
}

/// Everything that can be said of a file with a manifest without reading its payloads.
/// @errors those of manifest::view::open(), check_frame_checksum() and check_places()
[[nodiscard]] inline result<file_frame_view> open_frame(const file_map& map, bytes_view head,
                                                        const std::byte* const* tables,
                                                        bytes_view footer) noexcept {
  file_frame_view frame;
  frame.map = &map;
  frame.head = head;
  frame.tables = tables;
  frame.footer = footer;
  const auto first = static_cast<std::size_t>(map.manifest);
  const auto manifest = manifest::view::open(head.part(first, head.size() - first));
  if (!manifest.ok()) {
    status failed = manifest.error();
    if (failed.offset != no_offset) failed.offset += first;
    return failed;
  }
  frame.manifest = *manifest;
  if (const status whole = check_frame_checksum(frame); !whole.ok()) return whole;
  if (const status placed = check_places(frame); !placed.ok()) return placed;
  return frame;
}

/// Whether a tensor of a file is the one that a model expects at its place. Names are compared
/// where both sides have one.
/// @errors name_mismatch, dtype_mismatch, shape_mismatch, role_mismatch
[[nodiscard]] inline status compare_tensor(const tensor_spec& wanted, const tensor_spec& found,
                                           bool with_slots) noexcept {
  if (!wanted.name().empty() && !found.name().empty() && wanted.name() != found.name())
    return fail(errc::name_mismatch);
  if (const status same = check_same_form(wanted, found); !same.ok()) return same;
  const bool is_alike =
      with_slots ? wanted.purpose() == found.purpose()
                 : (wanted.purpose() == role::absent) == (found.purpose() == role::absent);
  return is_alike ? status{} : fail(errc::role_mismatch);
}

/// Whether a file holds what a layout asks for. Slots are compared by name where both sides have
/// one; what the optimizer is called does not matter.
/// @param sections  how many of its sections are asked for
/// @errors those of compare_tensor()
[[nodiscard]] inline status check_identity(const layout_view& layout,
                                           const manifest::view& manifest,
                                           std::size_t sections) noexcept {
  for (std::size_t s = 1; s < sections; ++s) {
    const name_view wanted = layout.optimizer.slot_name(s - 1);
    const name_view found = manifest.slot_name(s - 1);
    if (!wanted.empty() && !found.empty() && wanted != found)
      return fail(errc::name_mismatch).in(numbered_section(s));
  }
  return manifest.for_each_payload([&](std::size_t s, std::size_t i, const tensor_spec& found,
                                       const tensor_form& form, std::uint64_t) noexcept {
    if (s >= sections) return status{};
    const tensor_spec& wanted = layout.model[i];
    status said = compare_tensor(wanted, found, sections > 1);
    if (said.ok() && s > 0 && wanted.purpose() == role::trainable) {
      said = check_same_form(payload_form(layout.optimizer, s, wanted, i), form);
    }
    return said.ok() ? said : said.in(numbered_section(s)).about(i);
  });
}

/// Whether a payload is what was written.
/// @param payload  in the order of the file
/// @param place  where it stands in the file
/// @errors checksum_mismatch
[[nodiscard]] inline status check_checksum(const manifest::view& manifest, std::size_t section,
                                           std::size_t index, bytes_view payload,
                                           std::uint64_t place) noexcept {
  const std::uint32_t wanted = manifest.checksum(section, index);
  const std::uint32_t found = crc32c_fast(payload);
  if (found == wanted) return {};
  return fail(errc::checksum_mismatch, wanted, found)
      .in(numbered_section(section))
      .about(index)
      .at(place);
}

/// Whether all of `bytes` are zero; about the place where they are not.
/// @param first  where they stand in the file
/// @errors bad_padding
[[nodiscard]] inline status check_zeros(bytes_view bytes, std::uint64_t first) noexcept {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != std::byte{0})
      return fail(errc::bad_padding, 0, static_cast<std::uint64_t>(bytes[i]))
          .in(section::padding)
          .at(first + i);
  return {};
}

/// Reads every byte of a file in memory that the frame does not cover: payloads against their
/// checksums, padding against zero.
class payload_check {
 public:
  payload_check(bytes_view whole, const file_frame_view& known) noexcept
      : file_(whole), frame_(known), covered_(known.map->head_bytes()) {}

  /// @errors checksum_mismatch, bad_padding
  [[nodiscard]] status run() noexcept {
    const file_map& map = *frame_.map;
    cursor at(map.sections[0].payload);
    const status checked =
        for_each_place(map, frame_.manifest, at,
                       [this](std::size_t s, std::size_t i, const tensor_spec&, const tensor_form&,
                              std::uint64_t place, std::uint64_t extent) noexcept {
                         return check(s, i, place, extent);
                       });
    if (!checked.ok()) return checked;
    for (std::size_t s = section_ + 1; !map.is_wide && s <= map.slot_count; ++s)
      if (const status padded = enter(s); !padded.ok()) return padded;
    return cover(map.footer);
  }

 private:
  [[nodiscard]] bytes_view part(std::uint64_t first, std::uint64_t bytes) const noexcept {
    return file_.part(static_cast<std::size_t>(first), static_cast<std::size_t>(bytes));
  }

  /// Everything from the last thing seen up to `place` is padding.
  [[nodiscard]] status cover(std::uint64_t place) noexcept {
    const std::uint64_t first = covered_;
    covered_ = place;
    return place > first ? check_zeros(part(first, place - first), first) : status{};
  }

  /// Goes past the table of a section of schema 1.
  [[nodiscard]] status enter(std::size_t section) noexcept {
    section_ = section;
    const status padded = cover(frame_.map->sections[section].begin);
    covered_ = frame_.map->sections[section].begin + frame_.map->table_bytes();
    return padded;
  }

  [[nodiscard]] status check(std::size_t section, std::size_t index, std::uint64_t offset,
                             std::uint64_t bytes) noexcept {
    if (section != section_ && !frame_.map->is_wide)
      if (const status padded = enter(section); !padded.ok()) return padded;
    if (const status padded = bytes == 0 ? status{} : cover(offset); !padded.ok()) return padded;
    if (bytes != 0) covered_ = offset + bytes;
    const bytes_view payload = bytes == 0 ? bytes_view{} : part(offset, bytes);
    return check_checksum(frame_.manifest, section, index, payload, offset);
  }

  bytes_view file_;
  const file_frame_view& frame_;
  std::uint64_t covered_;
  std::size_t section_ = 0;
};

}  // namespace ckpt::detail

#endif  // CKPT_CODEC_MANIFEST_CHECK_HPP
