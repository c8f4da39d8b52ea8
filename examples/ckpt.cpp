/// The tool `ckpt`: shows what is in a checkpoint without its model, or where it is broken.
///
///     c++ -std=c++17 -O2 -I include examples/ckpt.cpp -o ckpt
///
/// Files are mapped, and only header, tables and footer are read. Entries are listed for tables
/// that lie inside of the file, so memory is bounded by its size whatever its header says.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckpt/codec/table_entries.hpp"
#include "ckpt/codec/verify.hpp"
#include "ckpt/io/mapping.hpp"
#include "ckpt/version.hpp"

namespace {

constexpr int exit_valid = 0;
constexpr int exit_invalid = 1;
constexpr int exit_unusable = 2;

constexpr std::string_view usage =
    "usage: ckpt inspect FILE [--json] [--slots any]\n"
    "       ckpt verify FILE... [--json] [--slots any]\n"
    "       ckpt --help | --version\n";

constexpr std::string_view help =
    "\n"
    "Looks into training checkpoints of onert and onert-micro without their model.\n"
    "\n"
    "  inspect      show what a file holds, tensor by tensor, or its first fault\n"
    "  verify       check files and say one line for each\n"
    "\n"
    "  --json       print JSON: one object for each file\n"
    "  --slots any  take slots that are not as large as their weights\n"
    "  --           what follows is a file\n"
    "\n"
    "exit status: 0 valid, 1 not a valid checkpoint, 2 wrong usage or a file that cannot be read;\n"
    "of several files the worst counts.\n";

using number = std::optional<std::uint64_t>;

// ---------------------------------------------------------------- what is known of a file

/// Everything that can be told of one file. It keeps the file mapped.
struct report {
  std::string file;
  bool was_read = false;           ///< else `error` comes from the operating system
  ckpt::basic_mapping<> mapping;   ///< empty unless the file has bytes
  bool is_named = false;           ///< the dialect is known
  bool has_map = false;            ///< at least tensor and slot counts are known
  ckpt::file_map map;              ///< of a file without a name only as the header has it
  std::vector<std::size_t> parts;  ///< the sections whose tables are inside of the file
  number schema;
  number file_bytes;
  number step;
  number epoch;
  ckpt::status error;

