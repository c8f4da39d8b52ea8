#ifndef CKPT_TESTS_UNIT_INTEROP_SAMPLE_CONTENTS_HPP
#define CKPT_TESTS_UNIT_INTEROP_SAMPLE_CONTENTS_HPP

#include <cmath>
#include <cstring>
#include <string>

#include "ckpt/checkpoint/contents.hpp"
#include "support.hpp"

/// Contents for the tests of interop, and a comparison that leaves nothing out.
namespace test {

inline double real_of(std::uint64_t bits) {
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

inline std::uint64_t bits_of(const double& number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

inline std::string text_of(ckpt::name_view name) {
  return std::string(name);
}

/// Memory that the contents keep, of bytes that tell them apart.
inline ckpt::bytes_view kept(ckpt::contents& owner, std::uint64_t size, unsigned seed) {
  random_numbers numbers(seed);
  bytes made(static_cast<std::size_t>(size));
  for (std::byte& b : made) b = static_cast<std::byte>(numbers.next());
  return owner.keep(std::move(made));
}

/// Adds a tensor with payloads of its own; the slots are as the weight.
inline std::size_t add(ckpt::contents& to, const std::string& name, ckpt::dtype type,
                       const ckpt::shape& extents, ckpt::role purpose = ckpt::role::trainable) {
  const ckpt::tensor_form form(type, extents);
  const bool is_stored = purpose != ckpt::role::absent;
  const auto seed = static_cast<unsigned>(to.size() * 10);
  const std::size_t index =
      to.add(name, form, purpose, kept(to, is_stored ? form.byte_size() : 0, seed));
  if (purpose == ckpt::role::trainable)
    for (std::size_t s = 0; s < to.slot_count(); ++s)
      to.set_slot(s, index, form, kept(to, form.byte_size(), seed + 1 + static_cast<unsigned>(s)));
  return index;
}

/// Something of everything: absent, frozen, scalar, empty and oddly named tensors, slots with forms
/// of their own, all of the training state, values, an order of visits.
inline ckpt::contents sample_contents() {
  ckpt::contents made;
  made.set_optimizer("adafactor", {"row", "column"});
  add(made, "", ckpt::dtype::f32, {1, 8}, ckpt::role::absent);
  const std::size_t w = add(made, "fc.weight", ckpt::dtype::f32, {3, 2});
  const ckpt::tensor_form row(ckpt::dtype::f32, {3});
  const ckpt::tensor_form column(ckpt::dtype::bf16, {2});
  made.set_slot(0, w, row, kept(made, row.byte_size(), 101));
  made.set_slot(1, w, column, kept(made, column.byte_size(), 102));
  const std::size_t f = add(made, "a \"name\"\n", ckpt::dtype::u8, {5}, ckpt::role::frozen);
  made.set_slot(1, f, ckpt::tensor_form(ckpt::dtype::i64, {0}), {});
  add(made, "scalar", ckpt::dtype::f64, {});
  add(made, "empty", ckpt::dtype::f16, {4, 0, 2});
  add(made, "row/fc.weight", ckpt::dtype::boolean, {1});
  add(made, "\xC3\xA4\xF0\x9F\x98\x80", ckpt::dtype::i16, {1, 1, 1, 1, 1, 1, 1, 3});
  for (std::size_t index = 6; index > 0; --index) made.visit(index);
  made.visit(1);
  made.training.step = ~std::uint64_t{0};
  made.training.epoch = 7;
  made.training.sample_cursor = 1234567;
  made.training.shuffle_seed = 0x8000000000000001U;
  made.training.rng_state = {1, 0, ~std::uint64_t{0}, 4};
  const std::uint64_t metric = 0x7FF0000000000001U;  // a signalling NaN
  std::memcpy(&made.training.best_metric, &metric, sizeof metric);
  made.training.learning_rate = -0.0;
  ckpt::value_storage<256> values;
  CHECK(values.set_text("run", "first").ok());
  CHECK(values.set_real("loss", 0.1).ok());
  CHECK(values.set_integer("seed", -5).ok());
  made.set_values(values);
  return made;
}

inline void check_same_form(const ckpt::tensor_form& a, const ckpt::tensor_form& b) {
  CHECK(ckpt::name(a.type()) == ckpt::name(b.type()));
  CHECK(a.extents() == b.extents());
}

inline bool same_bytes(ckpt::bytes_view a, ckpt::bytes_view b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

inline void check_same_training(const ckpt::training_state& a, const ckpt::training_state& b) {
  CHECK(a.step == b.step);
  CHECK(a.epoch == b.epoch);
  CHECK(a.sample_cursor == b.sample_cursor);
  CHECK(a.shuffle_seed == b.shuffle_seed);
  CHECK(a.rng_state == b.rng_state);
  CHECK(bits_of(a.best_metric) == bits_of(b.best_metric));
  CHECK(bits_of(a.learning_rate) == bits_of(b.learning_rate));
}

/// Compares every field.
inline void check_same(const ckpt::contents_view& a, const ckpt::contents_view& b) {
  CHECK(a.check().ok());
  REQUIRE(a.model.size() == b.model.size());
  REQUIRE(a.optimizer.slot_count == b.optimizer.slot_count);
  CHECK(text_of(a.optimizer.name) == text_of(b.optimizer.name));
  for (std::size_t s = 0; s < a.optimizer.slot_count; ++s)
    CHECK(text_of(a.slot_name(s)) == text_of(b.slot_name(s)));
  for (std::size_t i = 0; i < a.model.size(); ++i) {
    CAPTURE(i);
    CHECK(text_of(a.model[i].name()) == text_of(b.model[i].name()));
    CHECK(a.model[i].purpose() == b.model[i].purpose());
    for (std::size_t s = 0; s < a.section_count(); ++s) {
      CAPTURE(s);
      check_same_form(a.form(s, i), b.form(s, i));
      CHECK(same_bytes(a.bytes(s, i), b.bytes(s, i)));
    }
  }
  REQUIRE(a.model.visits.size() == b.model.visits.size());
  for (std::size_t k = 0; k < a.model.visits.size(); ++k)
    CHECK(a.model.visits[k] == b.model.visits[k]);
  check_same_training(a.training, b.training);
  CHECK(same_bytes(a.values.encoded(), b.values.encoded()));
}

/// Patterns that arithmetic or a conversion would not keep: signalling and quiet NaNs, infinities,
/// zeros, denormals.
inline bytes special_patterns(ckpt::dtype type) {
  std::vector<std::uint64_t> words;
  switch (type) {
    case ckpt::dtype::f64:
      words = {0x7FF0000000000001, 0xFFF8000000012345, 0x7FF0000000000000, 0xFFF0000000000000,
               0x8000000000000000, 0x0000000000000001, 0x800FFFFFFFFFFFFF, 0};
      break;
    case ckpt::dtype::f32:
      words = {0x7F802000, 0xFFC12345, 0x7F800000, 0xFF800000, 0x80000000, 1, 0x807FFFFF, 0};
      break;
    case ckpt::dtype::f16: words = {0x7C01, 0xFE55, 0x7C00, 0xFC00, 0x8000, 1, 0x83FF, 0}; break;
    default: words = {0x7F81, 0xFFC5, 0x7F80, 0xFF80, 0x8000, 1, 0x807F, 0};
  }
  const std::size_t width = ckpt::byte_width(type);
  bytes made;
  for (const std::uint64_t word : words)
    for (std::size_t k = 0; k < width; ++k)
      made.push_back(static_cast<std::byte>((word >> (8 * k)) & 0xFFU));
  return made;
}

}  // namespace test

#endif  // CKPT_TESTS_UNIT_INTEROP_SAMPLE_CONTENTS_HPP
