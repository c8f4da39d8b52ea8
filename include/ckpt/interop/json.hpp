#ifndef CKPT_INTEROP_JSON_HPP
#define CKPT_INTEROP_JSON_HPP

#include <cstddef>
#include <cstdint>
#include <string>

#include "ckpt/base/name.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/base/utf8.hpp"

/// As much of JSON (RFC 8259) as the headers of tensor containers need: objects, arrays, strings
/// and unsigned integers. Everything else, and every liberty that parsers take, is refused.
namespace ckpt::json {

/// How deep objects and arrays may lie in one another.
inline constexpr std::size_t max_depth = 32;

/// Reads a text from its beginning to its end, token by token, as its caller asks; it builds
/// nothing and needs no memory. Whoever collects keys compares them:
///
///     json::reader text(bytes);
///     if (const status begun = text.begin_object(); !begun.ok()) return begun;
///     for (auto more = text.next_key(key); ; more = text.next_key(key)) {
///       if (!more.ok()) return more.error();
///       if (!*more) break;
///       if (const status read = text.read_string(value); !read.ok()) return read;
///     }
///     return text.end();
class reader {
 public:
  /// @param text          must outlive it
  /// @param first_offset  what is added to the offsets in errors: where the text begins in its file
  explicit reader(bytes_view text, std::uint64_t first_offset = 0) noexcept
      : text_(reinterpret_cast<const char*>(text.data()), text.size()), first_(first_offset) {}
  explicit reader(name_view text, std::uint64_t first_offset = 0) noexcept
      : text_(text), first_(first_offset) {}

  /// The offset of the next byte.
  [[nodiscard]] std::uint64_t offset() const noexcept { return first_ + at_; }

  /// @errors bad_syntax, limit_exceeded (too deep)
  status begin_object() noexcept { return begin('{'); }
  /// @errors bad_syntax, limit_exceeded (too deep)
  status begin_array() noexcept { return begin('['); }

  /// Reads the next key of the object that was begun last, and its colon; false at the end of it.
  /// @errors bad_syntax
  [[nodiscard]] result<bool> next_key(std::string& key) {
    const result<bool> more = next('}');
    if (!more.ok() || !*more) return more;
    if (const status read = read_string(key); !read.ok()) return read;
    skip_space();
    if (!take(':')) return bad();
    return true;
  }

  /// Goes to the next element of the array that was begun last; false at the end of it.
  /// @errors bad_syntax
  [[nodiscard]] result<bool> next_element() noexcept { return next(']'); }

  /// Reads a string; its escapes are resolved.
  /// @errors bad_syntax (also: not UTF-8, half of a surrogate pair)
  status read_string(std::string& to) {
    to.clear();
    skip_space();
    if (!take('"')) return bad();
    while (at_ < text_.size() && text_[at_] != '"') {
      const status read = text_[at_] == '\\' ? read_escape(to) : read_character(to);
      if (!read.ok()) return read;
    }
    return take('"') ? status{} : bad();
  }

  /// Reads an integer from 0 to 2^64 - 1: digits only, no superfluous zeros.
  /// @errors bad_syntax, limit_exceeded (does not fit)
  [[nodiscard]] result<std::uint64_t> read_unsigned() noexcept {
    skip_space();
    const std::size_t first = at_;
    std::uint64_t number = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (at_ > first && number == 0) return bad();
      if (number > (~std::uint64_t{0} - digit) / 10) return fail(errc::limit_exceeded).at(offset());
      number = number * 10 + digit;
    }
    if (at_ == first) return bad();
    return number;
  }

  /// Makes sure that everything is closed and nothing but white space follows.
  /// @errors bad_syntax
  status end() noexcept {
    skip_space();
    return depth_ == 0 && at_ == text_.size() ? status{} : bad();
  }

 private:
  static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

  [[nodiscard]] status bad() const noexcept { return fail(errc::bad_syntax).at(offset()); }