  [[nodiscard]] bool is_valid() const { return error.ok(); }
  [[nodiscard]] int exit_code() const {
    if (is_valid()) return exit_valid;
    return was_read ? exit_invalid : exit_unusable;
  }
};

/// By the format a section reaches to the next offset that the header gives, else to the end.
std::uint64_t section_end(const ckpt::schema1::header& fields, std::uint64_t payload,
                          std::uint64_t file_bytes) {
  std::uint64_t end = ckpt::no_offset;
  for (const std::uint64_t next : {fields.opt1, fields.opt2, fields.other})
    if (next >= payload) end = (std::min)(end, next);
  return end == ckpt::no_offset ? (std::max)(payload, file_bytes) : end;
}

/// Locates the sections of a file without a name as far as the header can be followed. An end that
/// is behind the end of the file stays: it says how large the last tensor is meant to be.
void follow_header(ckpt::bytes_view bytes, report& about) {
  const ckpt::schema1::header fields = ckpt::schema1::read_header(bytes.data());
  about.has_map = true;
  about.map.is_scattered = true;  // zero entries may mean "not stored"
  about.map.tensor_count = fields.tensor_count;
  about.map.slot_count = ckpt::schema1::count_slots(fields);
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

/// Whether the 20 bytes in front are a header, though something else is wrong.
bool has_header(ckpt::bytes_view bytes, const ckpt::status& error) {
  const bool is_foreign =
      error.kind == ckpt::errc::not_a_checkpoint || error.kind == ckpt::errc::unsupported_version;
  const bool is_cut_wof = error.part == ckpt::section::weights;  // its count is at byte 4
  return bytes.size() >= ckpt::schema1::header_bytes && !is_foreign && !is_cut_wof;
}

void describe(ckpt::bytes_view bytes, ckpt::slot_sizes sizes, report& about) {
  if (bytes.size() >= 3 && ckpt::load_little<std::uint16_t>(bytes.data()) == ckpt::schema1::magic)
    about.schema = ckpt::load_little<std::uint8_t>(bytes.data() + 2);
  const ckpt::description said = ckpt::verify(bytes, sizes);
  about.error = said.error;
  about.is_named = said.is_named;
  if (!said.is_named) {
    if (has_header(bytes, said.error)) follow_header(bytes, about);
    return;
  }
  about.has_map = true;
  about.map = said.map;
  for (std::size_t s = 0; s <= said.map.slot_count; ++s) about.parts.push_back(s);
  if (!said.map.has_footer) return;
  about.step = said.training.step;
  about.epoch = said.training.epoch;
}

report examine(const std::string& file, ckpt::slot_sizes sizes) {
  report about;
  about.file = file;
  auto opened = ckpt::basic_mapping<>::open(ckpt::path(file));
  about.was_read = opened.ok() || opened.error().kind == ckpt::errc::empty_file;
  about.error = opened.error();
  if (!about.was_read) return about;
  if (opened.ok()) about.mapping = std::move(*opened);
  const ckpt::bytes_view bytes = about.mapping.bytes();
  about.file_bytes = bytes.size();
  if (bytes.empty())
    about.error = ckpt::fail(ckpt::errc::empty_file, ckpt::schema1::header_bytes, 0);
  else
    describe(bytes, sizes, about);
  return about;
}

using entries = std::vector<ckpt::table_entry>;

/// The tensors of a located section; offsets as they stand in the file.
entries list(const report& about, std::size_t section) {
  entries listed(about.map.tensor_count);
  ckpt::list_entries(about.mapping.bytes(), about.map, section, listed);
  for (ckpt::table_entry& entry : listed)
    if (entry.is_stored) entry.offset -= about.map.shift;
  return listed;
}

// ---------------------------------------------------------------- words and numbers

void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void complain(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string string_of(ckpt::name_view name) {
  return std::string(name.data(), name.size());
}

std::string message_of(const ckpt::status& error) {
  return string_of(error.message().view());
}

/// What the file demands differs from what it holds; two zeros mean that neither applies.
bool has_figures(const ckpt::status& error) {
  return error.expected != 0 || error.found != 0;
}

std::string section_name(std::size_t section) {
  if (section == 0) return "weights";
  return section == 1 ? "m" : "v";
}

/// Empty where the error is about no part of the file.
std::string section_name(ckpt::section part) {
  switch (part) {
    case ckpt::section::none: return "";
    case ckpt::section::header: return "header";
    case ckpt::section::weights: return section_name(std::size_t{0});
    case ckpt::section::footer: return "footer";
    default: return section_name(part == ckpt::section::first_slot ? std::size_t{1} : 2);
  }
}

std::string hex(std::uint32_t value, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 0xFU];
  return text;
}

// ---------------------------------------------------------------- JSON

struct code_point {
  std::uint32_t value = 0xFFFD;
  std::size_t bytes = 1;
};

/// The first code point of a text. What is not UTF-8 becomes U+FFFD, as Unicode recommends: once
/// for each longest piece that could have begun a code point.
code_point first_code_point(std::string_view text) {
  const auto at = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const std::uint32_t lead = at(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  std::uint32_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  std::uint32_t value = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i, low = 0x80, high = 0xBF) {
    if (at(i) < low || at(i) > high) return {0xFFFD, i};
    value = value << 6 | (at(i) & 0x3FU);
  }
  return {value, size};
}

std::string escaped(std::uint32_t code) {
  if (code == '"') return "\\\"";
  if (code == '\\') return "\\\\";
  if (code >= 0x20 && code < 0x7F) return std::string(1, static_cast<char>(code));
  if (code < 0x10000) return "\\u" + hex(code, 4);
  const std::uint32_t rest = code - 0x10000;
  return "\\u" + hex(0xD800U | rest >> 10, 4) + "\\u" + hex(0xDC00U | (rest & 0x3FFU), 4);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const code_point next = first_code_point(text);
    out += escaped(next.value);
    text.remove_prefix(next.bytes);
  }
  return out + '"';
}

std::string json(const number& value) {
  return value ? std::to_string(*value) : "null";
}

std::string json_dialect(const report& about) {
  return about.is_named ? quoted(string_of(ckpt::name(about.map.kind))) : "null";
}

std::string json_error(const ckpt::status& error) {
  const auto known = [](bool applies, std::uint64_t value) {
    return json(applies ? number(value) : number());
  };
  const std::string part = section_name(error.part);
  return "{\"kind\": " + quoted(string_of(ckpt::name(error.kind))) +
         ", \"section\": " + (part.empty() ? "null" : quoted(part)) +
         ", \"tensor\": " + known(error.tensor != ckpt::no_tensor, error.tensor) +
         ", \"offset\": " + known(error.offset != ckpt::no_offset, error.offset) +
         ", \"expected\": " + known(has_figures(error), error.expected) +
         ", \"found\": " + known(has_figures(error), error.found) +
         ", \"message\": " + quoted(message_of(error)) + "}";
}

void put_json_section(const report& about, std::size_t section) {
  put("    {\"name\": " + quoted(section_name(section)) +
      ", \"offset\": " + std::to_string(about.map.sections[section].table) + ", \"tensors\": [");
  std::string_view separator = "\n";
  for (const ckpt::table_entry& entry : list(about, section)) {
    put(separator);
    put("      {\"index\": " + std::to_string(entry.index) + ", \"offset\": " +
        std::to_string(entry.offset) + ", \"bytes\": " + std::to_string(entry.bytes) +
        ", \"stored\": " + (entry.is_stored ? "true}" : "false}"));
    separator = ",\n";
  }
  put("]}");
}

void put_json_inspection(const report& about) {
  const auto counted = [&](std::uint32_t count) {
    return json(about.has_map ? number(count) : number());
  };
  put("{\n  \"file\": " + quoted(about.file) + ",\n  \"dialect\": " + json_dialect(about) +
      ",\n  \"schema\": " + json(about.schema) + ",\n  \"file_bytes\": " + json(about.file_bytes) +
      ",\n  \"tensor_count\": " + counted(about.map.tensor_count) + ",\n  \"slot_count\": " +
      counted(about.map.slot_count) + ",\n  \"step\": " + json(about.step) +
      ",\n  \"epoch\": " + json(about.epoch) + ",\n  \"sections\": [");
  std::string_view separator = "\n";
  for (const std::size_t section : about.parts) {
    put(separator);
    put_json_section(about, section);
    separator = ",\n";
  }
  put("]");
  if (!about.is_valid()) put(",\n  \"error\": " + json_error(about.error));
  put("\n}\n");
}

void put_json_verdict(const report& about) {
  put("{\"file\": " + quoted(about.file) + ", \"valid\": " + (about.is_valid() ? "true" : "false") +
      ", \"dialect\": " + json_dialect(about) +
      ", \"error\": " + (about.is_valid() ? "null" : json_error(about.error)) + "}\n");
}

// ---------------------------------------------------------------- text

/// A file name that cannot play tricks on a terminal.
std::string shown(std::string_view file) {
  std::string out;
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
      out += "\\x" + hex(byte, 2);
    else
      out += c;
  }
  return out;
}

