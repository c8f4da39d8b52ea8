#ifndef CKPT_TOOL_INSPECT_HPP
#define CKPT_TOOL_INSPECT_HPP

#include <optional>
#include <string>

#include "ckpt/interop/model_text.hpp"
#include "command_line.hpp"
#include "held_json.hpp"
#include "held_text.hpp"
#include "report.hpp"
#include "section_table.hpp"

/// `ckpt inspect FILE`
namespace tool {

inline std::string_view explained(ckpt::dialect kind) {
  switch (kind) {
    case ckpt::dialect::onert: return "the format of onert in use";
    case ckpt::dialect::onert_micro:
      return "an entry for every tensor of the graph, bytes only for those that are trained";
    case ckpt::dialect::onert_v0: return "the first exporter of onert: a step and no tensors";
    case ckpt::dialect::draft_d0: return "draft of the format: weights without slots and footer";
    case ckpt::dialect::draft_d1: return "draft of the format: weights and slots, no footer";
    case ckpt::dialect::draft_d2:
      return "an Adam file without its last 8 bytes (draft of the format, or a cut file)";
    case ckpt::dialect::draft_d3:
      return "draft of the format: offsets that leave out the table, no footer";
    case ckpt::dialect::wof: return "a weights-only file of onert-micro, not a checkpoint";
    case ckpt::dialect::onert_plus: return "a file of onert with names and checksums";
    case ckpt::dialect::onert_micro_plus: return "a file of onert-micro with names and checksums";
    case ckpt::dialect::v2: return "schema 2: names, checksums, any slots, all training state";
  }
  return "";
}

inline std::string kind_words(const report& about) {
  if (about.kind.empty()) return "unknown";
  const auto foreign = container_named(about.kind);
  return about.kind + ": " + std::string(foreign ? explained(*foreign) : explained(about.map.kind));
}

inline std::string slot_words(const report& about) {
  if (about.held) return slot_list(about.held->held.view());
  if (!about.slot_count) return "unknown";
  std::string names;
  for (std::size_t s = 1; s <= *about.slot_count && s <= 8; ++s)
    names += (s == 1 ? "" : ", ") + section_name(s);
  return *about.slot_count == 0 ? "none" : grouped(*about.slot_count) + " (" + names + ")";
}

inline std::string counter_words(const report& about, const number& counter) {
  if (counter) return grouped(*counter);
  const bool may_be_lost =
      about.kind.empty() || about.map.kind == ckpt::dialect::draft_d2 || about.map.has_manifest();
  return may_be_lost ? "unknown" : "not stored";
}

inline void put_summary(const report& about) {
  put("file      " + shown(about.file) + "\n");
  put("dialect   " + kind_words(about) + "\n");
  if (about.file_bytes) put("size      " + size_words(*about.file_bytes) + "\n");
  put("tensors   " + (about.tensor_count ? grouped(*about.tensor_count) : "unknown") + "\n");
  put("slots     " + slot_words(about) + "\n");
  put("step      " + counter_words(about, about.step) + "\n");
  put("epoch     " + counter_words(about, about.epoch) + "\n");
}

inline void put_identity(const report& about) {
  const ckpt::contents_view view = about.held->held.view();
  if (!view.optimizer.name.empty()) put("optimizer " + shown(view.optimizer.name) + "\n");
  put_training(view);
  if (!about.fingerprint) return;
  put("identity  " + hex(*about.fingerprint, 16) + " (fingerprint of model and optimizer)\n");
  put("checksums verified, those of every tensor and of all the rest\n");
}

inline void put_fault(const report& about) {
  const ckpt::status& error = about.error;
  const std::string part = section_name(error.part);
  std::string place = part.empty() ? "the file" : part;
  if (error.tensor != ckpt::no_tensor) place += ", tensor " + std::to_string(error.tensor);
  if (error.offset != ckpt::no_offset) place += ", byte " + grouped(error.offset);
  put("\nINVALID   " + shown(about.words.empty() ? message_of(error) : about.words) + "\n");
  put("kind      " + string_of(ckpt::name(error.kind)) + "\n");
  put("where     " + place + "\n");
  if (!has_figures(error)) return;
  put("expected  " + grouped(error.expected) + "\n");
  put("found     " + grouped(error.found) + "\n");
}

inline void put_text_inspection(const report& about, const summaries* stats) {
  put_summary(about);
  const listing all = list_all(about);
  if (about.held) put_identity(about);
  if (!about.kind.empty() && !all.sections.empty())
    put("gaps      " + gap_words(about, all) + "\n");
  if (about.held) {
    put_held(about.held->held.view(), stats);
  } else if (!all.sections.empty() && !all.sections[0].empty()) {
    put_sections(about, all);
  }
  if (!about.is_valid()) put_fault(about);
}

inline void put_json_section(json_writer& json, const std::string& name, std::uint64_t offset,
                             const entries& listed) {
  json.object();
  json.member("name", name);
  json.member("offset", offset);
  json.array("tensors");
  for (const ckpt::table_entry& entry : listed) {
    json.object(json_writer::style::one_line);
    json.member("index", entry.index);
    json.member("offset", entry.offset);
    json.member("bytes", entry.bytes);
    json.member("stored", entry.is_stored);
    json.end();
  }
  json.end();
  json.end();
}

inline void put_json_sections(json_writer& json, const report& about) {
  json.array("sections");
  for (const std::size_t section : about.parts)
    put_json_section(json, section_name(section), about.map.sections[section].table,
                     list(about, section));
  if (about.map.has_manifest() && about.held) {
    const ckpt::contents_view view = about.held->held.view();
    for (std::size_t s = 0; s < view.section_count(); ++s)
      put_json_section(json, s == 0 ? section_name(s) : slot_text(view, s - 1), about.map.table(s),
                       list_held(about, s));
  }
  json.end();
}

inline void put_json_inspection(const report& about, const summaries* stats) {
  json_writer json;
  json.object();
  json.member("file", about.file);
  json.member("dialect", about.kind.empty() ? std::nullopt : std::optional(about.kind));
  json.member("schema", about.schema);
  json.member("file_bytes", about.file_bytes);
  json.member("tensor_count", about.tensor_count);
  json.member("slot_count", about.slot_count);
  json.member("step", about.step);
  json.member("epoch", about.epoch);
  put_json_sections(json, about);
  if (about.held) put_json_held(json, *about.held, about.fingerprint, stats);
  if (!about.is_valid()) put_json_error(json, about.error, about.words);
  json.end();
}

inline void complain_unread(const report& about) {
  if (!about.was_read)
    complain("ckpt: cannot read '" + shown(about.file) + "': " + error_words(about) + "\n");
}

inline int inspect(const request& asked, const hints& said) {
  examination how;
  how.said = said;
  how.wants_contents = asked.stats || asked.model_text || !asked.model.empty();
  const report about = examine(asked.words[0], how);
  complain_unread(about);
  std::optional<summaries> figures;
  if (asked.stats && about.held) figures.emplace(about.held->held.view());
  const summaries* const stats = figures ? &*figures : nullptr;
  if (asked.model_text) {
    if (about.held) put(ckpt::model_text::write(about.held->held.view().model));
    if (about.was_read && !about.is_valid())
      complain("ckpt: '" + shown(about.file) + "': " + error_words(about) + "\n");
  } else if (asked.json) {
    put_json_inspection(about, stats);
  } else if (about.was_read) {
    put_text_inspection(about, stats);
  }
  if (about.held && about.held->names == naming::positions && !asked.json)
    complain("ckpt: " + naming_note(about.file) + "\n");
  return about.exit_code();
}

}  // namespace tool

#endif  // CKPT_TOOL_INSPECT_HPP
