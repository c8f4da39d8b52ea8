#ifndef CKPT_TOOL_FORMATS_HPP
#define CKPT_TOOL_FORMATS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tool {

/// What `convert` can write.
enum class format : std::uint8_t {
  onert,
  onert_micro,
  onert_plus,
  onert_micro_plus,
  v2,
  safetensors,
  oneflow,
  paddle,
  npy
};

inline constexpr std::string_view format_names[] = {
    "onert",   "onert_micro", "onert_plus", "onert_micro_plus", "v2", "safetensors",
    "oneflow", "paddle",      "npy"};

inline std::string_view name(format which) {
  return format_names[static_cast<std::size_t>(which)];
}

/// "onert, onert_micro, ..."
inline std::string format_list() {
  std::string words;
  for (const std::string_view each : format_names)
    words += (words.empty() ? "" : ", ") + std::string(each);
  return words;
}

/// The format of this name; `onert-micro` is `onert_micro`.
inline std::optional<format> format_named(std::string wanted) {
  for (char& c : wanted)
    if (c == '-') c = '_';
  for (std::size_t i = 0; i < std::size(format_names); ++i)
    if (format_names[i] == wanted) return static_cast<format>(i);
  return std::nullopt;
}

inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

/// The only format whose files end like this, if there is one.
inline std::optional<format> format_of_file(std::string_view file) {
  if (ends_with(file, ".safetensors")) return format::safetensors;
  if (ends_with(file, ".npy")) return format::npy;
  return std::nullopt;
}

/// Whether OUT becomes a directory.
inline bool is_directory_format(format which, std::string_view file) {
  return which == format::oneflow || which == format::paddle ||
         (which == format::npy && !ends_with(file, ".npy"));
}

}  // namespace tool

#endif  // CKPT_TOOL_FORMATS_HPP
