#ifndef CKPT_TOOL_OUTPUT_HPP
#define CKPT_TOOL_OUTPUT_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ckpt/base/name.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/model/model.hpp"

/// Words and numbers for a person at a terminal. Nothing depends on the locale.
namespace tool {

inline void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

inline void complain(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

inline std::string string_of(ckpt::name_view name) {
  return std::string(name);
}

inline std::string message_of(const ckpt::status& error) {
  return string_of(error.message().view());
}

/// "cannot open 'a.ckpt': <what and where>; tensor 1 is 'fc.bias'". Not yet fit for a terminal.
inline std::string failure_words(const std::string& verb, const std::string& file,
                                 const ckpt::status& error, const ckpt::model_view& model = {}) {
  std::string words = "cannot " + verb + " '" + file + "': " + message_of(error);
  if (error.tensor < model.size() && !model[error.tensor].name().empty())
    words += "; tensor " + std::to_string(error.tensor) + " is '" +
             string_of(model[error.tensor].name()) + "'";
  return words;
}

inline std::string hex(std::uint64_t value, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; value >>= 4U) text[i] = "0123456789abcdef"[value & 0xFU];
  return text;
}

struct code_point {
  std::uint32_t value = 0xFFFD;
  std::size_t bytes = 1;
  bool is_text = false;  ///< else the bytes are no UTF-8
};

/// The first code point of a text. What is not UTF-8 becomes U+FFFD, as Unicode recommends: once
/// for each longest piece that could have begun a code point.
inline code_point first_code_point(std::string_view text) {
  const auto at = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const std::uint32_t lead = at(0);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  std::uint32_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  std::uint32_t value = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i, low = 0x80, high = 0xBF) {
    if (at(i) < low || at(i) > high) return {0xFFFD, i, false};
    value = value << 6U | (at(i) & 0x3FU);
  }
  return {value, size, true};
}

/// Whether a code point moves the cursor, changes how a terminal works, or turns the direction in
/// which text is read.
inline bool is_trick(std::uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool is_direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                            (code >= 0x2028 && code <= 0x202E) ||
                            (code >= 0x2066 && code <= 0x2069);
  return is_control || is_direction;
}

/// A name from anywhere that cannot play tricks on a terminal.
inline std::string shown(ckpt::name_view name) {
  std::string_view text(name);
  std::string out;
  while (!text.empty()) {
    const code_point next = first_code_point(text);
    const bool is_wide = next.is_text && next.value > 0xFF;
    if (next.is_text && !is_trick(next.value)) {
      out += text.substr(0, next.bytes);
    } else if (is_wide) {
      out += "\\u" + hex(next.value, 4);
    } else {
      for (const char c : text.substr(0, next.bytes))
        out += "\\x" + hex(static_cast<unsigned char>(c), 2);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

/// 13947860 as 13,947,860.
inline std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

/// 41843548 as 41,843,548 bytes (39.9 MiB).
inline std::string size_words(std::uint64_t bytes) {
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

inline std::string counted(std::uint64_t count, const std::string& what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

/// A number with so many significant digits, and a point whatever the locale says.
inline std::string real_text(double value, int digits) {
  if (value != value) return "nan";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  std::string made = text;
  for (char& c : made)
    if (c == ',') c = '.';
  return made;
}

/// The shortest text that gives the same number again.
inline std::string real_text(double value) {
  char text[40];
  for (const int digits : {15, 16, 17}) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (digits == 17 || std::strtod(text, nullptr) == value) return real_text(value, digits);
  }
  return {};
}

}  // namespace tool

#endif  // CKPT_TOOL_OUTPUT_HPP
