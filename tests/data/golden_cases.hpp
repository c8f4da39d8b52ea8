#ifndef CKPT_TESTS_DATA_GOLDEN_CASES_HPP
#define CKPT_TESTS_DATA_GOLDEN_CASES_HPP

#include <cstdint>
#include <vector>

#include "ckpt/format/dialect.hpp"
#include "ckpt/model/model.hpp"

/// The files of tests/data/golden: what wrote them and what is in them. Those of onert and
/// onert-micro come from the real exporters; the drafts and WOF are computed from their sources.
/// Each is a static model here, so that the compiler knows its layout, and a row of
/// `golden_cases()`.
///
/// The bytes follow a formula (`golden_value()`), so that every element can be checked.
namespace golden {

using ckpt::dtype;
using ckpt::role;

struct sgd_1t {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {2, 3}, role::trainable}});
};

struct sgd_2t {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::f32, {4, 3}, role::trainable}, {"t1", dtype::f32, {4}, role::trainable}});
};

struct sgd_5t_mixed {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {3, 4, 5}, role::trainable},
                                                 {"t1", dtype::f32, {}, role::trainable},
                                                 {"t2", dtype::i8, {3}, role::trainable},
                                                 {"t3", dtype::f32, {7}, role::trainable},
                                                 {"t4", dtype::i16, {5}, role::trainable}});
};

struct sgd_untrainable {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {4, 3}, role::trainable},
                                                 {"t1", dtype::i32, {4, 2}, role::frozen},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {2, 4}, role::trainable},
                                                 {"t4", dtype::i32, {2}, role::frozen}});
};

struct sgd_step0 {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::f32, {2, 2}, role::trainable}, {"t1", dtype::f32, {2}, role::trainable}});
};

struct sgd_12t_cnn {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {8, 3, 3, 1}, role::trainable},
                                                 {"t1", dtype::f32, {8}, role::trainable},
                                                 {"t2", dtype::f32, {16, 3, 3, 8}, role::trainable},
                                                 {"t3", dtype::f32, {16}, role::trainable},
                                                 {"t4", dtype::i32, {4, 2}, role::frozen},
                                                 {"t5", dtype::i32, {2}, role::frozen},
                                                 {"t6", dtype::f32, {32, 16, 16}, role::trainable},
                                                 {"t7", dtype::f32, {32}, role::trainable},
                                                 {"t8", dtype::f32, {10, 32}, role::trainable},
                                                 {"t9", dtype::f32, {10}, role::trainable},
                                                 {"t10", dtype::f32, {1}, role::trainable},
                                                 {"t11", dtype::f32, {}, role::trainable}});
};

struct sgd_specials {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {11}, role::trainable},
                                                 {"t1", dtype::f32, {3}, role::trainable},
                                                 {"t2", dtype::f32, {2, 5}, role::trainable}});
};

struct sgd_4t_fc {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 3}, role::trainable},
                                                 {"t1", dtype::f32, {4, 3}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4}, role::trainable}});
};

struct adam_1t {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {2, 3}, role::trainable}});
};

struct adam_2t {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::f32, {4, 3}, role::trainable}, {"t1", dtype::f32, {4}, role::trainable}});
};

struct adam_5t_mixed {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {3, 4, 5}, role::trainable},
                                                 {"t1", dtype::f32, {}, role::trainable},
                                                 {"t2", dtype::i8, {3}, role::trainable},
                                                 {"t3", dtype::f32, {7}, role::trainable},
                                                 {"t4", dtype::i16, {5}, role::trainable}});
};

struct adam_untrainable {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {4, 3}, role::trainable},
                                                 {"t1", dtype::i32, {4, 2}, role::frozen},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {2, 4}, role::trainable},
                                                 {"t4", dtype::i32, {2}, role::frozen}});
};

struct adam_step0 {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::f32, {2, 2}, role::trainable}, {"t1", dtype::f32, {2}, role::trainable}});
};

struct adam_step_max {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::f32, {2, 2}, role::trainable}, {"t1", dtype::f32, {2}, role::trainable}});
};

struct adam_4t_fc {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 3}, role::trainable},
                                                 {"t1", dtype::f32, {4, 3}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4}, role::trainable}});
};

