#ifndef CKPT_TOOL_JSON_HPP
#define CKPT_TOOL_JSON_HPP

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output.hpp"

/// JSON in plain ASCII. What is not UTF-8 becomes U+FFFD; numbers that JSON does not know are the
/// strings "nan", "inf" and "-inf".
namespace tool {

inline std::string escaped(std::uint32_t code) {
  if (code == '"') return "\\\"";
  if (code == '\\') return "\\\\";
  if (code >= 0x20 && code < 0x7F) return std::string(1, static_cast<char>(code));
  if (code < 0x10000) return "\\u" + hex(code, 4);
  const std::uint32_t rest = code - 0x10000;
  return "\\u" + hex(0xD800U | rest >> 10U, 4) + "\\u" + hex(0xDC00U | (rest & 0x3FFU), 4);
}

inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const code_point next = first_code_point(text);
    out += escaped(next.value);
    text.remove_prefix(next.bytes);
  }
  return out + '"';
}

inline std::string json_of(std::string_view text) {
  return quoted(text);
}
inline std::string json_of(const std::string& text) {
  return quoted(text);
}
inline std::string json_of(const char* text) {
  return quoted(text);
}
inline std::string json_of(ckpt::name_view name) {
  return quoted(std::string_view(name));
}
inline std::string json_of(bool value) {
  return value ? "true" : "false";
}
inline std::string json_of(std::nullptr_t) {
  return "null";
}
/// A double always looks like one.
inline std::string json_of(double value) {
  if (!std::isfinite(value)) return quoted(real_text(value));
  std::string text = real_text(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}
template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
std::string json_of(Integer value) {
  return std::to_string(value);
}
template <class T>
std::string json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : "null";
}

/// Writes one document to the standard output, piece by piece. A container is closed by `end()`.
class json_writer {
 public:
  enum class style : std::uint8_t {
    lines,
    one_line  ///< with everything in it
  };

  json_writer() = default;
  json_writer(const json_writer&) = delete;
  json_writer& operator=(const json_writer&) = delete;
  ~json_writer() { put(text_); }

  void object(style how = style::lines) { open('{', how); }
  void array(style how = style::lines) { open('[', how); }
  void object(std::string_view key, style how = style::lines) {
    name(key);
    open('{', how);
  }
  void array(std::string_view key, style how = style::lines) {
    name(key);
    open('[', how);
  }

  template <class Value>
  void member(std::string_view key, const Value& value) {
    name(key);
    element(value);
  }
  template <class Value>
  void element(const Value& value) {
    begin_value();
    text_ += json_of(value);
  }

  void end() {
    const level closed = levels_.back();
    levels_.pop_back();
    if (!closed.is_empty && !closed.is_one_line) new_line();
    text_ += closed.closing;
    if (levels_.empty()) text_ += '\n';
    if (text_.size() > longest) {
      put(text_);
      text_.clear();
    }
  }

 private:
  static constexpr std::size_t longest = 1 << 20;

  struct level {
    char closing;
    bool is_one_line;
    bool is_empty;
  };

  void open(char opening, style how) {
    begin_value();
    const bool is_one_line =
        how == style::one_line || (!levels_.empty() && levels_.back().is_one_line);
    levels_.push_back({opening == '{' ? '}' : ']', is_one_line, true});
    text_ += opening;
  }

  void name(std::string_view key) {
    begin_value();
    text_ += quoted(key) + ": ";
    is_named_ = true;
  }

  /// Puts what stands between two values, unless there is a key in front of the second.
  void begin_value() {
    const bool has_key = is_named_;
    is_named_ = false;
    if (has_key || levels_.empty()) return;
    level& now = levels_.back();
    if (!now.is_empty) text_ += now.is_one_line ? ", " : ",";
    if (!now.is_one_line) new_line();
    now.is_empty = false;
  }

  void new_line() { text_ += '\n' + std::string(2 * levels_.size(), ' '); }

  std::string text_;
  std::vector<level> levels_;
  bool is_named_ = false;
};

}  // namespace tool

#endif  // CKPT_TOOL_JSON_HPP