/// 13947860 as 13,947,860.
std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

/// 41843548 as 41,843,548 bytes (39.9 MiB).
std::string size_words(std::uint64_t bytes) {
  static constexpr std::string_view units[] = {"KiB", "MiB", "GiB", "TiB"};
  std::string exact = grouped(bytes) + (bytes == 1 ? " byte" : " bytes");
  if (bytes < 1024) return exact;
  std::size_t unit = 0;
  std::uint64_t scale = 1024;
  for (; unit + 1 < 4 && bytes / scale >= 1024; ++unit) scale *= 1024;
  const std::uint64_t tenths = bytes / scale * 10 + bytes % scale * 10 / scale;
  return exact + " (" + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " +
         std::string(units[unit]) + ")";
}

std::string_view explained(ckpt::dialect kind) {
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
  }
  return "";
}

std::string dialect_words(const report& about) {
  if (!about.is_named) return "unknown";
  return string_of(ckpt::name(about.map.kind)) + ": " + std::string(explained(about.map.kind));
}

std::string slot_words(const report& about) {
  if (!about.has_map) return "unknown";
  static constexpr std::string_view words[] = {"none", "1 (m)", "2 (m, v)"};
  return std::string(words[about.map.slot_count]);
}

std::string counter_words(const report& about, const number& counter) {
  if (counter) return grouped(*counter);
  const bool may_be_lost = !about.is_named || about.map.kind == ckpt::dialect::draft_d2;
  return may_be_lost ? "unknown" : "not stored";
}

