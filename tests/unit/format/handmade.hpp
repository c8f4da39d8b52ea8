#ifndef CKPT_TESTS_UNIT_FORMAT_HANDMADE_HPP
#define CKPT_TESTS_UNIT_FORMAT_HANDMADE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support.hpp"

/// Files with a manifest, put together byte by byte from the pictures in the comments of
/// ckpt/format, by nothing of the library's arithmetic. What the writer makes is compared with
/// them, and hostile files are made of them.
namespace handmade {

using bytes = std::vector<std::byte>;

/// CRC-32C bit by bit: Castagnoli's polynomial, reflected.
inline std::uint32_t crc(const std::byte* first, std::size_t size, std::uint32_t before = 0) {
  std::uint32_t state = ~before;
  for (std::size_t i = 0; i < size; ++i) {
    state ^= static_cast<std::uint32_t>(first[i]);
    for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (state & 1U ? 0x82F63B78U : 0U);
  }
  return ~state;
}
inline std::uint32_t crc(const bytes& data) {
  return crc(data.data(), data.size());
}

/// Little-endian numbers end to end.
class out {
 public:
  out& put(std::uint64_t value, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i, value >>= 8)
      data.push_back(static_cast<std::byte>(value & 0xFFU));
    return *this;
  }
  out& u8(std::uint64_t value) { return put(value, 1); }
  out& u16(std::uint64_t value) { return put(value, 2); }
  out& u32(std::uint64_t value) { return put(value, 4); }
  out& u64(std::uint64_t value) { return put(value, 8); }
  out& add(const bytes& more) {
    data.insert(data.end(), more.begin(), more.end());
    return *this;
  }
  out& text(std::string_view characters) {
    for (const char c : characters) data.push_back(static_cast<std::byte>(c));
    return *this;
  }
  /// Zeros up to a multiple.
  out& pad(std::size_t multiple) {
    while (data.size() % multiple != 0) data.push_back(std::byte{0});
    return *this;
  }
  out& zeros(std::size_t count) {
    data.resize(data.size() + count);
    return *this;
  }
  [[nodiscard]] std::size_t size() const { return data.size(); }

  bytes data;
};

inline std::uint64_t get(const bytes& data, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = width; i-- > 0;)
    value = value << 8 | static_cast<std::uint64_t>(data[at + i]);
  return value;
}
inline void set(bytes& data, std::size_t at, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width && at + i < data.size(); ++i, value >>= 8)
    data[at + i] = static_cast<std::byte>(value & 0xFFU);
}

struct tensor {
  std::string name;
  unsigned type = 0;
  std::vector<std::uint64_t> extents{};
  unsigned role = 0;
};

/// What a manifest says.
struct manifest {
  std::vector<tensor> tensors;
  std::string optimizer{};
  std::vector<std::string> slots{};
  /// Dtype and extents, slot by slot; empty where those of trainable tensors are like the weights.
  std::vector<tensor> slot_forms{};
  std::vector<std::uint32_t> visits{};
  unsigned minor = 0;
  bytes appended{};  ///< a block of a later minor version, in front of the checksums

  [[nodiscard]] std::size_t payloads() const { return (1 + slots.size()) * tensors.size(); }
};

/// Of the number of words, then of N, S, V and flags and all that follows the header, eight bytes
/// at a time.
inline std::uint64_t fingerprint(const bytes& constant) {
  bytes said(constant.begin() + 16, constant.begin() + 32);
  said.insert(said.end(), constant.begin() + 48, constant.end());
  if (said.size() % 8 != 0) said.resize(said.size() + 4);
  std::uint64_t state = constant.size() / 4;
  for (std::size_t at = 0; at < said.size(); at += 8) {
    state = (state ^ get(said, at, 8)) * 0x9E3779B97F4A7C15U;
    state ^= state >> 32;
  }
  return state;
}

inline void put_extents(out& to, const tensor& form) {
  for (const std::uint64_t extent : form.extents) to.u64(extent);
}

/// The manifest up to its checksums, as minor version 0 has it.
inline bytes constant_part(const manifest& says) {
  out names;
  names.text(says.optimizer).pad(4);
  for (const std::string& name : says.slots) names.text(name).pad(4);
  for (const tensor& t : says.tensors) names.text(t.name).pad(4);
  out to;
  to.u8(0x8A).text("ckptID").u8(0x0A);
  to.u16(1).u16(says.minor).u32(0);
  to.u32(says.tensors.size()).u32(says.slots.size()).u32(says.visits.size());
  to.u32(says.slot_forms.empty() ? 0 : 1).u64(0).u32(names.size()).u32(0);
  for (const tensor& t : says.tensors) {
    to.u8(t.type).u8(t.role).u8(t.extents.size()).u8(0).u32(t.name.size());
    put_extents(to, t);
  }
  for (const tensor& form : says.slot_forms) {
    to.u8(form.type).u8(0).u8(form.extents.size()).u8(0);
    put_extents(to, form);
  }
  for (const std::uint32_t visit : says.visits) to.u32(visit);
  to.u32(says.optimizer.size());
  for (const std::string& name : says.slots) to.u32(name.size());
  return to.add(names.data).data;
}