struct adam_110t {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::f32, {1}, role::trainable},    {"t1", dtype::f32, {8}, role::trainable},
       {"t2", dtype::f32, {15}, role::trainable},   {"t3", dtype::f32, {22}, role::trainable},
       {"t4", dtype::f32, {29}, role::trainable},   {"t5", dtype::f32, {36}, role::trainable},
       {"t6", dtype::f32, {3}, role::trainable},    {"t7", dtype::f32, {10}, role::trainable},
       {"t8", dtype::f32, {17}, role::trainable},   {"t9", dtype::f32, {24}, role::trainable},
       {"t10", dtype::f32, {31}, role::trainable},  {"t11", dtype::f32, {38}, role::trainable},
       {"t12", dtype::f32, {5}, role::trainable},   {"t13", dtype::f32, {12}, role::trainable},
       {"t14", dtype::f32, {19}, role::trainable},  {"t15", dtype::f32, {26}, role::trainable},
       {"t16", dtype::f32, {33}, role::trainable},  {"t17", dtype::f32, {40}, role::trainable},
       {"t18", dtype::f32, {7}, role::trainable},   {"t19", dtype::f32, {14}, role::trainable},
       {"t20", dtype::f32, {21}, role::trainable},  {"t21", dtype::f32, {28}, role::trainable},
       {"t22", dtype::f32, {35}, role::trainable},  {"t23", dtype::f32, {2}, role::trainable},
       {"t24", dtype::f32, {9}, role::trainable},   {"t25", dtype::f32, {16}, role::trainable},
       {"t26", dtype::f32, {23}, role::trainable},  {"t27", dtype::f32, {30}, role::trainable},
       {"t28", dtype::f32, {37}, role::trainable},  {"t29", dtype::f32, {4}, role::trainable},
       {"t30", dtype::f32, {11}, role::trainable},  {"t31", dtype::f32, {18}, role::trainable},
       {"t32", dtype::f32, {25}, role::trainable},  {"t33", dtype::f32, {32}, role::trainable},
       {"t34", dtype::f32, {39}, role::trainable},  {"t35", dtype::f32, {6}, role::trainable},
       {"t36", dtype::f32, {13}, role::trainable},  {"t37", dtype::f32, {20}, role::trainable},
       {"t38", dtype::f32, {27}, role::trainable},  {"t39", dtype::f32, {34}, role::trainable},
       {"t40", dtype::f32, {1}, role::trainable},   {"t41", dtype::f32, {8}, role::trainable},
       {"t42", dtype::f32, {15}, role::trainable},  {"t43", dtype::f32, {22}, role::trainable},
       {"t44", dtype::f32, {29}, role::trainable},  {"t45", dtype::f32, {36}, role::trainable},
       {"t46", dtype::f32, {3}, role::trainable},   {"t47", dtype::f32, {10}, role::trainable},
       {"t48", dtype::f32, {17}, role::trainable},  {"t49", dtype::f32, {24}, role::trainable},
       {"t50", dtype::f32, {31}, role::trainable},  {"t51", dtype::f32, {38}, role::trainable},
       {"t52", dtype::f32, {5}, role::trainable},   {"t53", dtype::f32, {12}, role::trainable},
       {"t54", dtype::f32, {19}, role::trainable},  {"t55", dtype::f32, {26}, role::trainable},
       {"t56", dtype::f32, {33}, role::trainable},  {"t57", dtype::f32, {40}, role::trainable},
       {"t58", dtype::f32, {7}, role::trainable},   {"t59", dtype::f32, {14}, role::trainable},
       {"t60", dtype::f32, {21}, role::trainable},  {"t61", dtype::f32, {28}, role::trainable},
       {"t62", dtype::f32, {35}, role::trainable},  {"t63", dtype::f32, {2}, role::trainable},
       {"t64", dtype::f32, {9}, role::trainable},   {"t65", dtype::f32, {16}, role::trainable},
       {"t66", dtype::f32, {23}, role::trainable},  {"t67", dtype::f32, {30}, role::trainable},
       {"t68", dtype::f32, {37}, role::trainable},  {"t69", dtype::f32, {4}, role::trainable},
       {"t70", dtype::f32, {11}, role::trainable},  {"t71", dtype::f32, {18}, role::trainable},
       {"t72", dtype::f32, {25}, role::trainable},  {"t73", dtype::f32, {32}, role::trainable},
       {"t74", dtype::f32, {39}, role::trainable},  {"t75", dtype::f32, {6}, role::trainable},
       {"t76", dtype::f32, {13}, role::trainable},  {"t77", dtype::f32, {20}, role::trainable},
       {"t78", dtype::f32, {27}, role::trainable},  {"t79", dtype::f32, {34}, role::trainable},
       {"t80", dtype::f32, {1}, role::trainable},   {"t81", dtype::f32, {8}, role::trainable},
       {"t82", dtype::f32, {15}, role::trainable},  {"t83", dtype::f32, {22}, role::trainable},
       {"t84", dtype::f32, {29}, role::trainable},  {"t85", dtype::f32, {36}, role::trainable},
       {"t86", dtype::f32, {3}, role::trainable},   {"t87", dtype::f32, {10}, role::trainable},
       {"t88", dtype::f32, {17}, role::trainable},  {"t89", dtype::f32, {24}, role::trainable},
       {"t90", dtype::f32, {31}, role::trainable},  {"t91", dtype::f32, {38}, role::trainable},
       {"t92", dtype::f32, {5}, role::trainable},   {"t93", dtype::f32, {12}, role::trainable},
       {"t94", dtype::f32, {19}, role::trainable},  {"t95", dtype::f32, {26}, role::trainable},
       {"t96", dtype::f32, {33}, role::trainable},  {"t97", dtype::f32, {40}, role::trainable},
       {"t98", dtype::f32, {7}, role::trainable},   {"t99", dtype::f32, {14}, role::trainable},
       {"t100", dtype::f32, {21}, role::trainable}, {"t101", dtype::f32, {28}, role::trainable},
       {"t102", dtype::f32, {35}, role::trainable}, {"t103", dtype::f32, {2}, role::trainable},
       {"t104", dtype::f32, {9}, role::trainable},  {"t105", dtype::f32, {16}, role::trainable},
       {"t106", dtype::f32, {23}, role::trainable}, {"t107", dtype::f32, {30}, role::trainable},
       {"t108", dtype::f32, {37}, role::trainable}, {"t109", dtype::f32, {4}, role::trainable}});
};

