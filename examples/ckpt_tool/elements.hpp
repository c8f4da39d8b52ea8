#ifndef CKPT_TOOL_ELEMENTS_HPP
#define CKPT_TOOL_ELEMENTS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <variant>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/model/dtype.hpp"
#include "json.hpp"

/// The elements of a tensor as numbers, each of them exactly.
namespace tool {

/// An element of any dtype.
struct scalar {
  std::variant<double, std::int64_t, std::uint64_t> number{};
};

inline std::string json_of(const scalar& value) {
  return std::visit([](auto number) { return json_of(number); }, value.number);
}

/// @param digits  significant ones of a number with a fraction; 0: as many as it has
inline std::string scalar_text(const scalar& value, int digits = 0) {
  if (const auto* real = std::get_if<double>(&value.number))
    return digits == 0 ? real_text(*real) : real_text(*real, digits);
  return json_of(value);
}

template <class Real, class Bits>
double real_from(Bits bits) noexcept {
  static_assert(sizeof(Real) == sizeof(Bits));
  Real value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

/// An IEEE 754 half.
inline double half_value(std::uint16_t half) noexcept {
  const auto bits = std::uint64_t{half};
  const std::uint64_t sign = bits >> 15U << 63U;
  const std::uint64_t exponent = (bits >> 10U) & 0x1FU;
  const std::uint64_t fraction = bits & 0x3FFU;
  if (exponent == 0) {
    const double size = std::ldexp(static_cast<double>(fraction), -24);
    return sign == 0 ? size : -size;
  }
  const std::uint64_t wide_exponent = exponent == 0x1F ? 0x7FFU : exponent + 1023 - 15;
  return real_from<double>(sign | wide_exponent << 52U | fraction << 42U);
}

/// How the elements of a dtype are read. `wide` holds each of its values.
template <ckpt::dtype Type>
struct element_of {
  using stored = ckpt::element_t<Type>;
  static constexpr bool is_real = Type == ckpt::dtype::f32 || Type == ckpt::dtype::f64 ||
                                  Type == ckpt::dtype::f16 || Type == ckpt::dtype::bf16;
  using wide =
      std::conditional_t<is_real, double,
                         std::conditional_t<std::is_signed_v<stored>, std::int64_t, std::uint64_t>>;
  static constexpr std::size_t width = sizeof(stored);

  /// The element that begins at these bytes.
  [[nodiscard]] static wide at(const std::byte* bytes) noexcept {
    if constexpr (Type == ckpt::dtype::f64) {
      return real_from<double>(ckpt::load_little<std::uint64_t>(bytes));
    } else if constexpr (Type == ckpt::dtype::f32) {
      return real_from<float>(ckpt::load_little<std::uint32_t>(bytes));
    } else if constexpr (Type == ckpt::dtype::bf16) {
      return real_from<float>(std::uint32_t{ckpt::load_little<std::uint16_t>(bytes)} << 16U);
    } else if constexpr (Type == ckpt::dtype::f16) {
      return half_value(ckpt::load_little<std::uint16_t>(bytes));
    } else {
      return static_cast<stored>(ckpt::load_little<std::make_unsigned_t<stored>>(bytes));
    }
  }
};

/// Calls `visit(element_of<type>{})`.
template <class Visit>
auto with_elements(ckpt::dtype type, Visit visit) {
  using ckpt::dtype;
  switch (type) {
    case dtype::f32: return visit(element_of<dtype::f32>{});
    case dtype::f64: return visit(element_of<dtype::f64>{});
    case dtype::f16: return visit(element_of<dtype::f16>{});
    case dtype::bf16: return visit(element_of<dtype::bf16>{});
    case dtype::i8: return visit(element_of<dtype::i8>{});
    case dtype::i16: return visit(element_of<dtype::i16>{});
    case dtype::u16: return visit(element_of<dtype::u16>{});
    case dtype::i32: return visit(element_of<dtype::i32>{});
    case dtype::u32: return visit(element_of<dtype::u32>{});
    case dtype::i64: return visit(element_of<dtype::i64>{});
    case dtype::u64: return visit(element_of<dtype::u64>{});
    case dtype::u8:
    case dtype::boolean: break;
  }
  return visit(element_of<dtype::u8>{});
}

}  // namespace tool

#endif  // CKPT_TOOL_ELEMENTS_HPP
