#ifndef CKPT_TOOL_DIFF_HPP
#define CKPT_TOOL_DIFF_HPP

#include <string>
#include <vector>

#include "command_line.hpp"
#include "compare.hpp"
#include "exit_status.hpp"
#include "progress.hpp"
#include "section_names.hpp"
#include "structure_diff.hpp"

/// `ckpt diff A B`
namespace tool {

/// Everything that two checkpoints were compared for.
struct comparison {
  const source& a;
  const source& b;
  const structure_diff& structure;
  std::vector<difference> elements;  ///< of each pair of payloads
  std::uint64_t different = 0;       ///< pairs that are

  [[nodiscard]] bool is_equal() const { return different == 0 && structure.findings().empty(); }
};

inline void compare_elements(comparison& made) {
  progress shown_progress;
  std::uint64_t total = 0;
  for (const payload_pair& pair : made.structure.pairs()) total += pair.a.size();
  shown_progress.begin("comparing", total);
  for (const payload_pair& pair : made.structure.pairs()) {
    made.elements.push_back(compare(pair.type, pair.a, pair.b));
    if (made.elements.back().different > 0) ++made.different;
    shown_progress.advance(pair.a.size());
  }
}

inline std::string title(const payload_pair& pair) {
  return pair.slot.empty() ? pair.name : pair.slot + " of " + pair.name;
}

inline void put_text_finding(const finding& each) {
  std::string line = each.what + (each.of.empty() ? "" : " " + shown(each.of)) + ": ";
  if (each.a && each.b)
    line += shown(*each.a) + " | " + shown(*each.b);
  else
    line += "only in " + std::string(each.a ? "A" : "B") + ": " + shown(each.a ? *each.a : *each.b);
  put(line + "\n");
}

inline void put_text_difference(const payload_pair& pair, const difference& found) {
  std::string line = shown(title(pair)) + ": " + grouped(found.different) + " of " +
                     counted(found.elements, "element") + " differ, max abs " +
                     scalar_text(found.largest, 6) + ", max rel " +
                     real_text(found.largest_relative, 6);
  if (found.nans > 0) line += " (" + grouped(found.nans) + " with a NaN left aside)";
  line += ", first at " + grouped(found.first) + ": " + scalar_text(found.first_a) + " | " +
          scalar_text(found.first_b);
  put(line + "\n");
}

inline void put_text(const comparison& made) {
  put("A " + shown(made.a.file) + " (" + made.a.format + ")\n");
  put("B " + shown(made.b.file) + " (" + made.b.format + ")\n");
  if (made.structure.is_by_position()) put("compared by position\n");
  for (const finding& each : made.structure.findings()) put_text_finding(each);
  for (std::size_t k = 0; k < made.elements.size(); ++k)
    if (made.elements[k].different > 0)
      put_text_difference(made.structure.pairs()[k], made.elements[k]);
  put(grouped(made.elements.size() - made.different) + " of " + grouped(made.elements.size()) +
      " weights and slots are equal\n");
  put(made.is_equal() ? "equal\n" : "different\n");
}

inline void put_json_difference(json_writer& json, const payload_pair& pair,
                                const difference& found) {
  json.object(json_writer::style::one_line);
  json.member("name", pair.name);
  json.member("slot", pair.slot.empty() ? std::nullopt : std::optional<std::string>(pair.slot));
  json.member("dtype", ckpt::name(pair.type));
  json.member("elements", found.elements);
  json.member("equal", found.different == 0);
  if (found.different > 0) {
    json.member("different", found.different);
    json.member("nan", found.nans);
    json.member("max_abs", found.largest);
    json.member("max_rel", found.largest_relative);
    json.member("first", found.first);
    json.member("a", found.first_a);
    json.member("b", found.first_b);
  }
  json.end();
}

inline void put_json(const comparison& made) {
  json_writer json;
  json.object();
  json.member("a", made.a.file);
  json.member("b", made.b.file);
  json.member("a_format", made.a.format);
  json.member("b_format", made.b.format);
  json.member("by_position", made.structure.is_by_position());
  json.member("equal", made.is_equal());
  json.array("structure");
  for (const finding& each : made.structure.findings()) {
    json.object(json_writer::style::one_line);
    json.member("what", each.what);
    json.member("of", each.of.empty() ? std::nullopt : std::optional<std::string>(each.of));
    json.member("a", each.a);
    json.member("b", each.b);
    json.end();
  }
  json.end();
  json.array("tensors");
  for (std::size_t k = 0; k < made.elements.size(); ++k)
    put_json_difference(json, made.structure.pairs()[k], made.elements[k]);
  json.end();
  json.end();
}

inline int diff_trouble(const request& asked, const ckpt::file_result<source>& failed) {
  complain("ckpt: " + shown(failed.message()) + "\n");
  if (!asked.json) return exit_trouble;
  json_writer json;
  json.object();
  json.member("a", asked.words[0]);
  json.member("b", asked.words[1]);
  put_json_error(json, failed.error(), failed.message());
  json.end();
  return exit_trouble;
}

inline int diff(const request& asked, const hints& said) {
  const auto a = open_source(asked.words[0], said);
  if (!a.ok()) return diff_trouble(asked, a);
  const auto b = open_source(asked.words[1], said);
  if (!b.ok()) return diff_trouble(asked, b);
  structure_diff structure(*a, *b);
  structure.run();
  comparison made{*a, *b, structure, {}, 0};
  compare_elements(made);
  if (asked.json) {
    put_json(made);
  } else {
    put_text(made);
  }
  return made.is_equal() ? exit_ok : exit_no;
}

}  // namespace tool

#endif  // CKPT_TOOL_DIFF_HPP
