#ifndef CKPT_INTEROP_PADDLE_VARIABLE_HPP
#define CKPT_INTEROP_PADDLE_VARIABLE_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/model/dtype.hpp"
#include "ckpt/model/tensor_spec.hpp"

/// The file that PaddlePaddle (fluid) makes of one variable. Integers are little-endian; no magic,
/// no checksum.
///
///      0  u32   version 0
///      4  u64   levels of detail (LoD); only 0 is read and written
///     12  u32   version 0, of the tensor
///     16  i32   bytes of the description that follows
///     20  ...   description: protobuf, message VarType.TensorDesc
///                 1: data_type, a number of VarType.Type (varint)
///                 2: dims, int64 (varints one by one; packed ones are read, too)
///         ...   elements, row-major
///
/// @source PaddlePaddle: paddle/fluid/framework/lod_tensor.cc (SerializeToStream), tensor_util.cc
/// (TensorToStream), framework.proto (VarType)
namespace ckpt::paddle {

namespace detail {

struct data_type {
  std::uint64_t number;
  dtype type;
  bool is_written;
};

/// `SIZE_T` is as wide as the host that wrote it; those of 64 bits are read.
inline constexpr data_type data_types[] = {
    {0, dtype::boolean, true}, {1, dtype::i16, true},   {2, dtype::i32, true},
    {3, dtype::i64, true},     {4, dtype::f16, true},   {5, dtype::f32, true},
    {6, dtype::f64, true},     {19, dtype::u64, false}, {20, dtype::u8, true},
    {21, dtype::i8, true},     {22, dtype::bf16, true}};

inline constexpr std::uint64_t no_data_type = ~std::uint64_t{0};

/// The number of a dtype, or `no_data_type`.
[[nodiscard]] constexpr std::uint64_t data_type_number(dtype type) noexcept {
  for (const data_type& each : data_types)
    if (each.type == type && each.is_written) return each.number;
  return no_data_type;
}

inline constexpr std::size_t prefix_bytes = 20;
/// A description that says each thing once is shorter than 128 bytes.
inline constexpr std::uint64_t max_description_bytes = 1024;

/// Reads a description.
class description_parser {
 public:
  /// @param first_offset  of the description in its file
  constexpr description_parser(bytes_view from, std::uint64_t first_offset) noexcept
      : from_(from), first_(first_offset) {}

  [[nodiscard]] constexpr result<tensor_form> parse() noexcept {
    while (at_ < from_.size()) {
      if (const status read = read_field(); !read.ok()) return read;
    }
    if (!has_type_) return bad();
    const tensor_form form(type_, shape(extents_, rank_));
    if (form.byte_size() == overflowed) return fail(errc::invalid_shape).at(first_);
    return form;
  }

 private:
  static constexpr std::uint64_t type_tag = 1 * 8 + 0;
  static constexpr std::uint64_t extent_tag = 2 * 8 + 0;
  static constexpr std::uint64_t packed_extents_tag = 2 * 8 + 2;

  [[nodiscard]] constexpr status bad() const noexcept {
    return fail(errc::bad_header).at(first_ + at_);
  }

  /// A number in groups of seven bits, the lowest first; at most 64 bits.
  [[nodiscard]] constexpr bool take_number(std::uint64_t& number) noexcept {
    number = 0;
    for (unsigned shift = 0; at_ < from_.size(); shift += 7) {
      const auto group = static_cast<std::uint64_t>(from_[at_++]);
      if (shift == 63 && group > 1) return false;
      number |= (group & 0x7FU) << shift;
      if (group < 0x80U) return true;
    }
    return false;
  }

  [[nodiscard]] constexpr status read_field() noexcept {
    std::uint64_t tag = 0;
    if (!take_number(tag)) return bad();
    if (tag == type_tag) return read_type();
    if (tag == extent_tag) return read_extent();
    std::uint64_t length = 0;
    if (tag != packed_extents_tag || !take_number(length) || length > from_.size() - at_)
      return bad();
    const std::size_t end = at_ + static_cast<std::size_t>(length);
    while (at_ < end) {
      if (const status read = read_extent(); !read.ok()) return read;
    }
    return at_ == end ? status{} : bad();
  }

  [[nodiscard]] constexpr status read_type() noexcept {
    std::uint64_t number = 0;
    if (has_type_ || !take_number(number)) return bad();
    has_type_ = true;
    for (const data_type& each : data_types) {
      if (each.number != number) continue;
      type_ = each.type;
      return {};
    }
    return fail(errc::unsupported_dtype, 0, number).at(first_ + at_);
  }

  [[nodiscard]] constexpr status read_extent() noexcept {
    std::uint64_t number = 0;
    if (!take_number(number)) return bad();
    const bool is_negative = number >> 63U != 0;  // fluid writes -1 for what it does not know
    if (is_negative || rank_ == max_rank) return fail(errc::invalid_shape).at(first_ + at_);
    extents_[rank_++] = number;
    return {};
  }