struct sgd_110t {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::f32, {1}, role::trainable},    {"t1", dtype::f32, {8}, role::trainable},
       {"t2", dtype::f32, {15}, role::trainable},   {"t3", dtype::f32, {22}, role::trainable},
       {"t4", dtype::f32, {29}, role::trainable},   {"t5", dtype::f32, {36}, role::trainable},
       {"t6", dtype::f32, {3}, role::trainable},    {"t7", dtype::f32, {10}, role::trainable},
       {"t8", dtype::f32, {17}, role::trainable},   {"t9", dtype::f32, {24}, role::trainable},
       {"t10", dtype::f32, {31}, role::trainable},  {"t11", dtype::f32, {38}, role::trainable},
       {"t12", dtype::f32, {5}, role::trainable},   {"t13", dtype::f32, {12}, role::trainable},
       {"t14", dtype::f32, {19}, role::trainable},  {"t15", dtype::f32, {26}, role::trainable},
       {"t16", dtype::f32, {33}, role::trainable},  {"t17", dtype::f32, {40}, role::trainable},
       {"t18", dtype::f32, {7}, role::trainable},   {"t19", dtype::f32, {14}, role::trainable},
       {"t20", dtype::f32, {21}, role::trainable},  {"t21", dtype::f32, {28}, role::trainable},
       {"t22", dtype::f32, {35}, role::trainable},  {"t23", dtype::f32, {2}, role::trainable},
       {"t24", dtype::f32, {9}, role::trainable},   {"t25", dtype::f32, {16}, role::trainable},
       {"t26", dtype::f32, {23}, role::trainable},  {"t27", dtype::f32, {30}, role::trainable},
       {"t28", dtype::f32, {37}, role::trainable},  {"t29", dtype::f32, {4}, role::trainable},
       {"t30", dtype::f32, {11}, role::trainable},  {"t31", dtype::f32, {18}, role::trainable},
       {"t32", dtype::f32, {25}, role::trainable},  {"t33", dtype::f32, {32}, role::trainable},
       {"t34", dtype::f32, {39}, role::trainable},  {"t35", dtype::f32, {6}, role::trainable},
       {"t36", dtype::f32, {13}, role::trainable},  {"t37", dtype::f32, {20}, role::trainable},
       {"t38", dtype::f32, {27}, role::trainable},  {"t39", dtype::f32, {34}, role::trainable},
       {"t40", dtype::f32, {1}, role::trainable},   {"t41", dtype::f32, {8}, role::trainable},
       {"t42", dtype::f32, {15}, role::trainable},  {"t43", dtype::f32, {22}, role::trainable},
       {"t44", dtype::f32, {29}, role::trainable},  {"t45", dtype::f32, {36}, role::trainable},
       {"t46", dtype::f32, {3}, role::trainable},   {"t47", dtype::f32, {10}, role::trainable},
       {"t48", dtype::f32, {17}, role::trainable},  {"t49", dtype::f32, {24}, role::trainable},
       {"t50", dtype::f32, {31}, role::trainable},  {"t51", dtype::f32, {38}, role::trainable},
       {"t52", dtype::f32, {5}, role::trainable},   {"t53", dtype::f32, {12}, role::trainable},
       {"t54", dtype::f32, {19}, role::trainable},  {"t55", dtype::f32, {26}, role::trainable},
       {"t56", dtype::f32, {33}, role::trainable},  {"t57", dtype::f32, {40}, role::trainable},
       {"t58", dtype::f32, {7}, role::trainable},   {"t59", dtype::f32, {14}, role::trainable},
       {"t60", dtype::f32, {21}, role::trainable},  {"t61", dtype::f32, {28}, role::trainable},
       {"t62", dtype::f32, {35}, role::trainable},  {"t63", dtype::f32, {2}, role::trainable},
       {"t64", dtype::f32, {9}, role::trainable},   {"t65", dtype::f32, {16}, role::trainable},
       {"t66", dtype::f32, {23}, role::trainable},  {"t67", dtype::f32, {30}, role::trainable},
       {"t68", dtype::f32, {37}, role::trainable},  {"t69", dtype::f32, {4}, role::trainable},
       {"t70", dtype::f32, {11}, role::trainable},  {"t71", dtype::f32, {18}, role::trainable},
       {"t72", dtype::f32, {25}, role::trainable},  {"t73", dtype::f32, {32}, role::trainable},
       {"t74", dtype::f32, {39}, role::trainable},  {"t75", dtype::f32, {6}, role::trainable},
       {"t76", dtype::f32, {13}, role::trainable},  {"t77", dtype::f32, {20}, role::trainable},
       {"t78", dtype::f32, {27}, role::trainable},  {"t79", dtype::f32, {34}, role::trainable},
       {"t80", dtype::f32, {1}, role::trainable},   {"t81", dtype::f32, {8}, role::trainable},
       {"t82", dtype::f32, {15}, role::trainable},  {"t83", dtype::f32, {22}, role::trainable},
       {"t84", dtype::f32, {29}, role::trainable},  {"t85", dtype::f32, {36}, role::trainable},
       {"t86", dtype::f32, {3}, role::trainable},   {"t87", dtype::f32, {10}, role::trainable},
       {"t88", dtype::f32, {17}, role::trainable},  {"t89", dtype::f32, {24}, role::trainable},
       {"t90", dtype::f32, {31}, role::trainable},  {"t91", dtype::f32, {38}, role::trainable},
       {"t92", dtype::f32, {5}, role::trainable},   {"t93", dtype::f32, {12}, role::trainable},
       {"t94", dtype::f32, {19}, role::trainable},  {"t95", dtype::f32, {26}, role::trainable},
       {"t96", dtype::f32, {33}, role::trainable},  {"t97", dtype::f32, {40}, role::trainable},
       {"t98", dtype::f32, {7}, role::trainable},   {"t99", dtype::f32, {14}, role::trainable},
       {"t100", dtype::f32, {21}, role::trainable}, {"t101", dtype::f32, {28}, role::trainable},
       {"t102", dtype::f32, {35}, role::trainable}, {"t103", dtype::f32, {2}, role::trainable},
       {"t104", dtype::f32, {9}, role::trainable},  {"t105", dtype::f32, {16}, role::trainable},
       {"t106", dtype::f32, {23}, role::trainable}, {"t107", dtype::f32, {30}, role::trainable},
       {"t108", dtype::f32, {37}, role::trainable}, {"t109", dtype::f32, {4}, role::trainable}});
};

