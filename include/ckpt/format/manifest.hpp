#ifndef CKPT_FORMAT_MANIFEST_HPP
#define CKPT_FORMAT_MANIFEST_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/model/model.hpp"
#include "ckpt/model/optimizer.hpp"

/// The manifest: who the tensors of a file are, and checksums of all bytes. `onert_plus` carries it
/// in the gap behind the weight table, `v2` behind its offset tables. Integers are little-endian;
/// it begins at a multiple of 4 and its length is one.
///
///      0  8 bytes  magic 8A 63 6B 70 74 49 44 0A
///      8  u16      major version 1: another one cannot be read
///     10  u16      minor version 0: a larger one may append blocks in front of the checksums
///     12  u32      length of the manifest
///     16  u32      N: number of tensors
///     20  u32      S: slots a tensor
///     24  u32      V: length of the visit order, 0 for by index
///     28  u32      flags; bit 0: slots have forms of their own
///     32  u64      fingerprint of model and optimizer, see `detail::fingerprint()`
///     40  u32      bytes of all names and their zeros
///     44  u32      where the checksums begin, from the start of the manifest
///     48  N x      u8 dtype, u8 role, u8 rank, u8 0, u32 bytes of the name, rank x u64 extents
///         S x N x  u8 dtype, u8 0, u8 rank, u8 0, rank x u64 extents (only with flag bit 0)
///         V x u32  the visit order
///         1 + S x u32  bytes of the names of the optimizer and its slots
///         names: optimizer, slots, tensors; UTF-8, each with zeros up to a multiple of 4
///         (1 + S) x N x u32  CRC-32C of each weight, then of each first slot, ...
///         u32      CRC-32C of everything else but padding: of the file up to here, of the tables
///                  and the footer that follow
///
/// All but the checksums is a constant of model and optimizer.
namespace ckpt::manifest {

/// The first eight bytes, as two words.
inline constexpr std::uint32_t magic_low = 0x706B638AU;
inline constexpr std::uint32_t magic_high = 0x0A444974U;
/// What this library writes.
inline constexpr std::uint16_t major_version = 1;
inline constexpr std::uint16_t minor_version = 0;
/// Bytes in front of the tensor records.
inline constexpr std::size_t header_bytes = 48;
inline constexpr std::size_t header_words = header_bytes / 4;
/// The slots have forms of their own.
inline constexpr std::uint32_t own_slot_forms = 1;
/// The longest name that is written or read.
inline constexpr std::size_t max_name_bytes = 65535;
/// What the field of its own length can say.
inline constexpr std::uint64_t max_total_bytes = 0xFFFFFFFFU;

static_assert(static_cast<int>(dtype::f32) == 0 && static_cast<int>(dtype::boolean) == 12,
              "the enumerators of dtype stand in files");
static_assert(static_cast<int>(role::trainable) == 0 && static_cast<int>(role::absent) == 2,
              "the enumerators of role stand in files");

/// How large the parts of a manifest are, in words.
struct sizes {
  std::uint64_t record_words = 0;
  std::uint64_t form_words = 0;
  std::uint64_t visit_words = 0;
  std::uint64_t name_words = 0;
  std::uint64_t checksum_words = 0;
  std::size_t slot_count = 0;

