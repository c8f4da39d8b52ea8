#ifndef CKPT_IO_DETAIL_PATH_TEXT_HPP
#define CKPT_IO_DETAIL_PATH_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ckpt {

namespace detail {

// Char is char on POSIX, where a path is bytes, and wchar_t on Windows, where it is UTF-16.
// Everything about text of paths is here, so that char16_t tests the Windows half anywhere.
template <class Char>
inline constexpr bool is_wide_v = sizeof(Char) > 1;

/// Reads one character of strict UTF-8 (shortest form, no surrogates) and moves `at` behind it.
[[nodiscard]] inline bool next_utf8(std::string_view text, std::size_t& at,
                                    std::uint32_t& point) noexcept {
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(text[i])};
  };
  const std::uint32_t lead = byte(at++);
  if (lead < 0x80) return point = lead, true;
  if (lead < 0xC2 || lead > 0xF4) return false;
  const std::size_t more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  if (text.size() - at < more) return false;
  point = lead & (0x3FU >> more);
  for (std::size_t i = 0; i < more; ++i, ++at) {
    if ((byte(at) & 0xC0U) != 0x80U) return false;
    point = (point << 6) | (byte(at) & 0x3FU);
  }
  constexpr std::uint32_t least[] = {0x80, 0x800, 0x10000};
  return point >= least[more - 1] && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
}

inline void append_utf8(std::string& out, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto tail = [&](unsigned shift) { put(0x80U | ((point >> shift) & 0x3FU)); };
  if (point < 0x80) return put(point);
  if (point < 0x800) return put(0xC0U | (point >> 6)), tail(0);
  if (point < 0x10000) return put(0xE0U | (point >> 12)), tail(6), tail(0);
  put(0xF0U | (point >> 18)), tail(12), tail(6), tail(0);
}

/// Turns UTF-8 into the text of a path; false if it is not UTF-8. Bytes stay as they are.
template <class Char>
[[nodiscard]] bool decode_path(std::string_view text, std::basic_string<Char>& out) {
  if constexpr (is_wide_v<Char>) {
    for (std::size_t at = 0; at < text.size();) {
      std::uint32_t point = 0;
      if (!next_utf8(text, at, point)) return false;
      if (point >= 0x10000) {
        out.push_back(static_cast<Char>(0xD800U + ((point - 0x10000U) >> 10)));
        point = 0xDC00U + ((point - 0x10000U) & 0x3FFU);
      }
      out.push_back(static_cast<Char>(point));
    }
  } else {
    out.assign(text);
  }
  return true;
}

/// The other way round, for messages: what is not UTF-16 becomes U+FFFD.
template <class Char>
[[nodiscard]] std::string encode_path(std::basic_string_view<Char> text) {
  if constexpr (is_wide_v<Char>) {
    const auto unit = [&](std::size_t i) { return static_cast<std::uint32_t>(text[i]) & 0xFFFFU; };
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::uint32_t point = unit(at);
      const bool high = point >= 0xD800 && point < 0xDC00;
      if (high && at + 1 < text.size() && (unit(at + 1) & 0xFC00U) == 0xDC00U)
        point = 0x10000U + ((point & 0x3FFU) << 10) + (unit(++at) & 0x3FFU);
      append_utf8(out, point >= 0xD800 && point <= 0xDFFF ? 0xFFFDU : point);
    }
    return out;
  } else {
    return std::string(text);
  }
}

template <class Char>
[[nodiscard]] constexpr bool is_separator(Char c) noexcept {
  return c == Char('/') || (is_wide_v<Char> && c == Char('\\'));
}

/// Where the last component begins.
template <class Char>
[[nodiscard]] constexpr std::size_t name_offset(std::basic_string_view<Char> text) noexcept {
  std::size_t at = text.size();
  while (at > 0 && !is_separator(text[at - 1])) {
    if (is_wide_v<Char> && at == 2 && text[1] == Char(':')) return at;  // C:name
    --at;
  }
  return at;
}

/// What stands before the last component, without the separator unless that makes it the root.
template <class Char>
[[nodiscard]] std::basic_string<Char> parent_of(std::basic_string_view<Char> text) {
  std::size_t size = name_offset(text);
  if (size == 0) return std::basic_string<Char>(1, Char('.'));
  while (size > 1 && is_separator(text[size - 1])) {
    if (is_wide_v<Char> && text[size - 2] == Char(':')) break;
    --size;
  }
  return std::basic_string<Char>(text.substr(0, size));
}

/// An entry of a directory, behind the separator that the system prefers; none behind "C:", which
/// is the directory that this drive is in, nor where one stands already.
template <class Char>
[[nodiscard]] std::basic_string<Char> joined(std::basic_string_view<Char> directory,
                                             std::basic_string_view<Char> entry) {
  std::basic_string<Char> out(directory);
  const bool is_drive = is_wide_v<Char> && out.size() == 2 && out[1] == Char(':');
  if (!out.empty() && !is_separator(out.back()) && !is_drive)
    out.push_back(is_wide_v<Char> ? Char('\\') : Char('/'));
  out.append(entry);
  return out;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_DETAIL_PATH_TEXT_HPP