/// The part of a file that text shows as a table: every located section, tensor by tensor.
struct listing {
  std::vector<std::size_t> parts;  ///< the weights first
  std::vector<entries> sections;
  bool has_own_slot_sizes = false;
};

/// Whether a slot has bytes, and others than its weight.
bool has_own_size(const ckpt::table_entry& slot, const ckpt::table_entry& weight) {
  return slot.bytes != 0 && slot.bytes != weight.bytes;
}

listing list_all(const report& about) {
  listing all;
  all.parts = about.parts;
  for (const std::size_t section : about.parts) all.sections.push_back(list(about, section));
  for (const entries& slots : all.sections)
    for (std::size_t i = 0; i < slots.size() && !all.has_own_slot_sizes; ++i)
      all.has_own_slot_sizes = has_own_size(slots[i], all.sections[0][i]);
  return all;
}

/// Bytes between the table of a section and its first tensor.
std::uint64_t gap_of(const report& about, std::size_t section, const entries& listed) {
  const ckpt::section_bounds& bounds = about.map.sections[section];
  std::uint64_t first = bounds.end;
  for (const ckpt::table_entry& entry : listed)
    if (entry.bytes != 0) first = (std::min)(first, entry.offset + about.map.shift);
  return first - bounds.payload;
}

std::string gap_words(const report& about, const listing& all) {
  std::string words;
  for (std::size_t p = 0; p < all.parts.size(); ++p) {
    const std::size_t section = all.parts[p];
    const std::uint64_t gap = gap_of(about, section, all.sections[p]);
    if (gap == 0) continue;
    words += (words.empty() ? "" : ", ") + grouped(gap) + " at byte " +
             grouped(about.map.sections[section].payload) + " (" + section_name(section) + ")";
  }
  return words.empty() ? "none" : words + " belong to no tensor";
}

using row = std::vector<std::string>;

row title_row(const listing& all) {
  row cells = {"index", "weight offset", "bytes"};
  for (std::size_t p = 1; p < all.parts.size(); ++p) {
    cells.push_back(section_name(all.parts[p]) + " offset");
    if (all.has_own_slot_sizes) cells.push_back(section_name(all.parts[p]) + " bytes");
  }
  return cells;
}

std::string offset_cell(const report& about, std::size_t section, const ckpt::table_entry& entry,
                        const ckpt::table_entry& weight) {
  if (!entry.is_stored) return "-";
  const ckpt::section_bounds& bounds = about.map.sections[section];
  const std::uint64_t begin = entry.offset + about.map.shift;
  const bool is_inside = begin >= bounds.payload && begin <= bounds.end;
  if (section != 0 && is_inside && entry.bytes == 0 && weight.bytes != 0) return "empty";
  return grouped(entry.offset);
}

row tensor_row(const report& about, const listing& all, std::size_t index) {
  const ckpt::table_entry& weight = all.sections[0][index];
  row cells = {std::to_string(index)};
  for (std::size_t p = 0; p < all.parts.size(); ++p) {
    const ckpt::table_entry& entry = all.sections[p][index];
    cells.push_back(offset_cell(about, all.parts[p], entry, weight));
    if (p == 0 || all.has_own_slot_sizes)
      cells.push_back(entry.is_stored ? grouped(entry.bytes) : "-");
  }
  return cells;
}