  /// Words in front of the checksums.
  [[nodiscard]] constexpr std::uint64_t constant_words() const noexcept {
    return header_words + record_words + form_words + visit_words + 1 + slot_count + name_words;
  }
  /// The whole manifest.
  [[nodiscard]] constexpr std::uint64_t total_bytes() const noexcept {
    return 4 * (constant_words() + checksum_words + 1);
  }
};

namespace detail {

/// Words that a name takes.
[[nodiscard]] constexpr std::uint64_t words_of(name_view name) noexcept {
  return (std::uint64_t{name.size()} + 3) / 4;
}

[[nodiscard]] constexpr tensor_form slot_form(const model_view& model,
                                              const optimizer_view& optimizer, std::size_t slot,
                                              std::size_t index) noexcept {
  // A model is measured before it is checked: of an invalid shape the optimizer is not asked.
  const tensor_spec& tensor = model[index];
  return tensor.extents().is_valid() ? optimizer.slot_form(slot, tensor, index) : tensor.form();
}

}  // namespace detail

/// Whether a slot of a trainable tensor has another dtype or shape than its weight. Slots of the
/// others are never stored, so their forms do not matter.
[[nodiscard]] constexpr bool has_own_slot_forms(const model_view& model,
                                                const optimizer_view& optimizer) noexcept {
  if (optimizer.slots_like_weights) return false;
  for (std::size_t s = 0; s < optimizer.slot_count; ++s) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (model[i].purpose() != role::trainable) continue;
      const tensor_form form = detail::slot_form(model, optimizer, s, i);
      if (!have_same_form(form, model[i])) return true;
    }
  }
  return false;
}

/// Measures the manifest of a model and an optimizer.
[[nodiscard]] constexpr sizes measure(const model_view& model,
                                      const optimizer_view& optimizer) noexcept {
  sizes parts;
  const std::size_t count = model.size();
  const tensor_spec* const specs = model.tensors.data();
  parts.slot_count = optimizer.slot_count;
  parts.name_words = detail::words_of(optimizer.name);
  for (std::size_t s = 0; s < optimizer.slot_count; ++s)
    parts.name_words += detail::words_of(optimizer.slot_name(s));
  parts.record_words = 2 * count;
  for (std::size_t i = 0; i < count; ++i) {
    parts.record_words += 2 * specs[i].extents().rank();
    parts.name_words += detail::words_of(specs[i].name());
  }
  if (has_own_slot_forms(model, optimizer))
    for (std::size_t s = 0; s < optimizer.slot_count; ++s)
      for (std::size_t i = 0; i < count; ++i)
        parts.form_words += 1 + 2 * detail::slot_form(model, optimizer, s, i).extents().rank();
  parts.visit_words = model.visits.size();
  parts.checksum_words = product(std::uint64_t{1} + optimizer.slot_count, count);
  return parts;
}

namespace detail {

/// The next words of a manifest that is being written, as numbers of the host. What is done for
/// every tensor is done in few steps, because a compiler counts them: clang stops at 2^20.
class word_writer {
 public:
  constexpr explicit word_writer(std::uint32_t* words) noexcept : next_(words) {}

  constexpr void put(std::uint64_t word) noexcept { *next_++ = static_cast<std::uint32_t>(word); }

  constexpr void put_extents(const shape& extents) noexcept {
    const std::size_t rank = extents.rank();
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::uint64_t extent = extents[axis];
      *next_++ = static_cast<std::uint32_t>(extent);
      *next_++ = static_cast<std::uint32_t>(extent >> 32);
    }
  }

  constexpr void put_name(name_view name) noexcept {
    using byte = unsigned char;
    const char* const c = name.data();
    const std::size_t whole = name.size() / 4 * 4;
    for (std::size_t i = 0; i < whole; i += 4)
      *next_++ = std::uint32_t{static_cast<byte>(c[i])} |
                 std::uint32_t{static_cast<byte>(c[i + 1])} << 8 |
                 std::uint32_t{static_cast<byte>(c[i + 2])} << 16 |
                 std::uint32_t{static_cast<byte>(c[i + 3])} << 24;
    std::uint32_t rest = 0;
    for (std::size_t i = name.size(); i > whole; --i)
      rest = rest << 8 | static_cast<byte>(c[i - 1]);
    if (whole != name.size()) *next_++ = rest;
  }

 private:
  std::uint32_t* next_;
};