/// Sets lengths and fingerprint of a manifest's constant part, which may have been tampered with,
/// and puts the block of a later version and room for the checksums behind it.
inline bytes completed(bytes constant, const bytes& appended, std::size_t payloads) {
  const std::size_t checksums = constant.size() + appended.size();
  set(constant, 12, checksums + 4 * payloads + 4, 4);
  set(constant, 44, checksums, 4);
  set(constant, 32, fingerprint(constant), 8);
  constant.insert(constant.end(), appended.begin(), appended.end());
  constant.resize(constant.size() + 4 * payloads + 4);
  return constant;
}
inline bytes completed(const manifest& says) {
  return completed(constant_part(says), says.appended, says.payloads());
}

/// A checkpoint: what its manifest says, its payloads section by section, its footer.
struct file {
  manifest says;
  std::vector<bytes> payloads;
  bytes footer;

  [[nodiscard]] const bytes& payload(std::size_t section, std::size_t index) const {
    return payloads[section * says.tensors.size() + index];
  }
};

/// Where the manifest of a finished file begins.
inline std::size_t manifest_at(const bytes& data) {
  return static_cast<std::size_t>(get(data, 2, 1) == 2 ? get(data, 24, 8)
                                                       : 20 + 4 * get(data, 16, 4));
}

/// Where the checksums of payloads begin.
inline std::size_t checksums_at(const bytes& data) {
  const std::size_t at = manifest_at(data);
  return at + static_cast<std::size_t>(get(data, at + 44, 4));
}

/// Computes the last word of the manifest of a finished or tampered file.
inline void seal(bytes& data) {
  const std::size_t at = manifest_at(data);
  const std::size_t last = at + static_cast<std::size_t>(get(data, at + 12, 4)) - 4;
  const auto field = [&data](std::size_t place, std::size_t width) {
    return static_cast<std::size_t>(get(data, place, width));
  };
  std::uint32_t sum = crc(data.data(), last);
  if (field(2, 1) == 2) {
    sum = crc(data.data() + field(32, 8), field(40, 4), sum);
  } else {
    for (std::size_t s = 0; s < field(at + 20, 4); ++s)
      sum = crc(data.data() + field(4 + 4 * s, 4), 4 * field(16, 4), sum);
    sum = crc(data.data() + field(12, 4), 8, sum);
  }
  set(data, last, sum, 4);
}

inline void put_checksums(bytes& data, const file& holds) {
  const std::size_t first = checksums_at(data);
  for (std::size_t k = 0; k < holds.payloads.size(); ++k)
    set(data, first + 4 * k, crc(holds.payloads[k]), 4);
}

/// The manifest of schema 1 is in the gap; sections begin their payloads at multiples of 64.
inline bytes schema1_plus(const file& holds, bool is_micro) {
  const std::size_t count = holds.says.tensors.size();
  const std::size_t slots = holds.says.slots.size();
  out to;
  to.u16(429).u8(1).u8(0).u32(0).u32(0).u32(0).u32(count).zeros(4 * count);
  to.add(completed(holds.says));
  for (std::size_t s = 0; s <= slots; ++s) {
    const std::size_t table = s == 0 ? 20 : to.size();
    if (s > 0) {
      set(to.data, 4 * s, table, 4);
      to.zeros(4 * count);
    }
    to.pad(64);
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_micro || holds.says.tensors[i].role != 2) set(to.data, table + 4 * i, to.size(), 4);
      to.add(holds.payload(s, i));
    }
  }
  if (slots == 0 && !is_micro) {
    set(to.data, 4, to.size(), 4);
    if (count > 2) to.zeros(4 * count - 8);
  }
  set(to.data, 12, to.size(), 4);
  to.add(holds.footer);
  put_checksums(to.data, holds);
  seal(to.data);
  return to.data;
}
inline bytes onert_plus(const file& holds) {
  return schema1_plus(holds, false);
}
inline bytes onert_micro_plus(const file& holds) {
  return schema1_plus(holds, true);
}

