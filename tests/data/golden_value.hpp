#ifndef CKPT_TESTS_DATA_GOLDEN_VALUE_HPP
#define CKPT_TESTS_DATA_GOLDEN_VALUE_HPP

#include <cstdint>
#include <cstring>
#include <vector>

#include "ckpt/model/tensor_spec.hpp"

namespace golden {

inline std::uint32_t float_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// The bits of element `i` of section `s` (0 weights, 1 m, 2 v) of tensor `t`, by the formula that
/// the golden files follow. `special` elements are patterns that arithmetic would not keep.
inline std::uint32_t element_bits(ckpt::dtype type, bool special, std::size_t t, std::size_t i,
                                  std::size_t s) {
  constexpr std::uint32_t patterns[] = {0x0,        0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                        0x7f800001, 0xffc12345, 0x1,        0x807fffff, 0x3f800000};
  if (special) return patterns[(i + t + s) % 10];
  switch (type) {
    case ckpt::dtype::f32:
      return float_bits(static_cast<float>(t + 1) + static_cast<float>(i) / 1024.0F +
                        4096.0F * static_cast<float>(s));
    case ckpt::dtype::i32: return static_cast<std::uint32_t>((t + 1) * 65536 + i + (s << 24));
    case ckpt::dtype::i16: return static_cast<std::uint32_t>((256 * t + i + 4096 * s) % 65536);
    default: return static_cast<std::uint32_t>((16 * t + i + 64 * s) % 256);
  }
}

/// A whole payload as it stands in a file.
inline std::vector<std::byte> payload(const ckpt::tensor_spec& tensor, bool special, std::size_t t,
                                      std::size_t s) {
  const std::size_t width = ckpt::byte_width(tensor.type());
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.byte_size()));
  for (std::size_t i = 0; i < bytes.size() / width; ++i) {
    const std::uint32_t bits = element_bits(tensor.type(), special, t, i, s);
    for (std::size_t b = 0; b < width; ++b)
      bytes[i * width + b] = static_cast<std::byte>((bits >> (8 * b)) & 0xFFU);
  }
  return bytes;
}

}  // namespace golden

#endif  // CKPT_TESTS_DATA_GOLDEN_VALUE_HPP
