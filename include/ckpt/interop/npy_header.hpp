#ifndef CKPT_INTEROP_NPY_HEADER_HPP
#define CKPT_INTEROP_NPY_HEADER_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/interop/report.hpp"
#include "ckpt/interop/tokens.hpp"
#include "ckpt/model/tensor_spec.hpp"

/// The file of one NumPy array:
///
///      0  8 bytes  93 4E 55 4D 50 59, major and minor version: 1.0, 2.0 or 3.0
///      8  u16      length of the header; a u32 from version 2.0 on
///     10           a Python dictionary of three keys, spaces, a line feed:
///                  {'descr': '<f4', 'fortran_order': False, 'shape': (784, 10), }
///         bytes    the elements, row-major
///
/// NumPy has no bfloat16. It goes out as `|V2`, two bytes that NumPy leaves as they are, which is
/// also what its users store such arrays as; `array.view(ml_dtypes.bfloat16)` makes numbers of it.
/// As any other two bytes would look the same, it comes back only when it is asked for.
/// @source https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
namespace ckpt::npy {

/// What elements of two bytes without a meaning (`V2`) are.
enum class two_bytes : std::uint8_t {
  refused,
  bf16
};

/// The name of a dtype in the header.
[[nodiscard]] constexpr name_view dtype_name(dtype type) noexcept {
  constexpr name_view names[dtype_count] = {"<f4", "<f8", "<f2", "|V2", "|i1", "|u1", "<i2",
                                            "<u2", "<i4", "<u4", "<i8", "<u8", "|b1"};
  return names[static_cast<std::size_t>(type)];
}

namespace detail {

/// The longest header that is read. What NumPy itself writes for these dtypes has 118 bytes, or at
/// most 256.
inline constexpr std::uint64_t max_header_bytes = 65535;

inline constexpr char magic[] = "\x93NUMPY";
inline constexpr std::size_t magic_bytes = sizeof magic - 1;
inline constexpr std::size_t data_alignment = 64;

/// Everything in front of the elements. With at most 8 extents it always fits version 1.0.
/// @param form  of a valid shape
[[nodiscard]] inline std::string make_header(const tensor_form& form) {
  std::string made(magic, magic_bytes);
  made.push_back('\1');
  made.append(3, '\0');
  made += "{'descr': '" + std::string(dtype_name(form.type())) + "', 'fortran_order': False, ";
  made += "'shape': (";
  const shape& extents = form.extents();
  for (std::size_t i = 0; i < extents.rank(); ++i) {
    if (i > 0) made += ", ";
    ckpt::detail::append_number(made, extents[i]);
  }
  made += extents.rank() == 1 ? ",), }" : "), }";
  made.append(data_alignment - 1 - made.size() % data_alignment, ' ');
  made.push_back('\n');
  const std::size_t size = made.size() - 10;
  made[8] = static_cast<char>(size & 0xFFU);
  made[9] = static_cast<char>(size >> 8U);
  return made;
}

/// Reads one header.
class header_parser {
 public:
  header_parser(bytes_view file, two_bytes meaning) noexcept : file_(file), meaning_(meaning) {}

  /// @errors those of npy::parse() but for the size of the data
  status run() {
    if (const status framed = find_text(); !framed.ok()) return framed;
    if (const status read = read_dictionary(); !read.ok()) return read;
    while (at_ + 1 < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ + 1 != text_.size() || text_[at_] != '\n') return bad();
    form_ = tensor_form(type_, extents_);
    if (form_.byte_size() == overflowed) return fail(errc::limit_exceeded).at(first_);
    return {};
  }

  /// Dtype and shape of the array.
  [[nodiscard]] const tensor_form& form() const noexcept { return form_; }
  /// Where the elements begin.
  [[nodiscard]] std::size_t data_offset() const noexcept { return first_ + text_.size(); }
  /// What the failure is about, in words.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }

 private:
  [[nodiscard]] status bad() const noexcept { return fail(errc::bad_syntax).at(first_ + at_); }

  /// Finds the dictionary in the file.
  status find_text() {
    if (file_.size() < 10) return fail(errc::truncated, 10, file_.size());
    if (std::memcmp(file_.data(), magic, magic_bytes) != 0) {
      note_ = "not an .npy file";
      return fail(errc::bad_syntax).at(0);
    }
    const auto major = static_cast<unsigned>(file_[6]);
    if (major < 1 || major > 3 || file_[7] != std::byte{0})
      return fail(errc::unsupported_version).at(6);
    first_ = major == 1 ? 10 : 12;
    if (file_.size() < first_) return fail(errc::truncated, first_, file_.size());
    const std::uint64_t size = major == 1 ? load_little<std::uint16_t>(file_.data() + 8)
                                          : load_little<std::uint32_t>(file_.data() + 8);
    if (size > max_header_bytes) return fail(errc::limit_exceeded, max_header_bytes, size).at(8);
    if (size > file_.size() - first_) return fail(errc::truncated, first_ + size, file_.size());
    const auto* const characters = reinterpret_cast<const char*>(file_.data());
    text_ = name_view(characters + first_, static_cast<std::size_t>(size));
    return {};
  }