struct adam_all_untrainable {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::i32, {2}, role::frozen}, {"t1", dtype::i32, {4, 2}, role::frozen}});
};

struct sgd_empty {
  static constexpr auto tensors = ckpt::tensors();
};

struct sgd_zero_size_mid {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {2}, role::trainable},
                                                 {"t1", dtype::f32, {0, 3}, role::trainable},
                                                 {"t2", dtype::f32, {2}, role::trainable}});
};

struct stub_sgd {
  static constexpr auto tensors = ckpt::tensors();
};

struct d1_adam_2t {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::f32, {4, 3}, role::trainable}, {"t1", dtype::f32, {4}, role::trainable}});
};

struct d2_adam_2t {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::f32, {4, 3}, role::trainable}, {"t1", dtype::f32, {4}, role::trainable}});
};

struct d3_sgd_2t {
  static constexpr auto tensors = ckpt::tensors(
      {{"t0", dtype::f32, {4, 3}, role::trainable}, {"t1", dtype::f32, {4}, role::trainable}});
};

struct sgd_fc {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 3}, role::absent},
                                                 {"t1", dtype::f32, {4, 3}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4}, role::absent}});
  static constexpr auto visits = ckpt::visit_order({1, 2});
};

struct adam_fc {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 3}, role::absent},
                                                 {"t1", dtype::f32, {4, 3}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4}, role::absent}});
  static constexpr auto visits = ckpt::visit_order({1, 2});
};

struct adam_fc_reset {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 3}, role::absent},
                                                 {"t1", dtype::f32, {4, 3}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4}, role::absent}});
  static constexpr auto visits = ckpt::visit_order({1, 2});
};

struct sgd_cnn {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 6, 6, 1}, role::absent},
                                                 {"t1", dtype::f32, {4, 3, 3, 1}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4, 4, 4}, role::absent},
                                                 {"t4", dtype::f32, {1, 2, 2, 4}, role::absent},
                                                 {"t5", dtype::i32, {2}, role::absent},
                                                 {"t6", dtype::f32, {1, 16}, role::absent},
                                                 {"t7", dtype::f32, {8, 16}, role::trainable},
                                                 {"t8", dtype::f32, {8}, role::trainable},
                                                 {"t9", dtype::f32, {1, 8}, role::absent},
                                                 {"t10", dtype::f32, {8}, role::absent},
                                                 {"t11", dtype::f32, {3, 8}, role::trainable},
                                                 {"t12", dtype::f32, {1, 3}, role::absent}});
  static constexpr auto visits = ckpt::visit_order({11, 7, 8, 1, 2});
};

struct sgd_cnn_max {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 6, 6, 1}, role::absent},
                                                 {"t1", dtype::f32, {4, 3, 3, 1}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4, 4, 4}, role::absent},
                                                 {"t4", dtype::f32, {1, 2, 2, 4}, role::absent},
                                                 {"t5", dtype::i32, {2}, role::absent},
                                                 {"t6", dtype::f32, {1, 16}, role::absent},
                                                 {"t7", dtype::f32, {8, 16}, role::trainable},
                                                 {"t8", dtype::f32, {8}, role::trainable},
                                                 {"t9", dtype::f32, {1, 8}, role::absent},
                                                 {"t10", dtype::f32, {8}, role::absent},
                                                 {"t11", dtype::f32, {3, 8}, role::trainable},
                                                 {"t12", dtype::f32, {1, 3}, role::absent}});
  static constexpr auto visits = ckpt::visit_order({11, 7, 8, 1, 2});
};

struct sgd_shared {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 4}, role::absent},
                                                 {"t1", dtype::f32, {4, 4}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4}, role::absent},
                                                 {"t4", dtype::f32, {1, 4}, role::absent}});
  static constexpr auto visits = ckpt::visit_order({1, 2, 1, 2});
};

struct adam_cnn {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 6, 6, 1}, role::absent},
                                                 {"t1", dtype::f32, {4, 3, 3, 1}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4, 4, 4}, role::absent},
                                                 {"t4", dtype::f32, {1, 2, 2, 4}, role::absent},
                                                 {"t5", dtype::i32, {2}, role::absent},
                                                 {"t6", dtype::f32, {1, 16}, role::absent},
                                                 {"t7", dtype::f32, {8, 16}, role::trainable},
                                                 {"t8", dtype::f32, {8}, role::trainable},
                                                 {"t9", dtype::f32, {1, 8}, role::absent},
                                                 {"t10", dtype::f32, {8}, role::absent},
                                                 {"t11", dtype::f32, {3, 8}, role::trainable},
                                                 {"t12", dtype::f32, {1, 3}, role::absent}});
  static constexpr auto visits = ckpt::visit_order({11, 7, 8, 1, 2});
};

struct adam_cnn_last1 {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 6, 6, 1}, role::absent},
                                                 {"t1", dtype::f32, {4, 3, 3, 1}, role::absent},
                                                 {"t2", dtype::f32, {4}, role::absent},
                                                 {"t3", dtype::f32, {1, 4, 4, 4}, role::absent},
                                                 {"t4", dtype::f32, {1, 2, 2, 4}, role::absent},
                                                 {"t5", dtype::i32, {2}, role::absent},
                                                 {"t6", dtype::f32, {1, 16}, role::absent},
                                                 {"t7", dtype::f32, {8, 16}, role::absent},
                                                 {"t8", dtype::f32, {8}, role::absent},
                                                 {"t9", dtype::f32, {1, 8}, role::absent},
                                                 {"t10", dtype::f32, {8}, role::absent},
                                                 {"t11", dtype::f32, {3, 8}, role::trainable},
                                                 {"t12", dtype::f32, {1, 3}, role::absent}});
  static constexpr auto visits = ckpt::visit_order({11});
};

