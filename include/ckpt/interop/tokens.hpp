#ifndef CKPT_INTEROP_TOKENS_HPP
#define CKPT_INTEROP_TOKENS_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/interop/json.hpp"
#include "ckpt/model/dtype.hpp"
#include "ckpt/model/shape.hpp"

/// Words and numbers of the text parts. Nothing here asks a locale.
namespace ckpt {

namespace detail {

inline void append_number(std::string& to, std::uint64_t number) {
  char digits[20];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, number);
  to.append(digits, end.ptr);
}

/// All of `word` as a number without sign and superfluous zeros.
/// @errors bad_syntax, limit_exceeded (does not fit)
[[nodiscard]] inline result<std::uint64_t> parse_number(name_view word) noexcept {
  std::uint64_t number = 0;
  const char* const end = word.data() + word.size();
  const std::from_chars_result done = std::from_chars(word.data(), end, number);
  const bool has_zeros = word.size() > 1 && word[0] == '0';
  if (done.ptr != end || done.ec == std::errc::invalid_argument || has_zeros)
    return fail(errc::bad_syntax);
  if (done.ec != std::errc{}) return fail(errc::limit_exceeded);
  return number;
}

/// `784x10`; `scalar` for rank 0.
inline void append_shape(std::string& to, const shape& extents) {
  if (extents.rank() == 0) to += "scalar";
  for (std::size_t i = 0; i < extents.rank(); ++i) {
    if (i > 0) to.push_back('x');
    append_number(to, extents[i]);
  }
}

/// @errors bad_syntax, limit_exceeded (an extent beyond 64 bits), invalid_shape (above 8
/// dimensions)
[[nodiscard]] inline result<shape> parse_shape(name_view word) noexcept {
  if (word == name_view("scalar")) return shape{};
  std::uint64_t extents[max_rank] = {};
  std::size_t rank = 0;
  for (std::size_t first = 0; first <= word.size(); ++rank) {
    std::size_t last = first;
    while (last < word.size() && word[last] != 'x') ++last;
    const auto extent = parse_number(name_view(word.data() + first, last - first));
    if (!extent.ok()) return extent.error();
    if (rank == max_rank) return fail(errc::invalid_shape);
    extents[rank] = *extent;
    first = last + 1;
  }
  return shape(extents, rank);
}

/// The dtype of this name.
/// @errors unsupported_dtype
[[nodiscard]] inline result<dtype> parse_dtype(name_view word) noexcept {
  for (std::size_t i = 0; i < dtype_count; ++i)
    if (name(static_cast<dtype>(i)) == word) return static_cast<dtype>(i);
  return fail(errc::unsupported_dtype);
}

/// `digits` hexadecimal digits, the highest first.
inline void append_hex(std::string& to, std::uint64_t number, std::size_t digits) {
  for (std::size_t i = digits; i-- > 0;)
    to.push_back("0123456789abcdef"[static_cast<std::size_t>((number >> (4 * i)) & 0xFU)]);
}

/// All of `word`, which must have `digits` digits, written as `append_hex()` does.
/// @errors bad_syntax
[[nodiscard]] inline result<std::uint64_t> parse_hex(name_view word, std::size_t digits) noexcept {
  if (word.size() != digits) return fail(errc::bad_syntax);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char c = word[i];
    const bool is_letter = c >= 'a' && c <= 'f';
    if (!is_letter && (c < '0' || c > '9')) return fail(errc::bad_syntax);
    number = number * 16 + static_cast<std::uint64_t>(is_letter ? c - 'a' + 10 : c - '0');
  }
  return number;
}

/// Whether a byte can stand in a word without quotes.
[[nodiscard]] constexpr bool is_word_byte(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20U && byte != 0x7FU && c != '"';
}

/// Whether a word can stand for itself, without quotes.
[[nodiscard]] inline bool is_plain_word(name_view word) noexcept {
  for (std::size_t i = 0; i < word.size(); ++i)
    if (!is_word_byte(word[i])) return false;
  return !word.empty() && word[0] != '#';
}

/// Appends a word, as a JSON string where it cannot stand for itself.
inline void append_word(std::string& to, name_view word) {
  if (is_plain_word(word)) {
    to.append(word.data(), word.size());
  } else {
    json::append_string(to, word);
  }
}

/// One word of a line.
struct token {
  std::string word;        ///< escapes resolved
  bool is_quoted = false;  ///< stood in quotes
  std::uint64_t offset = 0;
};

/// Takes text apart: lines of words between spaces and tabs, `#` in front of a word starts a
/// comment, words that need it are JSON strings.
class token_reader {
 public:
  /// @param text  must outlive it
  explicit token_reader(name_view text) noexcept : text_(text) {}

  /// Reads the words of the next line that has any; false at the end of the text.
  /// @errors bad_syntax (also: not UTF-8)
  [[nodiscard]] result<bool> next_line(std::vector<token>& words) {
    words.clear();
    while (at_ < text_.size()) {
      ++line_;
      const std::size_t end = end_of_line();
      while (skip_space(end)) {
        words.emplace_back();
        if (const status read = read_word(words.back(), end); !read.ok()) return read;
      }
      at_ = end + 1;
      if (!words.empty()) return true;
    }
    return false;
  }

  /// The number of the line that was read last, from 1 on.
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

 private:
  [[nodiscard]] std::size_t end_of_line() const noexcept {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] != '\n') ++end;
    return end;
  }

  /// Goes to the next word of the line; false where there is none.
  [[nodiscard]] bool skip_space(std::size_t end) noexcept {
    while (at_ < end && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if (at_ + 1 == end && text_[at_] == '\r') return false;
    return at_ < end && text_[at_] != '#';
  }

  status read_word(token& to, std::size_t end) {
    to.offset = at_;
    to.is_quoted = text_[at_] == '"';
    if (to.is_quoted) return read_quoted(to, end);
    while (at_ < end && is_word_byte(text_[at_])) {
      const std::size_t length = utf8_length(text_, at_);
      if (length == 0) return fail(errc::bad_syntax).at(at_);
      to.word.append(text_.data() + at_, length);
      at_ += length;
    }
    return ends_here(end) && !to.word.empty() ? status{} : fail(errc::bad_syntax).at(at_);
  }

  status read_quoted(token& to, std::size_t end) {
    json::reader quoted(name_view(text_.data() + at_, end - at_), at_);
    const status read = quoted.read_string(to.word);
    at_ = static_cast<std::size_t>(quoted.offset());
    if (!read.ok()) return read;
    return ends_here(end) ? status{} : fail(errc::bad_syntax).at(at_);
  }

  [[nodiscard]] bool ends_here(std::size_t end) const noexcept {
    return at_ == end || text_[at_] == ' ' || text_[at_] == '\t' ||
           (text_[at_] == '\r' && at_ + 1 == end);
  }

  name_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 0;
};

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_INTEROP_TOKENS_HPP
