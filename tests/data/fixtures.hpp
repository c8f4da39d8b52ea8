#ifndef CKPT_TESTS_DATA_FIXTURES_HPP
#define CKPT_TESTS_DATA_FIXTURES_HPP

#include <cstddef>
#include <string_view>
#include <vector>

#include "ckpt/model/tensors.hpp"

/// Small files written down by hand, and the models that they hold.
namespace fixture {

using bytes = std::vector<std::byte>;

inline int digit(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

/// Bytes from hexadecimal digits; spaces are left out.
inline bytes from_hex(std::string_view digits) {
  bytes out;
  int high = -1;
  for (const char c : digits) {
    if (c == ' ') continue;
    if (high < 0) {
      high = digit(c);
    } else {
      out.push_back(static_cast<std::byte>(high * 16 + digit(c)));
      high = -1;
    }
  }
  return out;
}

/// Weights of 16, 8 and 4 bytes.
struct three {
  static constexpr auto tensors = ckpt::tensors(
      {{"a", ckpt::dtype::u8, {16}}, {"b", ckpt::dtype::u8, {8}}, {"c", ckpt::dtype::u8, {4}}});
};

/// The same with a frozen tensor in the middle.
struct three_frozen {
  static constexpr auto tensors = ckpt::tensors({{"a", ckpt::dtype::u8, {16}},
                                                 {"b", ckpt::dtype::u8, {8}, ckpt::role::frozen},
                                                 {"c", ckpt::dtype::u8, {4}}});
};

/// Five tensors of which onert-micro stores the last but one (8 bytes), then the second (16).
struct sparse {
  static constexpr auto tensors =
      ckpt::tensors({{"input", ckpt::dtype::u8, {2}, ckpt::role::absent},
                     {"b", ckpt::dtype::u8, {16}},
                     {"hidden", ckpt::dtype::u8, {2}, ckpt::role::absent},
                     {"d", ckpt::dtype::u8, {8}},
                     {"output", ckpt::dtype::u8, {2}, ckpt::role::absent}});
  static constexpr auto visits = ckpt::visit_order({3, 1});
};

struct no_tensors {
  static constexpr auto tensors = ckpt::tensors();
};

/// FX-ADAM: slot-1 at 60, slot-2 at 100, footer at 140, step 1234, epoch 7.
inline bytes adam() {
  return from_hex(
      "ad0101003c000000640000008c00000003000000200000003000000038000000"
      "1010101010101010101010101010101011111111111111111212121248000000"
      "5800000060000000202020202020202020202020202020202121212121212121"
      "2222222270000000800000008800000030303030303030303030303030303030"
      "313131313131313132323232d204000007000000");
}

/// FX-PLAIN: the same weights, both slot offsets 0, footer at 60, step 1234, epoch 7.
inline bytes plain() {
  return from_hex(
      "ad01010000000000000000003c00000003000000200000003000000038000000"
      "10101010101010101010101010101010111111111111111112121212d2040000"
      "07000000");
}

/// FX-SGD-O: slot-1 offset = footer offset = 60, slot-2 offset 0, step 1234, epoch 0.
inline bytes sgd_onert() {
  return from_hex(
      "ad0101003c000000000000003c00000003000000200000003000000038000000"
      "10101010101010101010101010101010111111111111111112121212d2040000"
      "00000000");
}

/// FX-SPARSE: N = 5, offsets 0, 48, 0, 40, 0; footer at 64, step 55, epoch 2.
inline bytes sparse_file() {
  return from_hex(
      "ad01010000000000000000004000000005000000000000003000000000000000"
      "2800000000000000131313131313131311111111111111111111111111111111"
      "3700000002000000");
}

/// FX-FROZEN: slot sizes 16, 0, 4; slot-1 at 60, slot-2 at 92, footer at 124, step 9, epoch 0.
inline bytes frozen() {
  return from_hex(
      "ad0101003c0000005c0000007c00000003000000200000003000000038000000"
      "1010101010101010101010101010101011111111111111111212121248000000"
      "5800000058000000202020202020202020202020202020202222222268000000"
      "7800000078000000303030303030303030303030303030303232323209000000"
      "00000000");
}

/// FX-EMPTY: N = 0, footer at 20, step 0, epoch 0.
inline bytes empty() {
  return from_hex("ad010100000000000000000014000000000000000000000000000000");
}

}  // namespace fixture

#endif  // CKPT_TESTS_DATA_FIXTURES_HPP
