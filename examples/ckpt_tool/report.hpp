#ifndef CKPT_TOOL_REPORT_HPP
#define CKPT_TOOL_REPORT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/codec/table_entries.hpp"
#include "ckpt/codec/verify.hpp"
#include "ckpt/io/mapping.hpp"
#include "exit_status.hpp"
#include "source.hpp"

/// What `inspect` and `verify` know of a file.
namespace tool {

using number = std::optional<std::uint64_t>;

/// Everything that can be told of one file. It keeps the file mapped.
struct report {
  std::string file;
  bool was_read = false;           ///< else `error` comes from the operating system
  ckpt::native_mapping mapping;    ///< empty unless it is one file that has bytes
  std::string kind;                ///< dialect or container, where it is known
  bool has_map = false;            ///< at least tensor and slot counts are known
  ckpt::file_map map;              ///< of a file without a kind only as the header has it
  std::vector<std::size_t> parts;  ///< the sections whose tables are inside of the file
  number schema;
  number file_bytes;
  number tensor_count;
  number slot_count;
  number step;
  number epoch;
  number fingerprint;          ///< of files with a manifest
  std::optional<source> held;  ///< what it holds, by name
  ckpt::status error;
  std::string words;  ///< what is wrong, where more is known than `error` says

  [[nodiscard]] bool is_valid() const { return error.ok(); }
  [[nodiscard]] bool is_checkpoint() const { return !held || held->kind == container::checkpoint; }
  [[nodiscard]] int exit_code() const {
    if (is_valid()) return exit_ok;
    return was_read ? exit_no : exit_trouble;
  }
};

/// How to look at a file.
struct examination {
  bool wants_contents = false;  ///< also of a file without names
  hints said{};
};

/// By the format a section reaches to the next offset that the header gives, else to the end.
inline std::uint64_t section_end(const ckpt::schema1::header& fields, std::uint64_t payload,
                                 std::uint64_t file_bytes) {
  std::uint64_t end = ckpt::no_offset;
  for (const std::uint64_t next : {fields.opt1, fields.opt2, fields.other})
    if (next >= payload) end = (std::min)(end, next);
  return end == ckpt::no_offset ? (std::max)(payload, file_bytes) : end;
}

inline void count_map(report& about) {
  about.has_map = true;
  about.tensor_count = about.map.tensor_count;
  about.slot_count = about.map.slot_count;
}

/// Locates the sections of a file without a name as far as the header can be followed. An end that
/// is behind the end of the file stays: it says how large the last tensor is meant to be.
inline void follow_header(ckpt::bytes_view bytes, report& about) {
  const ckpt::schema1::header fields = ckpt::schema1::read_header(bytes.data());
  about.map.is_scattered = true;  // zero entries may mean "not stored"
  about.map.tensor_count = fields.tensor_count;
  about.map.slot_count = ckpt::schema1::count_slots(fields);
  count_map(about);
  const std::uint64_t tables[] = {ckpt::schema1::header_bytes, fields.opt1, fields.opt2};
  const std::uint64_t table_bytes = std::uint64_t{4} * fields.tensor_count;
  std::uint64_t least = ckpt::schema1::header_bytes;
  for (std::size_t s = 0; s <= about.map.slot_count; ++s) {
    const std::uint64_t payload = tables[s] + table_bytes;
    if (tables[s] < least || payload > bytes.size()) continue;
    const std::uint64_t end = section_end(fields, payload, bytes.size());
    about.map.sections[s] = {s == 0 ? 0 : tables[s], tables[s], payload, end};
    about.parts.push_back(s);
    least = payload;
  }
}

/// Whether the 20 bytes in front are a header of schema 1, though something else is wrong.
inline bool has_header(ckpt::bytes_view bytes, const report& about) {
  const bool is_foreign = about.error.kind == ckpt::errc::not_a_checkpoint ||
                          about.error.kind == ckpt::errc::unsupported_version;
  const bool is_cut_wof = about.error.part == ckpt::section::weights;  // its count is at byte 4
  return bytes.size() >= ckpt::schema1::header_bytes && about.schema == ckpt::schema1::schema &&
         about.error.part != ckpt::section::manifest && !is_foreign && !is_cut_wof;
}

inline void describe(ckpt::bytes_view bytes, ckpt::slot_sizes sizes, report& about) {
  if (bytes.size() >= 3 && ckpt::load_little<std::uint16_t>(bytes.data()) == ckpt::schema1::magic)
    about.schema = ckpt::load_little<std::uint8_t>(bytes.data() + 2);
  const ckpt::description said = ckpt::verify(bytes, sizes);
  about.error = said.error;
  if (!said.is_named) {
    if (has_header(bytes, about)) follow_header(bytes, about);
    return;
  }
  about.kind = string_of(ckpt::name(said.map.kind));
  about.map = said.map;
  count_map(about);
  if (!said.map.has_manifest())
    for (std::size_t s = 0; s <= said.map.slot_count; ++s) about.parts.push_back(s);
  const bool is_sound = !said.map.has_manifest() || said.error.ok();
  if (!said.map.has_footer || !is_sound) return;
  about.step = said.training.step;
  about.epoch = said.training.epoch;
  if (said.map.has_manifest()) about.fingerprint = said.manifest.fingerprint();
}

/// Opens what a file holds, where it has names, somebody else made it, or it is asked for.
inline void open_held(const examination& how, report& about) {
  const bool wants_it = how.wants_contents || about.map.has_manifest();
  if (!about.is_valid() || !wants_it) return;
  auto opened = open_checkpoint(about.file, about.mapping.bytes(), how.said);
  if (opened.ok()) {
    about.held = std::move(*opened);
  } else {
    about.error = opened.error();
    about.words = opened.message();
  }
}

inline report examine_foreign(report about, container kind, const examination& how) {
  about.kind = std::string(name(kind));
  auto opened = open_foreign(about.file, kind, how.said);
  about.error = opened.error();
  about.words = opened.message();
  about.was_read = opened.ok() || !is_from_system(opened.error());
  if (!opened.ok()) return about;
  about.held = std::move(*opened);
  about.held->format = about.kind;
  about.held->kind = kind;
  about.tensor_count = about.held->held.size();
  about.slot_count = about.held->held.slot_count();
  about.step = about.held->held.training.step;
  about.epoch = about.held->held.training.epoch;
  return about;
}

inline report examine(const std::string& file, const examination& how) {
  report about;
  about.file = file;
  if (ckpt::is_directory(file)) {
    const auto kind =
        how.said.kind ? ckpt::result<container>(*how.said.kind) : container_of_directory(file);
    if (kind.ok() && *kind != container::checkpoint)
      return examine_foreign(std::move(about), *kind, how);
  }
  auto opened = ckpt::native_mapping::open(file);
  about.was_read = opened.ok() || opened.error().kind == ckpt::errc::empty_file;
  about.error = opened.error();
  if (!about.was_read) return about;
  if (opened.ok()) about.mapping = std::move(*opened);
  const ckpt::bytes_view bytes = about.mapping.bytes();
  about.file_bytes = bytes.size();
  const container kind = how.said.kind ? *how.said.kind : container_of(bytes);
  if (kind != container::checkpoint) return examine_foreign(std::move(about), kind, how);
  if (bytes.empty()) {
    about.error = ckpt::fail(ckpt::errc::empty_file, ckpt::schema1::header_bytes, 0);
    return about;
  }
  describe(bytes, how.said.sizes, about);
  open_held(how, about);
  return about;
}

using entries = std::vector<ckpt::table_entry>;

/// The tensors of a located section of a file without names; offsets as they stand in the file.
inline entries list(const report& about, std::size_t section) {
  entries listed(about.map.tensor_count);
  ckpt::list_entries(about.mapping.bytes(), about.map, section, listed);
  for (ckpt::table_entry& entry : listed)
    if (entry.is_stored) entry.offset -= about.map.shift;
  return listed;
}

/// The payloads of a section of contents that lie in the mapped file.
inline entries list_held(const report& about, std::size_t section) {
  const ckpt::contents_view view = about.held->held.view();
  entries listed(view.model.size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const ckpt::role purpose = view.model[i].purpose();
    const ckpt::bytes_view bytes = view.bytes(section, i);
    listed[i].index = static_cast<std::uint32_t>(i);
    listed[i].is_stored =
        section == 0 ? purpose != ckpt::role::absent : purpose == ckpt::role::trainable;
    listed[i].bytes = bytes.size();
    if (!bytes.empty())
      listed[i].offset = static_cast<std::uint64_t>(bytes.data() - about.mapping.bytes().data());
  }
  return listed;
}

/// Kind and message of what is wrong.
inline std::string error_words(const report& about) {
  const std::string words = about.words.empty() ? message_of(about.error) : about.words;
  return string_of(ckpt::name(about.error.kind)) + ": " + shown(words);
}

}  // namespace tool

#endif  // CKPT_TOOL_REPORT_HPP