  void skip_space() noexcept {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  [[nodiscard]] bool take(char wanted) noexcept {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  status begin(char opening) noexcept {
    skip_space();
    if (at_ < text_.size() && text_[at_] == opening && depth_ == max_depth)
      return fail(errc::limit_exceeded, max_depth, max_depth + 1).at(offset());
    if (!take(opening)) return bad();
    ++depth_;
    is_first_ = true;
    return {};
  }

  [[nodiscard]] result<bool> next(char closing) noexcept {
    if (depth_ == 0) return bad();
    skip_space();
    if (take(closing)) {
      --depth_;
      is_first_ = false;  // what holds this has an element now
      return false;
    }
    if (!is_first_ && !take(',')) return bad();
    is_first_ = false;
    return true;
  }

  status read_character(std::string& to) {
    const std::size_t length = ckpt::detail::utf8_length(text_, at_);
    if (length == 0 || static_cast<unsigned char>(text_[at_]) < 0x20U) return bad();
    to.append(text_.data() + at_, length);
    at_ += length;
    return {};
  }

  status read_escape(std::string& to) {
    constexpr char letters[] = "\"\\/bfnrt";
    constexpr char meanings[] = "\"\\/\b\f\n\r\t";
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (letter == 'u') return read_code(to);
    for (std::size_t i = 0; i + 1 < sizeof letters; ++i) {
      if (letters[i] != letter) continue;
      to.push_back(meanings[i]);
      at_ += 2;
      return {};
    }
    return bad();
  }

  /// Reads `\uXXXX`, or two of them that are one character together.
  status read_code(std::string& to) {
    std::uint32_t code = 0;
    if (!take_unit(code)) return bad();
    if (code >= 0xD800U && code <= 0xDFFFU) {
      std::uint32_t low = 0;
      if (code >= 0xDC00U || !take_unit(low) || low < 0xDC00U || low > 0xDFFFU) return bad();
      code = 0x10000U + ((code - 0xD800U) << 10) + (low - 0xDC00U);
    }
    append_utf8(to, code);
    return {};
  }

  [[nodiscard]] bool take_unit(std::uint32_t& unit) noexcept {
    if (!take('\\') || !take('u')) return false;
    for (int k = 0; k < 4; ++k) {
      if (at_ >= text_.size()) return false;
      const char c = text_[at_];
      const int digit = is_digit(c)            ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      unit = unit * 16 + static_cast<std::uint32_t>(digit);
      ++at_;
    }
    return true;
  }

  static void append_utf8(std::string& to, std::uint32_t code) {
    const auto put = [&to](std::uint32_t byte) { to.push_back(static_cast<char>(byte)); };
    if (code < 0x80U) return put(code);
    if (code < 0x800U) {
      put(0xC0U | (code >> 6));
    } else {
      if (code < 0x10000U) {
        put(0xE0U | (code >> 12));
      } else {
        put(0xF0U | (code >> 18));
        put(0x80U | ((code >> 12) & 0x3FU));
      }
      put(0x80U | ((code >> 6) & 0x3FU));
    }
    put(0x80U | (code & 0x3FU));
  }

  name_view text_;
  std::uint64_t first_ = 0;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool is_first_ = false;
};

/// Appends a string in its quotes. Only what must be is escaped; UTF-8 stays as it is.
/// @param characters  must be UTF-8
inline void append_string(std::string& to, name_view characters) {
  constexpr char digits[] = "0123456789abcdef";
  to.push_back('"');
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const char c = characters[i];
    if (c == '"' || c == '\\') {
      to.push_back('\\');
      to.push_back(c);
    } else if (c == '\n') {
      to += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20U) {
      to += "\\u00";
      to.push_back(digits[static_cast<unsigned char>(c) >> 4U]);
      to.push_back(digits[static_cast<unsigned char>(c) & 0xFU]);
    } else {
      to.push_back(c);
    }
  }
  to.push_back('"');
}

}  // namespace ckpt::json

#endif  // CKPT_INTEROP_JSON_HPP