std::uint64_t total_bytes(const entries& listed) {
  std::uint64_t total = 0;
  for (const ckpt::table_entry& entry : listed) total += entry.bytes;
  return total;
}

row total_row(const listing& all) {
  row cells = {"total"};
  for (std::size_t p = 0; p < all.parts.size(); ++p) {
    cells.push_back("");
    if (p == 0 || all.has_own_slot_sizes) cells.push_back(grouped(total_bytes(all.sections[p])));
  }
  return cells;
}

void widen(std::vector<std::size_t>& widths, const row& cells) {
  widths.resize((std::max)(widths.size(), cells.size()), 0);
  for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = (std::max)(widths[i], cells[i].size());
}

void put_row(const std::vector<std::size_t>& widths, const row& cells, std::string_view remark) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += std::string(widths[i] - cells[i].size() + (i == 0 ? 0 : 2), ' ') + cells[i];
  line += remark;
  line.erase(line.find_last_not_of(' ') + 1);
  put(line + "\n");
}

std::string slot_totals(const listing& all) {
  std::string words;
  for (std::size_t p = 1; p < all.parts.size(); ++p)
    words += ", " + section_name(all.parts[p]) + " " + grouped(total_bytes(all.sections[p]));
  return words.empty() ? words : "  " + words.substr(2);
}

void put_table(const report& about, const listing& all) {
  const std::size_t count = all.sections[0].size();
  std::vector<std::size_t> widths;
  widen(widths, title_row(all));
  widen(widths, total_row(all));
  for (std::size_t i = 0; i < count; ++i) widen(widths, tensor_row(about, all, i));
  put("\n");
  put_row(widths, title_row(all), "");
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_fault = !about.is_valid() && about.error.tensor == i;
    const std::string remark = "  <- " + section_name(about.error.part);
    put_row(widths, tensor_row(about, all, i), is_fault ? remark : "");
  }
  put_row(widths, total_row(all), all.has_own_slot_sizes ? "" : slot_totals(all));
}

void put_summary(const report& about, const listing& all) {
  put("file      " + shown(about.file) + "\n");
  put("dialect   " + dialect_words(about) + "\n");
  put("size      " + size_words(about.file_bytes.value_or(0)) + "\n");
  put("tensors   " + (about.has_map ? grouped(about.map.tensor_count) : "unknown") + "\n");
  put("slots     " + slot_words(about) + "\n");
  put("step      " + counter_words(about, about.step) + "\n");
  put("epoch     " + counter_words(about, about.epoch) + "\n");
  if (about.is_named) put("gaps      " + gap_words(about, all) + "\n");
}

void put_fault(const report& about) {
  const ckpt::status& error = about.error;
  const std::string part = section_name(error.part);
  std::string place = part.empty() ? "the file" : part;
  if (error.tensor != ckpt::no_tensor) place += ", tensor " + std::to_string(error.tensor);
  if (error.offset != ckpt::no_offset) place += ", byte " + grouped(error.offset);
  put("\nINVALID   " + message_of(error) + "\n");
  put("kind      " + string_of(ckpt::name(error.kind)) + "\n");
  put("where     " + place + "\n");
  if (!has_figures(error)) return;
  put("expected  " + grouped(error.expected) + "\n");
  put("found     " + grouped(error.found) + "\n");
}

void put_text_inspection(const report& about) {
  const listing all = list_all(about);
  put_summary(about, all);
  if (!all.sections.empty() && !all.sections[0].empty()) put_table(about, all);
  if (!about.is_valid()) put_fault(about);
}

std::string error_words(const report& about) {
  return string_of(ckpt::name(about.error.kind)) + ": " + message_of(about.error);
}