constexpr void write_header(const model_view& model, const optimizer_view& optimizer,
                            const sizes& parts, word_writer& to) noexcept {
  to.put(magic_low);
  to.put(magic_high);
  to.put(std::uint32_t{major_version} | std::uint32_t{minor_version} << 16);
  to.put(parts.total_bytes());
  to.put(model.size());
  to.put(optimizer.slot_count);
  to.put(model.visits.size());
  to.put(parts.form_words == 0 ? 0U : own_slot_forms);
  to.put(0);  // the fingerprint is set when the rest stands
  to.put(0);
  to.put(4 * parts.name_words);
  to.put(4 * parts.constant_words());
}

constexpr void write_records(const model_view& model, word_writer& to) noexcept {
  const tensor_spec* const specs = model.tensors.data();
  const std::size_t count = model.size();
  for (std::size_t i = 0; i < count; ++i) {
    const tensor_spec& tensor = specs[i];
    to.put(static_cast<std::uint32_t>(tensor.type()) |
           static_cast<std::uint32_t>(tensor.purpose()) << 8 |
           static_cast<std::uint32_t>(tensor.extents().rank()) << 16);
    to.put(tensor.name().size());
    to.put_extents(tensor.extents());
  }
}

constexpr void write_slot_forms(const model_view& model, const optimizer_view& optimizer,
                                word_writer& to) noexcept {
  for (std::size_t s = 0; s < optimizer.slot_count; ++s) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      const tensor_form form = slot_form(model, optimizer, s, i);
      to.put(static_cast<std::uint32_t>(form.type()) |
             static_cast<std::uint32_t>(form.extents().rank()) << 16);
      to.put_extents(form.extents());
    }
  }
}

constexpr void write_names(const model_view& model, const optimizer_view& optimizer,
                           word_writer& to) noexcept {
  to.put(optimizer.name.size());
  for (std::size_t s = 0; s < optimizer.slot_count; ++s) to.put(optimizer.slot_name(s).size());
  to.put_name(optimizer.name);
  for (std::size_t s = 0; s < optimizer.slot_count; ++s) to.put_name(optimizer.slot_name(s));
  const tensor_spec* const specs = model.tensors.data();
  const std::size_t count = model.size();
  for (std::size_t i = 0; i < count; ++i) to.put_name(specs[i].name());
}

/// The fingerprint of words that stand for a model and an optimizer: N, S, V and flags, then all
/// that follows the header. Two words a step, and each step can be undone, so runs that differ in
/// one word never have the same fingerprint.
/// @param word  gives word `k` of the manifest as a number of the host
template <class Word>
[[nodiscard]] constexpr std::uint64_t fingerprint(std::size_t word_count, Word word) noexcept {
  std::uint64_t state = word_count;
  for (std::size_t k = 4; k < word_count; k = k == 6 ? header_words : k + 2) {
    const std::uint64_t high = k + 1 < word_count ? word(k + 1) : 0;
    state = (state ^ (word(k) | high << 32)) * 0x9E3779B97F4A7C15U;
    state ^= state >> 32;
  }
  return state;
}

}  // namespace detail

/// Writes all but the checksums.
/// @param words  `measure().constant_words()` words that are zero
constexpr void write(const model_view& model, const optimizer_view& optimizer, const sizes& parts,
                     std::uint32_t* words) noexcept {
  detail::word_writer to(words);
  detail::write_header(model, optimizer, parts, to);
  detail::write_records(model, to);
  if (parts.form_words != 0) detail::write_slot_forms(model, optimizer, to);
  for (std::size_t k = 0; k < model.visits.size(); ++k) to.put(model.visits[k]);
  detail::write_names(model, optimizer, to);
  const auto count = static_cast<std::size_t>(parts.constant_words());
  const std::uint64_t fingerprint = detail::fingerprint(
      count, [words](std::size_t k) constexpr noexcept { return words[k]; });
  words[8] = static_cast<std::uint32_t>(fingerprint);
  words[9] = static_cast<std::uint32_t>(fingerprint >> 32);
  make_little(words, count);
}

}  // namespace ckpt::manifest

#endif  // CKPT_FORMAT_MANIFEST_HPP