  void skip_space() noexcept {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  /// Takes `wanted` and spaces around it.
  [[nodiscard]] bool take(name_view wanted) noexcept {
    skip_space();
    if (wanted.size() > text_.size() - at_) return false;
    if (name_view(text_.data() + at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    skip_space();
    return true;
  }

  /// A key or a dtype: characters between quotes of one kind, none of which needs an escape.
  [[nodiscard]] bool take_string(name_view& to) noexcept {
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    const char quote = text_[at_];
    const std::size_t first = ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\\' && text_[at_] >= ' ')
      ++at_;
    if (at_ >= text_.size() || text_[at_] != quote) return false;
    to = name_view(text_.data() + first, at_ - first);
    ++at_;
    return true;
  }

  status read_dictionary() {
    if (!take("{")) return bad();
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    for (bool more = true; more;) {
      if (at_ < text_.size() && text_[at_] == '}') break;  // behind a comma
      name_view key;
      if (!take_string(key) || !take(":")) return bad();
      bool* const was = key == name_view("descr")           ? &has_descr
                        : key == name_view("fortran_order") ? &has_order
                        : key == name_view("shape")         ? &has_shape
                                                            : nullptr;
      if (was == nullptr || *was) return bad();
      *was = true;
      const status read = was == &has_descr   ? read_dtype()
                          : was == &has_order ? read_order()
                                              : read_shape();
      if (!read.ok()) return read;
      more = take(",");
    }
    const bool is_whole = has_descr && has_order && has_shape;
    if (!is_whole || at_ >= text_.size() || text_[at_] != '}') return bad();
    ++at_;
    return {};
  }

  status read_dtype() {
    name_view word;
    const std::size_t first = at_;
    const bool is_structured = at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(');
    if (!is_structured && !take_string(word)) return bad();
    for (std::size_t i = 0; i < dtype_count && !is_structured; ++i) {
      type_ = static_cast<dtype>(i);
      if (type_ == dtype::bf16 && meaning_ == two_bytes::refused) continue;
      if (is_name_of(type_, word)) return {};
    }
    note_ = is_structured ? "an array of records" : "dtype " + ckpt::detail::in_quotes(word);
    if (!word.empty() && word[0] == '>') note_ += ", which is big-endian";
    if (is_name_of(dtype::bf16, word)) note_ += ", which is bfloat16 only if that is asked for";
    return fail(errc::unsupported_dtype).at(first_ + first);
  }

  /// Where the order of bytes says nothing, either mark will do.
  [[nodiscard]] static bool is_name_of(dtype type, name_view word) noexcept {
    const name_view name = dtype_name(type);
    if (word.size() != 3 || word[1] != name[1] || word[2] != name[2]) return false;
    return word[0] == name[0] || (name[0] == '|' && word[0] == '<');
  }

  status read_order() {
    if (take("False")) return {};
    if (!take("True")) return bad();
    note_ = "fortran_order is True; store it row by row (numpy.ascontiguousarray)";
    return fail(errc::unsupported_feature).at(first_ + at_);
  }

  status read_shape() {
    std::uint64_t extents[max_rank] = {};
    std::size_t rank = 0;
    if (!take("(")) return bad();
    bool has_comma = true;
    while (!take(")")) {
      if (!has_comma) return bad();
      std::size_t end = at_;
      while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
      const auto extent = ckpt::detail::parse_number(name_view(text_.data() + at_, end - at_));
      if (!extent.ok()) return extent.error().at(first_ + at_);
      if (rank == max_rank) return fail(errc::invalid_shape).at(first_ + at_);
      extents[rank++] = *extent;
      at_ = end;
      has_comma = take(",");
    }
    if (rank == 1 && !has_comma) return bad();  // a number in parentheses
    extents_ = shape(extents, rank);
    return {};
  }

  bytes_view file_;
  two_bytes meaning_;
  name_view text_;
  std::size_t first_ = 0;  // where the text begins in the file
  std::size_t at_ = 0;
  dtype type_ = dtype::f32;
  shape extents_;
  tensor_form form_;
  std::string note_;
};

}  // namespace detail

}  // namespace ckpt::npy

#endif  // CKPT_INTEROP_NPY_HEADER_HPP