std::string counted(std::uint64_t count, const std::string& what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

void put_text_verdict(const report& about) {
  if (!about.is_valid()) return put(shown(about.file) + ": invalid: " + error_words(about) + "\n");
  put(shown(about.file) + ": valid (" + string_of(ckpt::name(about.map.kind)) + ", " +
      counted(about.map.tensor_count, "tensor") + ", " + counted(about.map.slot_count, "slot") +
      ", step " + counter_words(about, about.step) + ")\n");
}

// ---------------------------------------------------------------- the command line

struct request {
  std::string_view command;  ///< inspect, verify, --help or --version
  std::vector<std::string> files;
  bool as_json = false;
  ckpt::slot_sizes sizes = ckpt::slot_sizes::like_weights;
  std::string problem;  ///< what is wrong with the command line, if anything is
};

/// Takes the option at `index`, and its value if it has one.
void take_option(const std::vector<std::string_view>& words, std::size_t& index, request& asked) {
  const std::string_view word = words[index];
  if (word == "--help" || word == "-h") {
    asked.command = "--help";
  } else if (word == "--version") {
    asked.command = word;
  } else if (word == "--json") {
    asked.as_json = true;
  } else if (word == "--slots=any") {
    asked.sizes = ckpt::slot_sizes::any;
  } else if (word == "--slots" && index + 1 < words.size() && words[index + 1] == "any") {
    asked.sizes = ckpt::slot_sizes::any;
    ++index;
  } else if (word.substr(0, 7) == "--slots") {
    asked.problem = "--slots takes one value, any";
  } else {
    asked.problem = "unknown option " + shown(word);
  }
}

void check(request& asked) {
  if (!asked.problem.empty() || asked.command == "--help" || asked.command == "--version") return;
  if (asked.command.empty()) {
    asked.problem = "no command given";
  } else if (asked.command != "inspect" && asked.command != "verify") {
    asked.problem = "unknown command " + shown(asked.command);
  } else if (asked.files.empty()) {
    asked.problem = "no file given";
  } else if (asked.command == "inspect" && asked.files.size() > 1) {
    asked.problem = "inspect takes one file";
  }
}

request parse(const std::vector<std::string_view>& words) {
  request asked;
  bool only_files = false;
  for (std::size_t i = 0; i < words.size() && asked.problem.empty(); ++i) {
    const std::string_view word = words[i];
    if (!only_files && word == "--")
      only_files = true;
    else if (!only_files && word.size() > 1 && word[0] == '-')
      take_option(words, i, asked);
    else if (asked.command.empty())
      asked.command = word;
    else
      asked.files.emplace_back(word);
  }
  check(asked);
  return asked;
}

void put_report(const request& asked, const report& about) {
  if (!about.was_read)
    complain("ckpt: cannot read '" + shown(about.file) + "': " + error_words(about) + "\n");
  if (asked.as_json && asked.command == "inspect") put_json_inspection(about);
  if (asked.as_json && asked.command == "verify") put_json_verdict(about);
  if (asked.as_json || !about.was_read) return;
  if (asked.command == "inspect") put_text_inspection(about);
  if (asked.command == "verify") put_text_verdict(about);
}

int run(const request& asked) {
  if (!asked.problem.empty()) {
    complain("ckpt: " + asked.problem + "\n" + std::string(usage));
    return exit_unusable;
  }
  if (asked.command == "--help") put(std::string(usage) + std::string(help));
  if (asked.command == "--version") put("ckpt " CKPT_VERSION_STRING "\n");
  int worst = exit_valid;
  for (const std::string& file : asked.files) {
    const report about = examine(file, asked.sizes);
    put_report(asked, about);
    worst = (std::max)(worst, about.exit_code());
  }
  return worst;
}

}  // namespace

int main(int argc, char** argv) try {
  const int status = run(parse({argv + (std::min)(argc, 1), argv + argc}));
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  complain("ckpt: the output cannot be written\n");
  return exit_unusable;
} catch (const std::bad_alloc&) {
  complain("ckpt: out of memory\n");
  return exit_unusable;
}