  bytes_view from_;
  std::uint64_t first_;
  std::size_t at_ = 0;
  std::uint64_t extents_[max_rank] = {};
  std::size_t rank_ = 0;
  dtype type_ = dtype::f32;
  bool has_type_ = false;
};

/// Everything in front of the elements.
class variable_head {
 public:
  /// @param form  with a dtype that has a number and extents that are not negative as signed ones
  constexpr explicit variable_head(const tensor_form& form) noexcept {
    append_number(1 * 8 + 0);
    append_number(data_type_number(form.type()));
    for (std::size_t i = 0; i < form.extents().rank(); ++i) {
      append_number(2 * 8 + 0);
      append_number(form.extents()[i]);
    }
    store_little(data_ + 16, static_cast<std::uint32_t>(size_ - prefix_bytes));
  }

  [[nodiscard]] constexpr bytes_view bytes() const noexcept { return {data_, size_}; }

 private:
  constexpr void append_number(std::uint64_t number) noexcept {
    for (; number >= 0x80U; number >>= 7)
      data_[size_++] = static_cast<std::byte>((number & 0x7FU) | 0x80U);
    data_[size_++] = static_cast<std::byte>(number);
  }

  std::byte data_[prefix_bytes + 12 + 11 * max_rank] = {};
  std::size_t size_ = prefix_bytes;
};

/// @errors unsupported_dtype, invalid_shape
[[nodiscard]] constexpr status check_form(const tensor_form& form) noexcept {
  if (data_type_number(form.type()) == no_data_type) return fail(errc::unsupported_dtype);
  if (!form.extents().is_valid()) return fail(errc::invalid_shape);
  for (std::size_t i = 0; i < form.extents().rank(); ++i)
    if (form.extents()[i] >> 63U != 0) return fail(errc::invalid_shape);
  return {};
}

}  // namespace detail

/// What a variable file holds.
struct variable_view {
  tensor_form form;
  bytes_view bytes;  ///< the elements, where they are in the file: at any alignment
};

/// Reads a variable file from its first byte to its last.
/// @param file_bytes  must outlive what is returned
/// @errors truncated, trailing_bytes (both in bytes of the file), unsupported_version,
/// unsupported_feature (levels of detail), bad_header, limit_exceeded (the description),
/// unsupported_dtype, invalid_shape (above 8 dimensions, negative, more elements than can be
/// counted)
[[nodiscard]] constexpr result<variable_view> parse_variable(bytes_view file_bytes) noexcept {
  const std::uint64_t held = file_bytes.size();
  if (held < detail::prefix_bytes) return fail(errc::truncated, detail::prefix_bytes, held);
  const std::byte* const head = file_bytes.data();
  const auto levels = load_little<std::uint64_t>(head + 4);
  for (const std::size_t at : {std::size_t{0}, std::size_t{12}}) {
    const auto version = load_little<std::uint32_t>(head + at);
    if (version != 0) return fail(errc::unsupported_version, 0, version).at(at);
    if (levels != 0) return fail(errc::unsupported_feature, 0, levels).at(4);
  }
  const std::uint64_t length = load_little<std::uint32_t>(head + 16);
  if (length >> 31U != 0) return fail(errc::bad_header, 0, length).at(16);
  if (length > detail::max_description_bytes)
    return fail(errc::limit_exceeded, detail::max_description_bytes, length).at(16);
  const std::size_t first = detail::prefix_bytes + static_cast<std::size_t>(length);
  if (first > held) return fail(errc::truncated, first, held);
  const bytes_view description =
      file_bytes.part(detail::prefix_bytes, first - detail::prefix_bytes);
  const auto form = detail::description_parser(description, detail::prefix_bytes).parse();
  if (!form.ok()) return form.error();
  const std::uint64_t rest = held - first;
  const std::uint64_t wanted = form->byte_size();
  if (wanted > rest)
    return fail(errc::truncated, wanted > overflowed - first ? overflowed : first + wanted, held);
  if (wanted < rest) return fail(errc::trailing_bytes, first + wanted, held).at(first + wanted);
  return variable_view{*form, file_bytes.part(first, static_cast<std::size_t>(wanted))};
}

/// Writes a variable file to a sink, and flushes it.
/// @param elements  little-endian and row-major
/// @errors unsupported_dtype (u16, u32, u64), invalid_shape, size_mismatch, those of the sink
template <class Sink>
status write_variable(Sink& to, const tensor_form& form, bytes_view elements) {
  if (const status possible = detail::check_form(form); !possible.ok()) return possible;
  if (elements.size() != form.byte_size())
    return fail(errc::size_mismatch, form.byte_size(), elements.size());
  const detail::variable_head head(form);
  if (const status sent = to.append(head.bytes()); !sent.ok()) return sent;
  if (const status sent = to.append(elements); !sent.ok()) return sent;
  return to.flush();
}

}  // namespace ckpt::paddle

#endif  // CKPT_INTEROP_PADDLE_VARIABLE_HPP