struct sgd_bias_first {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {4}, role::trainable},
                                                 {"t1", dtype::f32, {1, 3}, role::absent},
                                                 {"t2", dtype::f32, {1, 4}, role::absent},
                                                 {"t3", dtype::f32, {4, 3}, role::trainable}});
  static constexpr auto visits = ckpt::visit_order({3, 0});
};

struct sgd_scalar_bias {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 3}, role::absent},
                                                 {"t1", dtype::f32, {1, 3}, role::trainable},
                                                 {"t2", dtype::f32, {}, role::trainable},
                                                 {"t3", dtype::f32, {1, 1}, role::absent}});
  static constexpr auto visits = ckpt::visit_order({1, 2});
};

struct sgd_no_trainable {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {2}, role::absent},
                                                 {"t1", dtype::f32, {2}, role::absent},
                                                 {"t2", dtype::f32, {2}, role::absent}});
};

struct sgd_fc_i8_quirk {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 3}, role::absent},
                                                 {"t1", dtype::i8, {1, 3}, role::trainable},
                                                 {"t2", dtype::f32, {1}, role::trainable},
                                                 {"t3", dtype::f32, {1, 1}, role::absent}});
  static constexpr auto visits = ckpt::visit_order({1, 2});
};

struct wof_fc {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 3}, role::absent},
                                                 {"t1", dtype::f32, {4, 3}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4}, role::absent}});
};

struct wof_cnn {
  static constexpr auto tensors = ckpt::tensors({{"t0", dtype::f32, {1, 6, 6, 1}, role::absent},
                                                 {"t1", dtype::f32, {4, 3, 3, 1}, role::trainable},
                                                 {"t2", dtype::f32, {4}, role::trainable},
                                                 {"t3", dtype::f32, {1, 4, 4, 4}, role::absent},
                                                 {"t4", dtype::f32, {1, 2, 2, 4}, role::absent},
                                                 {"t5", dtype::i32, {2}, role::trainable},
                                                 {"t6", dtype::f32, {1, 16}, role::absent},
                                                 {"t7", dtype::f32, {8, 16}, role::trainable},
                                                 {"t8", dtype::f32, {8}, role::trainable},
                                                 {"t9", dtype::f32, {1, 8}, role::absent},
                                                 {"t10", dtype::f32, {8}, role::trainable},
                                                 {"t11", dtype::f32, {3, 8}, role::trainable},
                                                 {"t12", dtype::f32, {1, 3}, role::absent}});
};

/// What is known of one golden file.
struct golden_case {
  const char* file;  ///< below tests/data/golden
  ckpt::dialect kind;
  std::uint64_t file_bytes;
  std::uint32_t tensor_count;
  std::uint32_t slot_count;
  bool has_footer;
  std::uint32_t step;
  std::uint32_t epoch;
  std::vector<std::uint32_t> header;   ///< opt1, opt2, other
  std::vector<std::uint32_t> weights;  ///< table entries
  std::vector<std::uint32_t> m;
  std::vector<std::uint32_t> v;
  ckpt::model_view model;
  std::vector<std::size_t> special;  ///< tensors that hold NaNs, infinities, denormals
};

