#ifndef CKPT_TOOL_VERIFY_HPP
#define CKPT_TOOL_VERIFY_HPP

#include <algorithm>
#include <string>

#include "inspect.hpp"

/// `ckpt verify FILE...`
namespace tool {

inline void put_json_verdict(const report& about) {
  json_writer json;
  json.object(json_writer::style::one_line);
  json.member("file", about.file);
  json.member("valid", about.is_valid());
  json.member("dialect", about.kind.empty() ? std::nullopt : std::optional(about.kind));
  if (about.is_valid()) {
    json.member("error", nullptr);
  } else {
    put_json_error(json, about.error, about.words);
  }
  json.end();
}

inline void put_text_verdict(const report& about) {
  if (!about.is_valid()) return put(shown(about.file) + ": invalid: " + error_words(about) + "\n");
  put(shown(about.file) + ": valid (" + about.kind + ", " +
      counted(about.tensor_count.value_or(0), "tensor") + ", " +
      counted(about.slot_count.value_or(0), "slot") + ", step " + counter_words(about, about.step) +
      ")\n");
}

inline int verify(const request& asked, const hints& said) {
  examination how;
  how.said = said;
  int worst = exit_ok;
  for (const std::string& file : asked.words) {
    const report about = examine(file, how);
    complain_unread(about);
    if (asked.json) {
      put_json_verdict(about);
    } else if (about.was_read) {
      put_text_verdict(about);
    }
    worst = (std::max)(worst, about.exit_code());
  }
  return worst;
}

}  // namespace tool

#endif  // CKPT_TOOL_VERIFY_HPP
