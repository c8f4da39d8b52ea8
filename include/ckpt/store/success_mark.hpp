#ifndef CKPT_STORE_SUCCESS_MARK_HPP
#define CKPT_STORE_SUCCESS_MARK_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "ckpt/base/crc32c_fast.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/store/names.hpp"
#include "ckpt/store/number_text.hpp"

/// The file `_SUCCESS`, which is written last: what is in the checkpoint, and so that it is whole.
/// A line for each file, the model first, then the trainers in order, and at the end one for the
/// lines before it:
///
///     ckpt checkpoint 1
///     model.ckpt 148 5f8a1b22
///     trainer_0 15 00c3d4e5
///     _SUCCESS 65 9a0b1c2d
///
/// A line is name, size in bytes and CRC-32C in eight hexadecimal digits.
namespace ckpt::detail {

struct marked_file {
  std::string name;
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
};

inline constexpr std::string_view mark_title = "ckpt checkpoint ";
inline constexpr std::uint64_t mark_version = 1;

[[nodiscard]] inline std::uint32_t checksum_of(std::string_view text) noexcept {
  return crc32c_fast(as_bytes(text));
}

[[nodiscard]] inline std::string hexadecimal(std::uint32_t number) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(8, '0');
  for (std::size_t i = 8; i-- > 0; number >>= 4) text[i] = digits[number & 0xFU];
  return text;
}

[[nodiscard]] inline std::string mark_line(const marked_file& file) {
  return file.name + " " + std::to_string(file.size) + " " + hexadecimal(file.checksum) + "\n";
}

/// The text of the mark.
/// @param files  the model, then the trainers from 0 on
[[nodiscard]] inline std::string encode_mark(const std::vector<marked_file>& files) {
  std::string text = std::string(mark_title) + std::to_string(mark_version) + "\n";
  for (const marked_file& file : files) text += mark_line(file);
  return text + mark_line({std::string(mark_name), text.size(), checksum_of(text)});
}

/// Takes a mark apart, from the front.
class mark_parser {
 public:
  explicit mark_parser(std::string_view text) noexcept : text_(text) {}

  /// @errors truncated, bad_syntax, unsupported_version, checksum_mismatch, trailing_bytes
  [[nodiscard]] result<std::vector<marked_file>> run() {
    if (const status titled = take_title(); !titled.ok()) return titled;
    std::vector<marked_file> files;
    marked_file file;
    for (;;) {
      const std::size_t first = at_;
      if (const status taken = take_file(file); !taken.ok()) return taken;
      if (file.name == mark_name) return finish(first, file, std::move(files));
      const std::string expected =
          files.empty() ? std::string(model_file_name) : trainer_name(files.size() - 1);
      if (file.name != expected) return fail(errc::bad_syntax).at(first);
      files.push_back(file);
    }
  }

 private:
  /// The characters up to the next `end`, which is passed.
  [[nodiscard]] result<std::string_view> take_until(char end) noexcept {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) return fail(errc::truncated, at_ + 1, text_.size());
    const std::string_view taken = text_.substr(at_, found - at_);
    at_ = found + 1;
    return taken;
  }

  [[nodiscard]] status take_title() {
    const auto line = take_until('\n');
    if (!line.ok()) return line.error();
    std::uint64_t version = 0;
    const auto digits = between(*line, mark_title, "");
    if (!digits || !parse_counter(*digits, version)) return fail(errc::bad_syntax).at(0);
    if (version != mark_version) return fail(errc::unsupported_version, mark_version, version);
    return {};
  }

  [[nodiscard]] status take_file(marked_file& file) {
    const std::size_t first = at_;
    const auto name = take_until(' ');
    if (!name.ok()) return name.error();
    const auto size = take_until(' ');
    if (!size.ok()) return size.error();
    const auto checksum = take_until('\n');
    if (!checksum.ok()) return checksum.error();
    file.name = *name;
    if (!parse_counter(*size, file.size) || !parse_checksum(*checksum, file.checksum))
      return fail(errc::bad_syntax).at(first);
    return {};
  }

  [[nodiscard]] static bool parse_checksum(std::string_view text,
                                           std::uint32_t& checksum) noexcept {
    if (text.size() != 8) return false;
    const char* const end = text.data() + text.size();
    const std::from_chars_result done = std::from_chars(text.data(), end, checksum, 16);
    return done.ec == std::errc{} && done.ptr == end;
  }

  /// @param first  where the last line begins
  [[nodiscard]] result<std::vector<marked_file>> finish(std::size_t first, const marked_file& last,
                                                        std::vector<marked_file> files) const {
    const std::uint32_t checksum = checksum_of(text_.substr(0, first));
    if (last.size != first || last.checksum != checksum)
      return fail(errc::checksum_mismatch, last.checksum, checksum);
    if (at_ != text_.size()) return fail(errc::trailing_bytes, at_, text_.size());
    constexpr std::size_t least = 2;  // the model and the chief
    // One way to write it: then no byte of it can change unseen.
    if (files.size() < least || encode_mark(files) != text_)
      return fail(errc::bad_syntax).at(first);
    return result<std::vector<marked_file>>(std::move(files));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace ckpt::detail

#endif  // CKPT_STORE_SUCCESS_MARK_HPP
