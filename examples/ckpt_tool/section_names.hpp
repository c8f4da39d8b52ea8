#ifndef CKPT_TOOL_SECTION_NAMES_HPP
#define CKPT_TOOL_SECTION_NAMES_HPP

#include <cstddef>
#include <optional>
#include <string>

#include "ckpt/base/status.hpp"
#include "json.hpp"

namespace tool {

/// Where a file has no names: the weights, then the slots as Adam calls them.
inline std::string section_name(std::size_t section) {
  if (section == 0) return "weights";
  if (section > 2) return "slot " + std::to_string(section);
  return section == 1 ? "m" : "v";
}

/// Empty where the error is about no part of the file.
inline std::string section_name(ckpt::section part) {
  switch (part) {
    case ckpt::section::none: return "";
    case ckpt::section::header: return "header";
    case ckpt::section::weights: return section_name(std::size_t{0});
    case ckpt::section::footer: return "footer";
    case ckpt::section::manifest: return "manifest";
    case ckpt::section::padding: return "padding";
    default: break;
  }
  return section_name(static_cast<std::size_t>(part) + 1 -
                      static_cast<std::size_t>(ckpt::section::first_slot));
}

/// What the file demands differs from what it holds; two zeros mean that neither applies.
inline bool has_figures(const ckpt::status& error) {
  return error.expected != 0 || error.found != 0;
}

/// @param words  what to say in place of the message of the status, if anything
inline void put_json_error(json_writer& json, const ckpt::status& error, const std::string& words) {
  const auto known = [](bool applies, std::uint64_t value) {
    return applies ? std::optional<std::uint64_t>(value) : std::nullopt;
  };
  const std::string part = section_name(error.part);
  json.object("error", json_writer::style::one_line);
  json.member("kind", ckpt::name(error.kind));
  json.member("section", part.empty() ? std::nullopt : std::optional<std::string>(part));
  json.member("tensor", known(error.tensor != ckpt::no_tensor, error.tensor));
  json.member("offset", known(error.offset != ckpt::no_offset, error.offset));
  json.member("expected", known(has_figures(error), error.expected));
  json.member("found", known(has_figures(error), error.found));
  json.member("message", words.empty() ? message_of(error) : words);
  json.end();
}

/// A document that says only why there is nothing to say of a file.
inline void put_json_failure(const std::string& file, const ckpt::status& error,
                             const std::string& words) {
  json_writer json;
  json.object();
  json.member("file", file);
  put_json_error(json, error, words);
  json.end();
}

}  // namespace tool

#endif  // CKPT_TOOL_SECTION_NAMES_HPP
