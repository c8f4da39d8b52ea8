#ifndef CKPT_INTEROP_REPORT_HPP
#define CKPT_INTEROP_REPORT_HPP

#include <cstdint>
#include <string>

#include "ckpt/base/status.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

namespace detail {

/// "cannot read 'a.npy': <what, where, expected, found>; <note>". The note names what a status has
/// no room for: a tensor, a token, a line.
[[nodiscard]] inline std::string foreign_message(const char* verb, const std::string& subject,
                                                 const status& failed, const std::string& note) {
  text words;
  words << explain(failed.kind).what;
  append_place(words, failed);
  if (failed.expected != 0 || failed.found != 0)
    words << "; expected " << failed.expected << ", found " << failed.found;
  if (failed.os_code != 0) words << "; OS code " << static_cast<std::uint64_t>(failed.os_code);
  std::string message = std::string("cannot ") + verb + " " + subject + ": " + words.c_str();
  if (!note.empty()) message += "; " + note;
  return message;
}

/// `'name'`, cut where it is too long for a sentence.
[[nodiscard]] inline std::string in_quotes(name_view words) {
  constexpr std::size_t longest = 200;
  if (words.size() <= longest) return "'" + std::string(words) + "'";
  return "'" + std::string(words.data(), longest) + "...'";
}

[[nodiscard]] inline std::string quoted_path(const path& name) {
  return "'" + name.to_utf8() + "'";
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_INTEROP_REPORT_HPP
