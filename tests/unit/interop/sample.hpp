#ifndef CKPT_TESTS_UNIT_INTEROP_SAMPLE_HPP
#define CKPT_TESTS_UNIT_INTEROP_SAMPLE_HPP

#include <doctest/doctest.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/contents.hpp"
#include "ckpt/model/optimizers.hpp"
#include "scaled_native.hpp"
#include "scratch.hpp"

namespace ckpt_test {

/// Contents of a small model in the order of the names, every payload different: a bias, a scalar
/// and a matrix that are trained, and a frozen tensor without elements.
template <class Optimizer>
ckpt::contents sample() {
  const ckpt::optimizer_view optimizer = ckpt::view_of_optimizer<Optimizer>();
  ckpt::contents made;
  std::vector<std::string> slot_names;
  for (const ckpt::name_view slot : optimizer.slot_names)
    slot_names.emplace_back(std::string(slot));
  made.set_optimizer(std::string(optimizer.name), slot_names);
  unsigned seed = 0;
  const auto add = [&](const char* name, const ckpt::tensor_form& form, ckpt::role purpose) {
    const auto keep = [&](const ckpt::tensor_form& of) {
      return made.keep(pattern(static_cast<std::size_t>(of.byte_size()), ++seed));
    };
    const std::size_t index = made.add(name, form, purpose, keep(form));
    if (purpose != ckpt::role::trainable) return;
    for (std::size_t s = 0; s < optimizer.slot_count; ++s) {
      const ckpt::tensor_spec spec = ckpt::tensor_spec(form.type(), form.extents());
      const ckpt::tensor_form slot_form = optimizer.slot_form(s, spec);
      made.set_slot(s, index, slot_form, keep(slot_form));
    }
  };
  add("dense1-bias", {ckpt::dtype::f32, {5}}, ckpt::role::trainable);
  add("dense1-weight", {ckpt::dtype::f64, {3, 5}}, ckpt::role::trainable);
  // Without slots nothing tells which tensors are frozen.
  const bool has_slots = optimizer.slot_count > 0;
  add("nothing", {ckpt::dtype::i32, {4, 0, 2}},
      has_slots ? ckpt::role::frozen : ckpt::role::trainable);
  add("scale", {ckpt::dtype::f16, {}}, ckpt::role::trainable);
  made.training.step = 0x0102030405;
  return made;
}

/// Whether two contents hold the same: names, forms, roles, bytes, names of slots, the state.
inline bool same(const ckpt::contents& left, const ckpt::contents& right) {
  const ckpt::contents_view a = left.view();
  const ckpt::contents_view b = right.view();
  if (a.model.size() != b.model.size() || a.section_count() != b.section_count()) return false;
  if (!a.check().ok() || !b.check().ok() || a.training != b.training) return false;
  for (std::size_t i = 0; i < a.model.size(); ++i) {
    if (a.model[i].name() != b.model[i].name()) return false;
    if (a.model[i].purpose() != b.model[i].purpose()) return false;
  }
  for (std::size_t s = 0; s < a.section_count(); ++s) {
    if (s > 0 && a.slot_name(s - 1) != b.slot_name(s - 1)) return false;
    for (std::size_t i = 0; i < a.model.size(); ++i) {
      const ckpt::bytes_view x = a.bytes(s, i);
      const ckpt::bytes_view y = b.bytes(s, i);
      if (!ckpt::have_same_form(a.form(s, i), b.form(s, i))) return false;
      if (bytes(x.begin(), x.end()) != bytes(y.begin(), y.end())) return false;
    }
  }
  return true;
}

/// Saves into a new directory while call after call of each kind finds the disk full. Each save
/// says so and leaves nothing, until there is no call left that could fail.
/// @param least  failures of each kind that must have been possible
/// @param save   `file_result<...>(directory)`, by `scaled_native<>`
/// @param check  looks at each failure, too: `void(result, scratch)`
template <class Save, class Check>
void fail_every_call(std::size_t least, const Save& save, const Check& check) {
  for (const call kind : {call::make_directory, call::create, call::write, call::sync, call::close,
                          call::sync_directory}) {
    std::size_t failures = 0;
    for (std::size_t at = 1;; ++at) {
      const scratch dir;
      reset();
      now.fail_kind = kind;
      now.fail_at = at;
      now.fail_error = ENOSPC;
      const auto done = save(dir.at("t"));
      const bool has_failed = now.count(kind) >= at;
      CHECK(done.ok() != has_failed);
      CHECK(now.open_handles == 0);
      if (!has_failed) break;
      ++failures;
      CHECK(done.error().kind == ckpt::errc::no_space);
      CHECK(dir.names().empty());
      check(done, dir);
    }
    CHECK(failures >= least);
  }
  reset();
}

/// One tensor of zeros.
inline ckpt::contents one(std::string name, const ckpt::tensor_form& form) {
  ckpt::contents made;
  const auto zeros = made.keep(bytes(static_cast<std::size_t>(form.byte_size())));
  made.add(std::move(name), form, ckpt::role::trainable, zeros);
  return made;
}

inline bytes as_bytes(const std::string& characters) {
  bytes made;
  for (const char c : characters) made.push_back(static_cast<std::byte>(c));
  return made;
}

/// Bytes from hexadecimal digits; anything else only separates.
inline bytes hex(const std::string& digits) {
  bytes made;
  unsigned value = 0;
  unsigned seen = 0;
  for (const char c : digits) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c < 'a' || c > 'f')) continue;
    value = value * 16 + static_cast<unsigned>(is_digit ? c - '0' : c - 'a' + 10);
    if (++seen % 2 == 0) made.push_back(static_cast<std::byte>(value & 0xFFU));
  }
  return made;
}

/// Names that no tree may get: they lead elsewhere, are none, or are lost on some system.
inline const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names = {"..",
                                                 ".",
                                                 "a/b",
                                                 "/a",
                                                 "a\\b",
                                                 "../a",
                                                 std::string("a\0b", 3),
                                                 "a\nb",
                                                 "con",
                                                 "NUL",
                                                 "nul.txt",
                                                 "Com1",
                                                 "lpt9.x",
                                                 "aux .y",
                                                 "a.",
                                                 "a ",
                                                 "a:b",
                                                 "a*",
                                                 "a?",
                                                 "<a>",
                                                 "a|b",
                                                 "a\"b",
                                                 "\x7F",
                                                 "\xFF",
                                                 "\xC0\xAF",
                                                 "conin$",
                                                 std::string(256, 'a')};
  return names;
}

}  // namespace ckpt_test

#endif  // CKPT_TESTS_UNIT_INTEROP_SAMPLE_HPP
