#ifndef CKPT_TOOL_EXTRACT_HPP
#define CKPT_TOOL_EXTRACT_HPP

#include <string>

#include "ckpt/interop/npy.hpp"
#include "command_line.hpp"
#include "exit_status.hpp"
#include "held_json.hpp"
#include "section_names.hpp"
#include "source.hpp"
#include "target_path.hpp"

/// `ckpt extract FILE NAME --npy OUT.npy`
namespace tool {

/// A weight or a slot of open contents.
struct payload_place {
  std::size_t section = 0;
  std::size_t index = 0;
};

/// Finds what is asked for.
/// @errors no_such_tensor
inline ckpt::file_result<payload_place> find_payload(const ckpt::contents_view& view,
                                                     const request& asked) {
  const auto missing = [&](const std::string& what) -> ckpt::file_result<payload_place> {
    return {ckpt::fail(ckpt::errc::no_such_tensor), "'" + asked.words[0] + "' has no " + what};
  };
  payload_place place;
  while (place.index < view.model.size() && view.model[place.index].name() != asked.words[1])
    ++place.index;
  if (place.index == view.model.size()) return missing("tensor '" + asked.words[1] + "'");
  const ckpt::role purpose = view.model[place.index].purpose();
  if (asked.slot.empty() && purpose != ckpt::role::absent) return place;
  if (asked.slot.empty()) return missing("bytes of '" + asked.words[1] + "', which is absent");
  std::size_t slot = 0;
  while (slot < view.optimizer.slot_count && slot_text(view, slot) != asked.slot) ++slot;
  if (slot == view.optimizer.slot_count || purpose != ckpt::role::trainable)
    return missing("slot '" + asked.slot + "' of '" + asked.words[1] +
                   "' (slots: " + slot_list(view) + ")");
  place.section = 1 + slot;
  return place;
}

inline void put_json_extraction(const request& asked, const ckpt::contents_view& view,
                                const payload_place& place) {
  const bool is_slot = !asked.slot.empty();
  json_writer json;
  json.object();
  json.member("file", asked.words[0]);
  json.member("name", asked.words[1]);
  json.member("slot", is_slot ? std::optional<std::string>(asked.slot) : std::nullopt);
  json.member("output", asked.npy);
  put_json_payload(json, view, place.section, place.index, nullptr);
  json.end();
}

inline int extract(const request& asked, const hints& said) {
  const auto stop = [&](const ckpt::status& error, const std::string& words) {
    complain("ckpt: " + shown(words) + "\n");
    if (asked.json) put_json_failure(asked.words[0], error, words);
    return exit_code_of(error);
  };
  std::string words;
  const ckpt::status free = check_target(asked.npy, asked.words[0], asked.force, false, words);
  if (!free.ok()) return stop(free, words);
  const auto opened = open_source(asked.words[0], said);
  if (!opened.ok()) return stop(opened.error(), opened.message());
  const ckpt::contents_view view = opened->held.view();
  const auto place = find_payload(view, asked);
  if (!place.ok()) return stop(place.error(), place.message());
  const ckpt::tensor_form form = view.form(place->section, place->index);
  const auto saved = ckpt::npy::save(asked.npy, form, view.bytes(place->section, place->index));
  if (!saved.ok()) return stop(saved.error(), saved.message());
  if (asked.json) {
    put_json_extraction(asked, view, *place);
  } else {
    put(shown(asked.npy) + ": " + form_text(form) + "\n");
  }
  return exit_ok;
}

}  // namespace tool

#endif  // CKPT_TOOL_EXTRACT_HPP