inline const std::vector<golden_case>& golden_cases() {
  using ckpt::dialect;
  using ckpt::view_of;
  static const std::vector<golden_case> cases = {
      {"onert-merged/sgd_1t.ckpt",
       dialect::onert,
       56,
       1,
       0,
       true,
       1u,
       0u,
       {48, 0, 48},
       {24},
       {},
       {},
       view_of<sgd_1t>(),
       {}},
      {"onert-merged/sgd_2t.ckpt",
       dialect::onert,
       100,
       2,
       0,
       true,
       77u,
       0u,
       {92, 0, 92},
       {28, 76},
       {},
       {},
       view_of<sgd_2t>(),
       {}},
      {"onert-merged/sgd_5t_mixed.ckpt",
       dialect::onert,
       333,
       5,
       0,
       true,
       1234u,
       0u,
       {325, 0, 325},
       {40, 280, 284, 287, 315},
       {},
       {},
       view_of<sgd_5t_mixed>(),
       {}},
      {"onert-merged/sgd_untrainable.ckpt",
       dialect::onert,
       184,
       5,
       0,
       true,
       10u,
       0u,
       {176, 0, 176},
       {40, 88, 120, 136, 168},
       {},
       {},
       view_of<sgd_untrainable>(),
       {}},
      {"onert-merged/sgd_step0.ckpt",
       dialect::onert,
       60,
       2,
       0,
       true,
       0u,
       0u,
       {52, 0, 52},
       {28, 44},
       {},
       {},
       view_of<sgd_step0>(),
       {}},
      {"onert-merged/sgd_12t_cnn.ckpt",
       dialect::onert,
       39332,
       12,
       0,
       true,
       4242u,
       0u,
       {39324, 0, 39324},
       {68, 356, 388, 4996, 5060, 5092, 5100, 37868, 37996, 39276, 39316, 39320},
       {},
       {},
       view_of<sgd_12t_cnn>(),
       {}},
      {"onert-merged/sgd_specials.ckpt",
       dialect::onert,
       136,
       3,
       0,
       true,
       5u,
       0u,
       {128, 0, 128},
       {32, 76, 88},
       {},
       {},
       view_of<sgd_specials>(),
       {0, 2}},
      {"onert-merged/sgd_4t_fc.ckpt",
       dialect::onert,
       136,
       4,
       0,
       true,
       9u,
       0u,
       {128, 0, 128},
       {36, 48, 96, 112},
       {},
       {},
       view_of<sgd_4t_fc>(),
       {}},
      {"onert-merged/adam_1t.ckpt",
       dialect::onert,
       112,
       1,
       2,
       true,
       1u,
       0u,
       {48, 76, 104},
       {24},
       {52},
       {80},
       view_of<adam_1t>(),
       {}},
      {"onert-merged/adam_2t.ckpt",
       dialect::onert,
       244,
       2,
       2,
       true,
       77u,
       0u,
       {92, 164, 236},
       {28, 76},
       {100, 148},
       {172, 220},
       view_of<adam_2t>(),
       {}},
      {"onert-merged/adam_5t_mixed.ckpt",
       dialect::onert,
       943,
       5,
       2,
       true,
       1234u,
       0u,
       {325, 630, 935},
       {40, 280, 284, 287, 315},
       {345, 585, 589, 592, 620},
       {650, 890, 894, 897, 925},
       view_of<adam_5t_mixed>(),
       {}},
      {"onert-merged/adam_untrainable.ckpt",
       dialect::onert,
       416,
       5,
       2,
       true,
       10u,
       0u,
       {176, 292, 408},
       {40, 88, 120, 136, 168},
       {196, 244, 244, 260, 292},
       {312, 360, 360, 376, 408},
       view_of<adam_untrainable>(),
       {}},
      {"onert-merged/adam_step0.ckpt",
       dialect::onert,
       124,
       2,
       2,
       true,
       0u,
       0u,
       {52, 84, 116},
       {28, 44},
       {60, 76},
       {92, 108},
       view_of<adam_step0>(),
       {}},
      {"onert-merged/adam_step_max.ckpt",
       dialect::onert,
       124,
       2,
       2,
       true,
       4294967295u,
       0u,
       {52, 84, 116},
       {28, 44},
       {60, 76},
       {92, 108},
       view_of<adam_step_max>(),
       {}},
      {"onert-merged/adam_4t_fc.ckpt",
       dialect::onert,
       352,
       4,
       2,
       true,
       9u,
       0u,
       {128, 236, 344},
       {36, 48, 96, 112},
       {144, 156, 204, 220},
       {252, 264, 312, 328},
       view_of<adam_4t_fc>(),
       {}},
      {"onert-merged/adam_110t.ckpt",
       dialect::onert,
       28168,
       110,
       2,
       true,
       500u,
       0u,
       {9400, 18780, 28160},
       {460,  464,  496,  556,  644,  760,  904,  916,  956,  1024, 1120, 1244, 1396, 1416,
        1464, 1540, 1644, 1776, 1936, 1964, 2020, 2104, 2216, 2356, 2364, 2400, 2464, 2556,
        2676, 2824, 2840, 2884, 2956, 3056, 3184, 3340, 3364, 3416, 3496, 3604, 3740, 3744,
        3776, 3836, 3924, 4040, 4184, 4196, 4236, 4304, 4400, 4524, 4676, 4696, 4744, 4820,
        4924, 5056, 5216, 5244, 5300, 5384, 5496, 5636, 5644, 5680, 5744, 5836, 5956, 6104,
        6120, 6164, 6236, 6336, 6464, 6620, 6644, 6696, 6776, 6884, 7020, 7024, 7056, 7116,
        7204, 7320, 7464, 7476, 7516, 7584, 7680, 7804, 7956, 7976, 8024, 8100, 8204, 8336,
        8496, 8524, 8580, 8664, 8776, 8916, 8924, 8960, 9024, 9116, 9236, 9384},
       {9840,  9844,  9876,  9936,  10024, 10140, 10284, 10296, 10336, 10404, 10500, 10624, 10776,
        10796, 10844, 10920, 11024, 11156, 11316, 11344, 11400, 11484, 11596, 11736, 11744, 11780,
        11844, 11936, 12056, 12204, 12220, 12264, 12336, 12436, 12564, 12720, 12744, 12796, 12876,
        12984, 13120, 13124, 13156, 13216, 13304, 13420, 13564, 13576, 13616, 13684, 13780, 13904,
        14056, 14076, 14124, 14200, 14304, 14436, 14596, 14624, 14680, 14764, 14876, 15016, 15024,
        15060, 15124, 15216, 15336, 15484, 15500, 15544, 15616, 15716, 15844, 16000, 16024, 16076,
        16156, 16264, 16400, 16404, 16436, 16496, 16584, 16700, 16844, 16856, 16896, 16964, 17060,
        17184, 17336, 17356, 17404, 17480, 17584, 17716, 17876, 17904, 17960, 18044, 18156, 18296,
        18304, 18340, 18404, 18496, 18616, 18764},
       {19220, 19224, 19256, 19316, 19404, 19520, 19664, 19676, 19716, 19784, 19880, 20004, 20156,
        20176, 20224, 20300, 20404, 20536, 20696, 20724, 20780, 20864, 20976, 21116, 21124, 21160,
        21224, 21316, 21436, 21584, 21600, 21644, 21716, 21816, 21944, 22100, 22124, 22176, 22256,
        22364, 22500, 22504, 22536, 22596, 22684, 22800, 22944, 22956, 22996, 23064, 23160, 23284,
        23436, 23456, 23504, 23580, 23684, 23816, 23976, 24004, 24060, 24144, 24256, 24396, 24404,
        24440, 24504, 24596, 24716, 24864, 24880, 24924, 24996, 25096, 25224, 25380, 25404, 25456,
        25536, 25644, 25780, 25784, 25816, 25876, 25964, 26080, 26224, 26236, 26276, 26344, 26440,
        26564, 26716, 26736, 26784, 26860, 26964, 27096, 27256, 27284, 27340, 27424, 27536, 27676,
        27684, 27720, 27784, 27876, 27996, 28144},
       view_of<adam_110t>(),
       {}},
      {"onert-merged/sgd_110t.ckpt",
       dialect::onert,
       9408,
       110,
       0,
       true,
       500u,
       0u,
       {9400, 0, 9400},
       {460,  464,  496,  556,  644,  760,  904,  916,  956,  1024, 1120, 1244, 1396, 1416,
        1464, 1540, 1644, 1776, 1936, 1964, 2020, 2104, 2216, 2356, 2364, 2400, 2464, 2556,
        2676, 2824, 2840, 2884, 2956, 3056, 3184, 3340, 3364, 3416, 3496, 3604, 3740, 3744,
        3776, 3836, 3924, 4040, 4184, 4196, 4236, 4304, 4400, 4524, 4676, 4696, 4744, 4820,
        4924, 5056, 5216, 5244, 5300, 5384, 5496, 5636, 5644, 5680, 5744, 5836, 5956, 6104,
        6120, 6164, 6236, 6336, 6464, 6620, 6644, 6696, 6776, 6884, 7020, 7024, 7056, 7116,
        7204, 7320, 7464, 7476, 7516, 7584, 7680, 7804, 7956, 7976, 8024, 8100, 8204, 8336,
        8496, 8524, 8580, 8664, 8776, 8916, 8924, 8960, 9024, 9116, 9236, 9384},
       {},
       {},
       view_of<sgd_110t>(),
       {}},
      {"onert-merged/adam_all_untrainable.ckpt",
       dialect::onert,
       92,
       2,
       2,
       true,
       3u,
       0u,
       {68, 76, 84},
       {28, 36},
       {76, 76},
       {84, 84},
       view_of<adam_all_untrainable>(),
       {}},
      {"onert-merged/sgd_empty.ckpt",
       dialect::onert,
       28,
       0,
       0,
       true,
       2u,
       0u,
       {20, 0, 20},
       {},
       {},
       {},
       view_of<sgd_empty>(),
       {}},
      {"onert-merged/sgd_zero_size_mid.ckpt",
       dialect::onert,
       56,
       3,
       0,
       true,
       2u,
       0u,
       {48, 0, 48},
       {32, 40, 40},
       {},
       {},
       view_of<sgd_zero_size_mid>(),
       {}},
      {"onert-merged-v0/stub_sgd.ckpt",
       dialect::onert_v0,
       28,
       0,
       0,
       true,
       321u,
       0u,
       {0, 0, 20},
       {},
       {},
       {},
       view_of<stub_sgd>(),
       {}},
      {"onert-draft/d1_adam_2t.ckpt",
       dialect::draft_d1,
       236,
       2,
       2,
       false,
       0u,
       0u,
       {92, 164, 0},
       {28, 76},
       {100, 148},
       {172, 220},
       view_of<d1_adam_2t>(),
       {}},
      {"onert-draft/d2_adam_2t.ckpt",
       dialect::draft_d2,
       236,
       2,
       2,
       false,
       0u,
       0u,
       {92, 164, 236},
       {28, 76},
       {100, 148},
       {172, 220},
       view_of<d2_adam_2t>(),
       {}},
      {"onert-draft/d3_sgd_2t.ckpt",
       dialect::draft_d3,
       92,
       2,
       0,
       false,
       0u,
       0u,
       {0, 0, 0},
       {20, 68},
       {},
       {},
       view_of<d3_sgd_2t>(),
       {}},
      {"onert-micro/sgd_fc.ckpt",
       dialect::onert_micro,
       108,
       4,
       0,
       true,
       3u,
       1u,
       {0, 0, 100},
       {0, 36, 84, 0},
       {},
       {},
       view_of<sgd_fc>(),
       {}},
      {"onert-micro/adam_fc.ckpt",
       dialect::onert_micro,
       268,
       4,
       2,
       true,
       3u,
       1u,
       {100, 180, 260},
       {0, 36, 84, 0},
       {0, 116, 164, 0},
       {0, 196, 244, 0},
       view_of<adam_fc>(),
       {}},
      {"onert-micro/adam_fc_reset.ckpt",
       dialect::onert_micro,
       108,
       4,
       0,
       true,
       0u,
       0u,
       {0, 0, 100},
       {0, 36, 84, 0},
       {},
       {},
       view_of<adam_fc_reset>(),
       {}},
      {"onert-micro/sgd_cnn.ckpt",
       dialect::onert_micro,
       880,
       13,
       0,
       true,
       100u,
       7u,
       {0, 0, 872},
       {0, 712, 856, 0, 0, 0, 0, 168, 680, 0, 0, 72, 0},
       {},
       {},
       view_of<sgd_cnn>(),
       {}},
      {"onert-micro/sgd_cnn_max.ckpt",
       dialect::onert_micro,
       880,
       13,
       0,
       true,
       4294967295u,
       4294967295u,
       {0, 0, 872},
       {0, 712, 856, 0, 0, 0, 0, 168, 680, 0, 0, 72, 0},
       {},
       {},
       view_of<sgd_cnn_max>(),
       {}},
      {"onert-micro/sgd_shared.ckpt",
       dialect::onert_micro,
       208,
       5,
       0,
       true,
       1u,
       1u,
       {0, 0, 200},
       {0, 120, 184, 0, 0},
       {},
       {},
       view_of<sgd_shared>(),
       {}},
      {"onert-micro/adam_cnn.ckpt",
       dialect::onert_micro,
       2584,
       13,
       2,
       true,
       100u,
       7u,
       {872, 1724, 2576},
       {0, 712, 856, 0, 0, 0, 0, 168, 680, 0, 0, 72, 0},
       {0, 1564, 1708, 0, 0, 0, 0, 1020, 1532, 0, 0, 924, 0},
       {0, 2416, 2560, 0, 0, 0, 0, 1872, 2384, 0, 0, 1776, 0},
       view_of<adam_cnn>(),
       {}},
      {"onert-micro/adam_cnn_last1.ckpt",
       dialect::onert_micro,
       472,
       13,
       2,
       true,
       5u,
       1u,
       {168, 316, 464},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 72, 0},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 220, 0},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 368, 0},
       view_of<adam_cnn_last1>(),
       {}},
      {"onert-micro/sgd_bias_first.ckpt",
       dialect::onert_micro,
       108,
       4,
       0,
       true,
       2u,
       2u,
       {0, 0, 100},
       {84, 0, 0, 36},
       {},
       {},
       view_of<sgd_bias_first>(),
       {}},
      {"onert-micro/sgd_scalar_bias.ckpt",
       dialect::onert_micro,
       60,
       4,
       0,
       true,
       2u,
       2u,
       {0, 0, 52},
       {0, 36, 48, 0},
       {},
       {},
       view_of<sgd_scalar_bias>(),
       {}},
      {"onert-micro/sgd_no_trainable.ckpt",
       dialect::onert_micro,
       40,
       3,
       0,
       true,
       2u,
       2u,
       {0, 0, 32},
       {0, 0, 0},
       {},
       {},
       view_of<sgd_no_trainable>(),
       {}},
      {"onert-micro/sgd_fc_i8_quirk.ckpt",
       dialect::onert_micro,
       60,
       4,
       0,
       true,
       2u,
       2u,
       {0, 0, 52},
       {0, 36, 48, 0},
       {},
       {},
       view_of<sgd_fc_i8_quirk>(),
       {}},
      {"wof/wof_fc.wof",
       dialect::wof,
       88,
       4,
       0,
       false,
       0u,
       0u,
       {0, 0, 0},
       {0, 24, 72, 0},
       {},
       {},
       view_of<wof_fc>(),
       {}},
      {"wof/wof_cnn.wof",
       dialect::wof,
       900,
       13,
       0,
       false,
       0u,
       0u,
       {0, 0, 0},
       {0, 60, 204, 0, 0, 220, 0, 228, 740, 0, 772, 804, 0},
       {},
       {},
       view_of<wof_cnn>(),
       {}},
  };
  return cases;
}

