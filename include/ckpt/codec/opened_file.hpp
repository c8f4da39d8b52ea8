#ifndef CKPT_CODEC_OPENED_FILE_HPP
#define CKPT_CODEC_OPENED_FILE_HPP

#include <cstring>

#include "ckpt/base/result.hpp"
#include "ckpt/codec/check.hpp"
#include "ckpt/codec/manifest_check.hpp"

/// The steps from bytes to a checkpoint that is known to hold the tensors of a model. A reader of
/// memory and a load from a file take the same steps; only where the tables come from differs.
namespace ckpt::detail {

/// Where the sections of a file are, and whether that is where the layout puts them.
struct located_file {
  file_map map;
  bool is_own = false;  ///< size, header and first table equal the layout's
};

/// A file whose structure has been checked against a model.
struct opened_file {
  file_map map;
  manifest::view manifest{};  ///< only where the map has one
  training_state training{};
  values_view values{};
  std::size_t section_count = 0;  ///< sections that can be read: weights, then slots
  std::uint64_t slack_bytes = 0;
  const std::byte* tables[1 + schema1::max_slot_count] = {};

  /// Where the tensor begins in the file; it must be stored.
  [[nodiscard]] std::uint64_t offset(std::size_t section, std::size_t index) const noexcept {
    return entry_of(map, tables, section, index);
  }
};

/// The map of a file that a layout describes.
[[nodiscard]] inline file_map map_of(const layout_view& layout, dialect own) noexcept {
  file_map map;
  map.kind = own;
  map.has_footer = true;
  map.is_scattered = own == dialect::onert_micro;
  map.tensor_count = static_cast<std::uint32_t>(layout.model.size());
  map.slot_count = static_cast<std::uint32_t>(layout.slot_count());
  map.file_bytes = layout.file_bytes;
  map.footer = layout.footer;
  for (std::size_t s = 0; s < layout.sections.size(); ++s) map.sections[s] = layout.sections[s];
  return map;
}

/// Whether the bytes at `b` are those of `a`.
[[nodiscard]] inline bool equal(bytes_view a, const std::byte* b) noexcept {
  return a.empty() || (b != nullptr && std::memcmp(a.data(), b, a.size()) == 0);
}

/// Finds the sections of a file.
/// @param head  at least header and table of as many tensors as the model has, or the whole file
/// @errors those of detect()
[[nodiscard]] inline result<located_file> locate(const layout_view& layout, dialect own,
                                                 bytes_view head,
                                                 std::uint64_t file_bytes) noexcept {
  const bytes_view wanted = layout.head(0);
  const bool is_own =
      file_bytes == layout.file_bytes && head.size() >= wanted.size() && equal(wanted, head.data());
  const bool is_plain = own == dialect::onert || own == dialect::onert_micro;
  if (is_own && is_plain) return located_file{map_of(layout, own), true};
  result<file_map> found = detect(head, file_bytes);
  if (!found.ok()) return found.error();
  if (is_own) found->kind = own;
  return located_file{*found, is_own};
}

/// Sections that a load with this policy reads.
[[nodiscard]] constexpr std::size_t sections_read(const layout_view& layout,
                                                  slot_policy slots) noexcept {
  return slots == slot_policy::required ? layout.sections.size() : 1;
}

/// Offset tables that have to be in memory for `open_located()`.
[[nodiscard]] constexpr std::size_t tables_read(const layout_view& layout, const file_map& map,
                                                slot_policy slots) noexcept {
  if (map.is_wide) return 1;
  return map.has_manifest() ? 1 + map.slot_count : sections_read(layout, slots);
}

/// Reads step, epoch and what else the footer holds.
/// @errors bad_training_state
[[nodiscard]] inline status read_footer(bytes_view footer, opened_file& opened) noexcept {
  if (footer.empty()) return {};
  if (!opened.map.is_wide) {
    opened.training = schema1::read_footer(footer.data());
    return {};
  }
  const result<schema2::state_section> said = schema2::read_state(footer);
  if (!said.ok()) return said.error();
  opened.training = said->training;
  opened.values = said->values;
  return {};
}

/// Checks a file that has a manifest.
/// @errors those of open_frame() and check_identity()
[[nodiscard]] inline status check_manifest(const layout_view& layout, bool is_own, bytes_view head,
                                           bytes_view footer, opened_file& opened) noexcept {
  const result<file_frame_view> frame = open_frame(opened.map, head, opened.tables, footer);
  if (!frame.ok()) return frame.error();
  opened.manifest = frame->manifest;
  return is_own ? status{} : check_identity(layout, opened.manifest, opened.section_count);
}

/// Checks the tables of a plain file.
/// @errors those of check_tables()
[[nodiscard]] inline status check_plain(const layout_view& layout, bool is_own,
                                        const read_options& options, opened_file& opened) noexcept {
  for (std::size_t s = 1; s < opened.section_count; ++s)
    is_own = is_own && equal(layout.head(s), opened.tables[s]);
  if (!is_own) {
    const status checked =
        check_tables(layout, opened.map, opened.tables, opened.section_count, options);
    if (!checked.ok()) return checked;
  }
  opened.slack_bytes = slack_of(layout, 0, opened.map.sections[0]);
  return {};
}

/// Checks the tables and reads the footer; the last step.
/// @param head  the file up to the end of its manifest, or anything where it has none
/// @param tables  the entries of each section's table, as many as `tables_read()`
/// @param footer  step and epoch, or empty where there are none
/// @errors those of check_tables(); for files with a manifest those of open_frame() and
///         check_identity(), bad_training_state
[[nodiscard]] inline result<opened_file> open_located(const layout_view& layout,
                                                      const located_file& located, bytes_view head,
                                                      const std::byte* const* tables,
                                                      bytes_view footer,
                                                      const read_options& options) noexcept {
  opened_file opened;
  opened.map = located.map;
  opened.section_count = sections_read(layout, options.slots);
  for (std::size_t s = 0; s < tables_read(layout, opened.map, options.slots); ++s)
    opened.tables[s] = tables[s];
  const status checked = opened.map.has_manifest()
                             ? check_manifest(layout, located.is_own, head, footer, opened)
                             : check_plain(layout, located.is_own, options, opened);
  if (!checked.ok()) return checked;
  if (const status read = read_footer(footer, opened); !read.ok()) return read;
  return opened;
}

/// Whether the payloads of an opened file have to be compared with checksums.
[[nodiscard]] constexpr bool wants_checksums(const opened_file& opened,
                                             bool skip_checksums) noexcept {
  return opened.map.has_manifest() && !skip_checksums;
}

/// Gives a state the counters and the user's values of a file.
/// @errors buffer_too_small
template <class State>
[[nodiscard]] status take_training(const opened_file& opened, State& state) noexcept {
  if (state.user_values != nullptr)
    if (const status taken = state.user_values->assign(opened.values); !taken.ok()) return taken;
  state.training = opened.training;
  return {};
}

/// What a load of an opened file has done once its tensors are in place.
[[nodiscard]] inline load_report report_of(const layout_view& layout, const opened_file& opened,
                                           const read_options& options) noexcept {
  load_report report;
  report.kind = opened.map.kind;
  report.training = opened.training;
  for (std::size_t i = 0; i < layout.model.size(); ++i)
    if (layout.model[i].purpose() != role::absent) ++report.weights_loaded;
  report.slots_loaded = static_cast<std::uint32_t>(opened.section_count - 1);
  report.slots_ignored = opened.map.slot_count - report.slots_loaded;
  if (options.slots == slot_policy::cold)
    report.slots_cold = static_cast<std::uint32_t>(layout.slot_count());
  report.slack_bytes = opened.slack_bytes;
  report.checksums_verified = wants_checksums(opened, options.skip_checksums);
  return report;
}

/// Sets every slot of a state to zero.
inline void clear_slots(const layout_view& layout, std::byte* const* pointers) noexcept {
  const std::size_t count = layout.model.size();
  for (std::size_t s = 1; s < layout.sections.size(); ++s)
    for (std::size_t i = 0; i < count; ++i)
      if (const std::uint64_t bytes = layout.bytes(s, i); bytes != 0)
        std::memset(pointers[s * count + i], 0, static_cast<std::size_t>(bytes));
}

}  // namespace ckpt::detail

#endif  // CKPT_CODEC_OPENED_FILE_HPP
