#ifndef CKPT_FORMAT_SCHEMA2_HPP
#define CKPT_FORMAT_SCHEMA2_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/format/contract.hpp"
#include "ckpt/format/dialect.hpp"

/// Header and state section of schema 2. Integers are little-endian, reals are IEEE 754 doubles in
/// the same order, offsets count from the start of the file.
///
///   0  u16  magic 429                        0  u64      completed steps
///   2  u8   schema 2                         8  u64      completed epochs
///   3  u8   minor version 0                 16  u64      samples used of the running epoch
///   4  u32  N: number of tensors            24  u64      seed of its order
///   8  u32  S: slots a tensor               32  4 x u64  state of the random numbers
///  12  u32  alignment of the payloads       64  f64      best metric, NaN for none
///  16  u64  size of the file                72  f64      learning rate, NaN for unknown
///  24  u64  where the manifest begins       80  u32      bytes of the user's values
///  32  u64  where the state section begins  84  u32      0
///  40  u32  its size                        88  values   see ckpt/model/values.hpp
///  44  u32  features that a reader must know        zeros up to the size of the section
///  48  u32  features that it may ignore
///  52  12 zero bytes
namespace ckpt::schema2 {

/// The third byte of the file; the magic in front of it is that of schema 1.
inline constexpr std::uint8_t schema = 2;
/// What this library writes.
inline constexpr std::uint8_t minor_version = 0;
/// Bytes in front of the offset tables.
inline constexpr std::size_t header_bytes = 64;
inline constexpr std::size_t header_words = header_bytes / 4;
/// Bytes of the state section in front of the user's values.
inline constexpr std::size_t state_bytes = 88;
/// The largest alignment.
inline constexpr std::uint32_t max_alignment = 4096;
/// What the state section is aligned to.
inline constexpr std::uint64_t state_alignment = 8;

/// The 64 bytes in front, decoded.
struct header {
  std::uint8_t minor = minor_version;
  std::uint32_t tensor_count = 0;
  std::uint32_t slot_count = 0;
  std::uint32_t alignment = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t manifest = 0;
  std::uint64_t state = 0;
  std::uint32_t state_bytes = 0;
  std::uint32_t required_features = 0;
};

/// Decodes the 64 bytes in front.
[[nodiscard]] constexpr header read_header(const std::byte* bytes) noexcept {
  header fields;
  fields.minor = load_little<std::uint8_t>(bytes + 3);
  fields.tensor_count = load_little<std::uint32_t>(bytes + 4);
  fields.slot_count = load_little<std::uint32_t>(bytes + 8);
  fields.alignment = load_little<std::uint32_t>(bytes + 12);
  fields.file_bytes = load_little<std::uint64_t>(bytes + 16);
  fields.manifest = load_little<std::uint64_t>(bytes + 24);
  fields.state = load_little<std::uint64_t>(bytes + 32);
  fields.state_bytes = load_little<std::uint32_t>(bytes + 40);
  fields.required_features = load_little<std::uint32_t>(bytes + 44);
  return fields;
}

namespace detail {

constexpr void write_long(std::uint32_t* words, std::uint64_t value) noexcept {
  words[0] = little_word(static_cast<std::uint32_t>(value));
  words[1] = little_word(static_cast<std::uint32_t>(value >> 32));
}

inline void store_real(std::byte* to, double value) noexcept {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  store_little(to, bits);
}

[[nodiscard]] inline double load_real(const std::byte* from) noexcept {
  const auto bits = load_little<std::uint64_t>(from);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace detail

/// Encodes the 64 bytes in front as words of the file.
/// @param words  16 words that are zero
constexpr void write_header(const header& fields, std::uint32_t* words) noexcept {
  words[0] = little_word(std::uint32_t{file_magic} | std::uint32_t{schema} << 16 |
                         static_cast<std::uint32_t>(fields.minor) << 24);
  words[1] = little_word(fields.tensor_count);
  words[2] = little_word(fields.slot_count);
  words[3] = little_word(fields.alignment);
  detail::write_long(words + 4, fields.file_bytes);
  detail::write_long(words + 6, fields.manifest);
  detail::write_long(words + 8, fields.state);
  words[10] = little_word(fields.state_bytes);
  words[11] = little_word(fields.required_features);
}

/// Encodes the state section.
/// @param bytes  the whole section
/// @errors unstorable_values
[[nodiscard]] inline status write_state(const training_state& training, const values_view& values,
                                        bytes_span bytes) noexcept {
  const bytes_view encoded = values.encoded();
  if (encoded.size() > bytes.size() - state_bytes)
    return fail(errc::unstorable_values, bytes.size() - state_bytes, encoded.size())
        .in(section::footer);
  std::byte* const to = bytes.data();
  std::memset(to, 0, bytes.size());
  store_little(to, training.step);
  store_little(to + 8, training.epoch);
  store_little(to + 16, training.sample_cursor);
  store_little(to + 24, training.shuffle_seed);
  for (std::size_t i = 0; i < training.rng_state.size(); ++i)
    store_little(to + 32 + 8 * i, training.rng_state[i]);
  detail::store_real(to + 64, training.best_metric);
  detail::store_real(to + 72, training.learning_rate);
  store_little(to + 80, static_cast<std::uint32_t>(encoded.size()));
  if (!encoded.empty()) std::memcpy(to + state_bytes, encoded.data(), encoded.size());
  return {};
}

/// What a state section holds.
struct state_section {
  training_state training{};
  values_view values{};
};

/// Decodes a state section from anywhere.
/// @errors bad_training_state
[[nodiscard]] inline result<state_section> read_state(bytes_view bytes) noexcept {
  const status broken = fail(errc::bad_training_state).in(section::footer);
  if (bytes.size() < state_bytes) return broken;
  const std::byte* const from = bytes.data();
  state_section said;
  said.training.step = load_little<std::uint64_t>(from);
  said.training.epoch = load_little<std::uint64_t>(from + 8);
  said.training.sample_cursor = load_little<std::uint64_t>(from + 16);
  said.training.shuffle_seed = load_little<std::uint64_t>(from + 24);
  for (std::size_t i = 0; i < said.training.rng_state.size(); ++i)
    said.training.rng_state[i] = load_little<std::uint64_t>(from + 32 + 8 * i);
  said.training.best_metric = detail::load_real(from + 64);
  said.training.learning_rate = detail::load_real(from + 72);
  const auto value_bytes = load_little<std::uint32_t>(from + 80);
  if (value_bytes > bytes.size() - state_bytes) return broken;
  const result<values_view> values = values_view::open(bytes.part(state_bytes, value_bytes));
  if (!values.ok()) return values.error();
  said.values = *values;
  return said;
}

}  // namespace ckpt::schema2

#endif  // CKPT_FORMAT_SCHEMA2_HPP
