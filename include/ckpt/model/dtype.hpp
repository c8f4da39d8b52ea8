#ifndef CKPT_MODEL_DTYPE_HPP
#define CKPT_MODEL_DTYPE_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// Type of the elements of a tensor. Values are stable.
enum class dtype : std::uint8_t {
  f32,
  f64,
  f16,
  bf16,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  boolean
};

/// Dtypes there are.
inline constexpr std::size_t dtype_count = 13;

/// Bytes of one element.
[[nodiscard]] constexpr std::size_t byte_width(dtype type) noexcept {
  switch (type) {
    case dtype::f64:
    case dtype::i64:
    case dtype::u64: return 8;
    case dtype::f32:
    case dtype::i32:
    case dtype::u32: return 4;
    case dtype::f16:
    case dtype::bf16:
    case dtype::i16:
    case dtype::u16: return 2;
    case dtype::i8:
    case dtype::u8:
    case dtype::boolean: return 1;
  }
  return 0;
}

/// The name of a dtype: the enumerator.
[[nodiscard]] constexpr name_view name(dtype type) noexcept {
  switch (type) {
    case dtype::f32: return "f32";
    case dtype::f64: return "f64";
    case dtype::f16: return "f16";
    case dtype::bf16: return "bf16";
    case dtype::i8: return "i8";
    case dtype::u8: return "u8";
    case dtype::i16: return "i16";
    case dtype::u16: return "u16";
    case dtype::i32: return "i32";
    case dtype::u32: return "u32";
    case dtype::i64: return "i64";
    case dtype::u64: return "u64";
    case dtype::boolean: return "boolean";
  }
  return "unknown";
}

/// An IEEE 754 half as its bits; C++17 has no such number.
struct f16 {
  std::uint16_t bits = 0;
};
/// A bfloat16 as its bits.
struct bf16 {
  std::uint16_t bits = 0;
};

/// Whether a tensor of dtype `type` can be seen as elements of type `T`. Booleans are seen as
/// bytes, since a damaged one would not be a valid `bool`.
template <class T>
[[nodiscard]] constexpr bool holds(dtype type) noexcept {
  using element = std::remove_cv_t<T>;
  switch (type) {
    case dtype::f32: return std::is_same_v<element, float>;
    case dtype::f64: return std::is_same_v<element, double>;
    case dtype::f16: return std::is_same_v<element, f16>;
    case dtype::bf16: return std::is_same_v<element, bf16>;
    case dtype::i8: return std::is_same_v<element, std::int8_t>;
    case dtype::i16: return std::is_same_v<element, std::int16_t>;
    case dtype::u16: return std::is_same_v<element, std::uint16_t>;
    case dtype::i32: return std::is_same_v<element, std::int32_t>;
    case dtype::u32: return std::is_same_v<element, std::uint32_t>;
    case dtype::i64: return std::is_same_v<element, std::int64_t>;
    case dtype::u64: return std::is_same_v<element, std::uint64_t>;
    case dtype::u8:
    case dtype::boolean: return std::is_same_v<element, std::uint8_t>;
  }
  return false;
}

namespace detail {

template <dtype Type>
struct element;
template <>
struct element<dtype::f32> {
  using type = float;
};
template <>
struct element<dtype::f64> {
  using type = double;
};
template <>
struct element<dtype::f16> {
  using type = ckpt::f16;
};
template <>
struct element<dtype::bf16> {
  using type = ckpt::bf16;
};
template <>
struct element<dtype::i8> {
  using type = std::int8_t;
};
template <>
struct element<dtype::u8> {
  using type = std::uint8_t;
};
template <>
struct element<dtype::i16> {
  using type = std::int16_t;
};
template <>
struct element<dtype::u16> {
  using type = std::uint16_t;
};
template <>
struct element<dtype::i32> {
  using type = std::int32_t;
};
template <>
struct element<dtype::u32> {
  using type = std::uint32_t;
};
template <>
struct element<dtype::i64> {
  using type = std::int64_t;
};
template <>
struct element<dtype::u64> {
  using type = std::uint64_t;
};
template <>
struct element<dtype::boolean> {
  using type = std::uint8_t;
};

}  // namespace detail

/// The C++ type of the elements of a dtype.
template <dtype Type>
using element_t = typename detail::element<Type>::type;

}  // namespace ckpt

#endif  // CKPT_MODEL_DTYPE_HPP