/// @param between  a block of a later minor version between tables and manifest
inline bytes v2(const file& holds, std::size_t alignment, const bytes& between = {}) {
  const std::size_t count = holds.says.tensors.size();
  const std::size_t slots = holds.says.slots.size();
  out to;
  to.u16(429).u8(2).u8(holds.says.minor).u32(count).u32(slots).u32(alignment).zeros(48);
  to.zeros(8 * (1 + slots) * count).add(between);
  set(to.data, 24, to.size(), 8);
  to.add(completed(holds.says));
  for (std::size_t k = 0; k < holds.payloads.size(); ++k) {
    if (!holds.payloads[k].empty()) to.pad(alignment);
    set(to.data, 64 + 8 * k, to.size(), 8);
    to.add(holds.payloads[k]);
  }
  to.pad(8);
  set(to.data, 32, to.size(), 8);
  set(to.data, 40, holds.footer.size(), 4);
  to.add(holds.footer);
  set(to.data, 16, to.size(), 8);
  put_checksums(to.data, holds);
  seal(to.data);
  return to.data;
}

inline bytes footer(std::uint64_t step, std::uint64_t epoch) {
  return out{}.u32(step).u32(epoch).data;
}

inline std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The state section of schema 2.
inline bytes state_section(const ckpt::training_state& training, std::size_t size,
                           const bytes& values = {}) {
  out to;
  to.u64(training.step).u64(training.epoch).u64(training.sample_cursor).u64(training.shuffle_seed);
  for (const std::uint64_t word : training.rng_state) to.u64(word);
  to.u64(bits_of(training.best_metric)).u64(bits_of(training.learning_rate));
  to.u32(values.size()).u32(0).add(values);
  return to.zeros(size - to.size()).data;
}

inline std::string text_of(ckpt::name_view name) {
  return std::string(name.data(), name.size());
}

inline tensor tensor_of(const ckpt::tensor_form& form) {
  tensor made;
  made.type = static_cast<unsigned>(form.type());
  for (std::size_t axis = 0; axis < form.extents().rank(); ++axis)
    made.extents.push_back(form.extents()[axis]);
  return made;
}

/// What the manifest of a model and an optimizer says.
inline manifest manifest_of(const ckpt::model_view& model, const ckpt::optimizer_view& optimizer) {
  manifest says;
  for (const ckpt::tensor_spec& spec : model) {
    says.tensors.push_back(tensor_of(spec.form()));
    says.tensors.back().name = text_of(spec.name());
    says.tensors.back().role = static_cast<unsigned>(spec.purpose());
  }
  says.optimizer = text_of(optimizer.name);
  for (std::size_t s = 0; s < optimizer.slot_count; ++s)
    says.slots.push_back(s < optimizer.slot_names.size() ? text_of(optimizer.slot_names[s]) : "");
  bool is_own = false;
  for (std::size_t s = 0; s < optimizer.slot_count; ++s) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      says.slot_forms.push_back(tensor_of(optimizer.slot_form(s, model[i], i)));
      const tensor& slot = says.slot_forms.back();
      const tensor& weight = says.tensors[i];
      is_own = is_own ||
               (weight.role == 0 && (slot.type != weight.type || slot.extents != weight.extents));
    }
  }
  if (!is_own) says.slot_forms.clear();
  for (const std::uint32_t visit : model.visits) says.visits.push_back(visit);
  return says;
}

/// A file of what a state holds, with this footer.
template <class Model, class Optimizer>
file file_of(const test::owned_state<Model, Optimizer>& state, const bytes& footer_bytes) {
  return {manifest_of(state.view.model(), state.view.optimizer()), state.memory, footer_bytes};
}

/// A layout of a run-time model, with the memory that it needs.
template <class Optimizer, class Format>
class live_layout {
 public:
  using layout_type = ckpt::layout<ckpt::dynamic_model, Optimizer, Format>;

  explicit live_layout(const ckpt::model_view& model) : model_(model.tensors, model.visits) {
    words_.resize(layout_type::words_needed(model_));
    const auto made = layout_type::make(model_, words_);
    REQUIRE_MESSAGE(made.ok(), test::words(made.error().message()));
    layout_ = *made;
  }
  live_layout(const live_layout&) = delete;
  live_layout& operator=(const live_layout&) = delete;

  [[nodiscard]] const layout_type& get() const { return layout_; }

 private:
  ckpt::dynamic_model model_;
  std::vector<std::uint32_t> words_;
  layout_type layout_;
};

/// The file that a writer makes of the state of a run-time model.
template <class Format, class Optimizer>
bytes written(const test::owned_state<ckpt::dynamic_model, Optimizer>& state) {
  const live_layout<Optimizer, Format> layout(state.view.model());
  const ckpt::writer<ckpt::dynamic_model, Optimizer, Format> write(layout.get());
  bytes file(static_cast<std::size_t>(layout.get().file_bytes()));
  const auto done = write.write_to(state.view, ckpt::bytes_span(file.data(), file.size()));
  REQUIRE_MESSAGE(done.ok(), test::words(done.error().message()));
  REQUIRE(done->size() == file.size());
  return file;
}

}  // namespace handmade

#endif  // CKPT_TESTS_UNIT_FORMAT_HANDMADE_HPP
