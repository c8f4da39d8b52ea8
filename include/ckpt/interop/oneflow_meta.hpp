#ifndef CKPT_INTEROP_ONEFLOW_META_HPP
#define CKPT_INTEROP_ONEFLOW_META_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "ckpt/base/name.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/model/dtype.hpp"
#include "ckpt/model/tensor_spec.hpp"

/// The file `meta` beside the bytes of a variable of OneFlow: its message VariableMetaInfo as
/// protobuf text.
///
///     shape {
///       dim: 784
///       dim: 10
///     }
///     data_type: kFloat
///
/// What is read, with white space anywhere between tokens and `,` or `;` behind any field:
///
///     meta      = ( shape | data_type )*            each exactly once
///     shape     = "shape" [ ":" ] "{" dim* "}"
///     dim       = "dim" ":" ( number | "[" [ number ( "," number )* ] "]" )
///     data_type = "data_type" ":" enumerator        by its name
///     number    = "0" | a decimal without zeros in front, below 2^63
///
/// @source OneFlow v0.4: oneflow/core/framework/variable_meta_info.proto, core/common/shape.proto,
/// core/common/data_type.proto; the text format of protobuf
namespace ckpt::oneflow {

namespace detail {

struct data_type {
  name_view name;
  dtype type;
  bool is_written;  ///< OneFlow of the lazy API (2021-03) knows it; later ones have the others, too
};

inline constexpr data_type data_types[] = {
    {"kFloat", dtype::f32, true},      {"kDouble", dtype::f64, true},
    {"kFloat16", dtype::f16, true},    {"kInt8", dtype::i8, true},
    {"kUInt8", dtype::u8, true},       {"kInt32", dtype::i32, true},
    {"kInt64", dtype::i64, true},      {"kChar", dtype::i8, false},
    {"kBFloat16", dtype::bf16, false}, {"kBool", dtype::boolean, false},
    {"kInt16", dtype::i16, false},     {"kUInt16", dtype::u16, false},
    {"kUInt32", dtype::u32, false},    {"kUInt64", dtype::u64, false}};

}  // namespace detail

/// The name that OneFlow has for a dtype; empty where it has none.
[[nodiscard]] constexpr name_view data_type_name(dtype type) noexcept {
  for (const detail::data_type& each : detail::data_types)
    if (each.type == type && each.is_written) return each.name;
  return {};
}

/// Reads a `meta` from its beginning to its end.
class meta_parser {
 public:
  /// @param characters  must outlive it
  constexpr explicit meta_parser(name_view characters) noexcept : text_(characters) {}

  /// Shape and dtype of the variable.
  /// @errors bad_syntax, unsupported_feature (a stride: OneFlow after the lazy API),
  /// unsupported_dtype (unknown, or no numbers), invalid_shape (above 8 dimensions, negative, more
  /// elements than can be counted)
  [[nodiscard]] constexpr result<tensor_form> parse() noexcept {
    bool has_shape = false;
    bool has_type = false;
    for (skip_space(); at_ < text_.size(); skip_space()) {
      const std::size_t first = at_;
      const name_view field = take_word();
      bool* const seen = field == "shape" ? &has_shape : field == "data_type" ? &has_type : nullptr;
      if (field == "stride") return fail(errc::unsupported_feature).at(first);
      if (seen == nullptr || *seen) return bad(first);
      *seen = true;
      const status read = seen == &has_shape ? read_shape() : read_type();
      if (!read.ok()) return read;
      take_separator();
    }
    if (!has_shape || !has_type) return bad(at_);
    const tensor_form form(type_, shape(extents_, rank_));
    if (form.byte_size() == overflowed) return fail(errc::invalid_shape);
    return form;
  }

 private:
  [[nodiscard]] static constexpr status bad(std::size_t at) noexcept {
    return fail(errc::bad_syntax).at(at);
  }

  constexpr void skip_space() noexcept {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  [[nodiscard]] constexpr bool take(char wanted) noexcept {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  constexpr void take_separator() noexcept {
    if (!take(',')) static_cast<void>(take(';'));
  }
  [[nodiscard]] constexpr name_view take_word() noexcept {
    skip_space();
    const std::size_t first = at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      if (!is_letter && (at_ == first || c < '0' || c > '9')) break;
    }
    return name_view(text_.data() + first, at_ - first);
  }

  [[nodiscard]] constexpr status read_shape() noexcept {
    static_cast<void>(take(':'));
    if (!take('{')) return bad(at_);
    while (!take('}')) {
      const std::size_t first = at_;
      if (take_word() != "dim" || !take(':')) return bad(first);
      const status read = take('[') ? read_list() : read_extent();
      if (!read.ok()) return read;
      take_separator();
    }
    return {};
  }
  [[nodiscard]] constexpr status read_list() noexcept {
    if (take(']')) return {};
    do {
      if (const status read = read_extent(); !read.ok()) return read;
    } while (take(','));
    return take(']') ? status{} : bad(at_);
  }
  [[nodiscard]] constexpr status read_extent() noexcept {
    if (take('-')) return fail(errc::invalid_shape).at(at_ - 1);
    const std::size_t first = at_;
    constexpr auto limit = static_cast<std::uint64_t>((std::numeric_limits<std::int64_t>::max)());
    std::uint64_t number = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (at_ > first && number == 0) return bad(first);  // protobuf would read it as octal
      if (number > (limit - digit) / 10) return bad(first);
      number = number * 10 + digit;
    }
    if (at_ == first || continues_word()) return bad(first);
    if (rank_ == max_rank) return fail(errc::invalid_shape).at(first);
    extents_[rank_++] = number;
    return {};
  }
  [[nodiscard]] constexpr bool continues_word() const noexcept {
    if (at_ >= text_.size()) return false;
    const char c = text_[at_];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  }

  [[nodiscard]] constexpr status read_type() noexcept {
    if (!take(':')) return bad(at_);
    skip_space();
    const std::size_t first = at_;
    const name_view word = take_word();
    if (word.empty()) return bad(first);
    for (const detail::data_type& each : detail::data_types) {
      if (each.name != word) continue;
      type_ = each.type;
      return {};
    }
    return fail(errc::unsupported_dtype).at(first);
  }

  name_view text_;
  std::size_t at_ = 0;
  std::uint64_t extents_[max_rank] = {};
  std::size_t rank_ = 0;
  dtype type_ = dtype::f32;
};

/// Shape and dtype of a variable from the text of its `meta`.
/// @errors those of `meta_parser::parse()`
[[nodiscard]] constexpr result<tensor_form> parse_meta(name_view characters) noexcept {
  return meta_parser(characters).parse();
}

/// The text of a `meta`, as protobuf writes it.
/// @param form  its dtype must have a `data_type_name()`
[[nodiscard]] inline std::string meta_text(const tensor_form& form) {
  std::string out = "shape {\n";
  for (std::size_t i = 0; i < form.extents().rank(); ++i)
    out += "  dim: " + std::to_string(form.extents()[i]) + "\n";
  out += "}\ndata_type: ";
  out += std::string(data_type_name(form.type()));
  return out + "\n";
}

}  // namespace ckpt::oneflow

#endif  // CKPT_INTEROP_ONEFLOW_META_HPP
