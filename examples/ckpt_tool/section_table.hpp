#ifndef CKPT_TOOL_SECTION_TABLE_HPP
#define CKPT_TOOL_SECTION_TABLE_HPP

#include <algorithm>
#include <string>
#include <vector>

#include "report.hpp"
#include "section_names.hpp"
#include "table.hpp"

/// The tensors of a file without names: where they lie, and how large they are.
namespace tool {

/// The part of a file that text shows as a table: every located section, tensor by tensor.
struct listing {
  std::vector<std::size_t> parts;  ///< the weights first
  std::vector<entries> sections;
  bool has_own_slot_sizes = false;
};

/// Whether a slot has bytes, and others than its weight.
inline bool has_own_size(const ckpt::table_entry& slot, const ckpt::table_entry& weight) {
  return slot.bytes != 0 && slot.bytes != weight.bytes;
}

inline listing list_all(const report& about) {
  listing all;
  all.parts = about.parts;
  for (const std::size_t section : about.parts) all.sections.push_back(list(about, section));
  for (const entries& slots : all.sections)
    for (std::size_t i = 0; i < slots.size() && !all.has_own_slot_sizes; ++i)
      all.has_own_slot_sizes = has_own_size(slots[i], all.sections[0][i]);
  return all;
}

/// Bytes between the table of a section and its first tensor.
inline std::uint64_t gap_of(const report& about, std::size_t section, const entries& listed) {
  const ckpt::section_bounds& bounds = about.map.sections[section];
  std::uint64_t first = bounds.end;
  for (const ckpt::table_entry& entry : listed)
    if (entry.bytes != 0) first = (std::min)(first, entry.offset + about.map.shift);
  return first - bounds.payload;
}

inline std::string gap_words(const report& about, const listing& all) {
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

inline row title_row(const listing& all) {
  row cells = {"index", "weight offset", "bytes"};
  for (std::size_t p = 1; p < all.parts.size(); ++p) {
    cells.push_back(section_name(all.parts[p]) + " offset");
    if (all.has_own_slot_sizes) cells.push_back(section_name(all.parts[p]) + " bytes");
  }
  return cells;
}

inline std::string offset_cell(const report& about, std::size_t section,
                               const ckpt::table_entry& entry, const ckpt::table_entry& weight) {
  if (!entry.is_stored) return "-";
  const ckpt::section_bounds& bounds = about.map.sections[section];
  const std::uint64_t begin = entry.offset + about.map.shift;
  const bool is_inside = begin >= bounds.payload && begin <= bounds.end;
  if (section != 0 && is_inside && entry.bytes == 0 && weight.bytes != 0) return "empty";
  return grouped(entry.offset);
}

inline row tensor_row(const report& about, const listing& all, std::size_t index) {
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

inline std::uint64_t total_bytes(const entries& listed) {
  std::uint64_t total = 0;
  for (const ckpt::table_entry& entry : listed) total += entry.bytes;
  return total;
}

inline row total_row(const listing& all) {
  row cells = {"total"};
  for (std::size_t p = 0; p < all.parts.size(); ++p) {
    cells.push_back("");
    if (p == 0 || all.has_own_slot_sizes) cells.push_back(grouped(total_bytes(all.sections[p])));
  }
  return cells;
}

inline std::string slot_totals(const listing& all) {
  std::string words;
  for (std::size_t p = 1; p < all.parts.size(); ++p)
    words += ", " + section_name(all.parts[p]) + " " + grouped(total_bytes(all.sections[p]));
  return words.empty() ? words : "  " + words.substr(2);
}

inline void put_sections(const report& about, const listing& all) {
  table shown_rows;
  shown_rows.add(title_row(all));
  for (std::size_t i = 0; i < all.sections[0].size(); ++i) {
    const bool is_fault = !about.is_valid() && about.error.tensor == i;
    shown_rows.add(tensor_row(about, all, i),
                   is_fault ? "  <- " + section_name(about.error.part) : "");
  }
  shown_rows.add(total_row(all), all.has_own_slot_sizes ? "" : slot_totals(all));
  put("\n");
  shown_rows.print();
}

}  // namespace tool

#endif  // CKPT_TOOL_SECTION_TABLE_HPP