/// TEST(model, file) for each file that a writer of ckpt must reproduce.
#define GOLDEN_ONERT_SGD(TEST)                               \
  TEST(sgd_1t, "onert-merged/sgd_1t.ckpt")                   \
  TEST(sgd_2t, "onert-merged/sgd_2t.ckpt")                   \
  TEST(sgd_5t_mixed, "onert-merged/sgd_5t_mixed.ckpt")       \
  TEST(sgd_untrainable, "onert-merged/sgd_untrainable.ckpt") \
  TEST(sgd_step0, "onert-merged/sgd_step0.ckpt")             \
  TEST(sgd_12t_cnn, "onert-merged/sgd_12t_cnn.ckpt")         \
  TEST(sgd_specials, "onert-merged/sgd_specials.ckpt")       \
  TEST(sgd_4t_fc, "onert-merged/sgd_4t_fc.ckpt")             \
  TEST(sgd_110t, "onert-merged/sgd_110t.ckpt")               \
  TEST(sgd_empty, "onert-merged/sgd_empty.ckpt")             \
  TEST(sgd_zero_size_mid, "onert-merged/sgd_zero_size_mid.ckpt")

#define GOLDEN_ONERT_ADAM(TEST)                                \
  TEST(adam_1t, "onert-merged/adam_1t.ckpt")                   \
  TEST(adam_2t, "onert-merged/adam_2t.ckpt")                   \
  TEST(adam_5t_mixed, "onert-merged/adam_5t_mixed.ckpt")       \
  TEST(adam_untrainable, "onert-merged/adam_untrainable.ckpt") \
  TEST(adam_step0, "onert-merged/adam_step0.ckpt")             \
  TEST(adam_step_max, "onert-merged/adam_step_max.ckpt")       \
  TEST(adam_4t_fc, "onert-merged/adam_4t_fc.ckpt")             \
  TEST(adam_110t, "onert-merged/adam_110t.ckpt")               \
  TEST(adam_all_untrainable, "onert-merged/adam_all_untrainable.ckpt")

#define GOLDEN_MICRO_SGD(TEST)                              \
  TEST(sgd_fc, "onert-micro/sgd_fc.ckpt")                   \
  TEST(adam_fc_reset, "onert-micro/adam_fc_reset.ckpt")     \
  TEST(sgd_cnn, "onert-micro/sgd_cnn.ckpt")                 \
  TEST(sgd_cnn_max, "onert-micro/sgd_cnn_max.ckpt")         \
  TEST(sgd_shared, "onert-micro/sgd_shared.ckpt")           \
  TEST(sgd_bias_first, "onert-micro/sgd_bias_first.ckpt")   \
  TEST(sgd_scalar_bias, "onert-micro/sgd_scalar_bias.ckpt") \
  TEST(sgd_no_trainable, "onert-micro/sgd_no_trainable.ckpt")

#define GOLDEN_MICRO_ADAM(TEST)               \
  TEST(adam_fc, "onert-micro/adam_fc.ckpt")   \
  TEST(adam_cnn, "onert-micro/adam_cnn.ckpt") \
  TEST(adam_cnn_last1, "onert-micro/adam_cnn_last1.ckpt")

}  // namespace golden

#endif  // CKPT_TESTS_DATA_GOLDEN_CASES_HPP
