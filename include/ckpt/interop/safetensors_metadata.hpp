#ifndef CKPT_INTEROP_SAFETENSORS_METADATA_HPP
#define CKPT_INTEROP_SAFETENSORS_METADATA_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/base/crc32c.hpp"
#include "ckpt/codec/contents.hpp"
#include "ckpt/interop/model_text.hpp"
#include "ckpt/interop/safetensors_header.hpp"
#include "ckpt/interop/tokens.hpp"

/// How a checkpoint lies in a safetensors file, so that nothing is lost.
///
/// Weights have their own names. Slot `m` of `fc.weight` is the tensor `m/fc.weight`; a slot
/// without a name is `slot.0/...`, and a `/` in the name of a slot becomes a tilde. Where a weight
/// has a name that begins like this, or an earlier slot has the same, tildes are put behind the
/// name of the slot until it is unique: `m~/fc.weight`. So no two tensors have one key: only those
/// of a slot begin with what is in front of its first `/`. Tensors that are absent, and slots of
/// those that are frozen, are not there.
///
/// The rest is in `__metadata__`. What is not set is left out, but for the first four.
///
///     ckpt.format         "1"
///     ckpt.model          the model file of model_text.hpp: order, shapes, roles, visits
///     ckpt.step           completed steps, as ckpt.epoch and the two that follow
///     ckpt.epoch
///     ckpt.sample_cursor
///     ckpt.shuffle_seed
///     ckpt.rng_state      four numbers
///     ckpt.best_metric    the 64 bits of the number in hexadecimal: "3fe0000000000000" is 0.5
///     ckpt.learning_rate  the same
///     ckpt.optimizer      its name
///     ckpt.slots          a line a slot: its name, what is in front of the names of its tensors
///     ckpt.slot_forms     a line for each slot that is not stored and not like its weight: number
///                         of the slot, number of the tensor, dtype, shape
///     ckpt.values         the user's values as ckpt::values_view encodes them, in hexadecimal
///     ckpt.crc32c         of all that is above, and of name, dtype and shape of each tensor; who
///                         edits them removes it
///
/// There are at most 1024 slots, and no more slots times tensors than the header has bytes, so that
/// a small file cannot ask for much memory. A file without a key that begins with `ckpt.` is of
/// somebody else.
namespace ckpt::safetensors::detail {

enum known_key : std::size_t {
  key_format,
  key_model,
  key_step,
  key_epoch,
  key_sample_cursor,
  key_shuffle_seed,
  key_rng_state,
  key_best_metric,
  key_learning_rate,
  key_optimizer,
  key_slots,
  key_slot_forms,
  key_values,
  key_crc32c,
  key_count
};

inline constexpr name_view key_names[key_count] = {
    "ckpt.format",        "ckpt.model",        "ckpt.step",      "ckpt.epoch",
    "ckpt.sample_cursor", "ckpt.shuffle_seed", "ckpt.rng_state", "ckpt.best_metric",
    "ckpt.learning_rate", "ckpt.optimizer",    "ckpt.slots",     "ckpt.slot_forms",
    "ckpt.values",        "ckpt.crc32c"};

/// The most slots that are written or read.
inline constexpr std::size_t max_slots = 1024;

/// @param header_bytes  of the whole header, and the 8 in front
/// @errors limit_exceeded
[[nodiscard]] constexpr status check_slot_count(std::size_t slots, std::size_t tensors,
                                                std::uint64_t header_bytes) noexcept {
  if (slots > max_slots) return fail(errc::limit_exceeded, max_slots, slots);
  const std::uint64_t pairs = product(slots, tensors);
  return pairs > header_bytes ? fail(errc::limit_exceeded, header_bytes, pairs) : status{};
}

/// The values of all keys; an empty one is not there.
struct metadata {
  std::string values[key_count];

  [[nodiscard]] std::string& operator[](known_key which) noexcept { return values[which]; }
  [[nodiscard]] const std::string& operator[](known_key which) const noexcept {
    return values[which];
  }
};

[[nodiscard]] inline std::uint64_t bits_of(const double& number) noexcept {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

[[nodiscard]] inline std::string decimal(std::uint64_t number) {
  std::string digits;
  ckpt::detail::append_number(digits, number);
  return digits;
}

[[nodiscard]] inline std::string hexadecimal(std::uint64_t number, std::size_t digits) {
  std::string text;
  ckpt::detail::append_hex(text, number, digits);
  return text;
}

/// A number that is left out where it has the value of a new training_state.
inline void put_number(std::string& to, std::uint64_t number) {
  if (number != 0) to = decimal(number);
}
inline void put_real(std::string& to, const double& number, const double& unset) {
  if (bits_of(number) != bits_of(unset)) to = hexadecimal(bits_of(number), 16);
}

inline void describe_training(const training_state& training, metadata& to) {
  const training_state fresh;
  to[key_step] = decimal(training.step);
  to[key_epoch] = decimal(training.epoch);
  put_number(to[key_sample_cursor], training.sample_cursor);
  put_number(to[key_shuffle_seed], training.shuffle_seed);
  put_real(to[key_best_metric], training.best_metric, fresh.best_metric);
  put_real(to[key_learning_rate], training.learning_rate, fresh.learning_rate);
  if (training.rng_state == fresh.rng_state) return;
  std::string& words = to[key_rng_state];
  for (const std::uint64_t word : training.rng_state) {
    if (!words.empty()) words.push_back(' ');
    ckpt::detail::append_number(words, word);
  }
}

/// Whether one text begins with the other.
[[nodiscard]] inline bool begins_with(name_view text, name_view beginning) noexcept {
  return text.size() >= beginning.size() && name_view(text.data(), beginning.size()) == beginning;
}

/// What is in front of the names of the tensors of each slot: text without a `/`, and a `/`.
[[nodiscard]] inline std::vector<std::string> slot_prefixes(const contents_view& given) {
  std::vector<std::string> made;
  for (std::size_t s = 0; s < given.optimizer.slot_count; ++s) {
    std::string base(given.slot_name(s));
    if (base.empty()) base = "slot." + decimal(s);
    std::replace(base.begin(), base.end(), '/', '~');
    const auto is_taken = [&] {
      const std::string prefix = base + "/";
      for (const tensor_spec& tensor : given.model)
        if (begins_with(tensor.name(), prefix)) return true;
      return std::find(made.begin(), made.end(), prefix) != made.end();
    };
    while (is_taken()) base.push_back('~');
    made.push_back(base + "/");
  }
  return made;
}

inline void describe_slots(const contents_view& given, const std::vector<std::string>& prefixes,
                           metadata& to) {
  for (std::size_t s = 0; s < prefixes.size(); ++s) {
    ckpt::detail::append_word(to[key_slots], given.slot_name(s));
    to[key_slots].push_back(' ');
    ckpt::detail::append_word(to[key_slots], prefixes[s]);
    to[key_slots].push_back('\n');
    for (std::size_t i = 0; i < given.model.size(); ++i) {
      const tensor_form form = given.form(1 + s, i);
      const tensor_form weight = given.model[i].form();
      if (given.model[i].purpose() == role::trainable) continue;
      if (have_same_form(form, weight)) continue;
      std::string& lines = to[key_slot_forms];
      lines += decimal(s) + " " + decimal(i) + " " + std::string(name(form.type())) + " ";
      ckpt::detail::append_shape(lines, form.extents());
      lines.push_back('\n');
    }
  }
}

/// All of the metadata but the checksum.
[[nodiscard]] inline metadata describe(const contents_view& given,
                                       const std::vector<std::string>& prefixes) {
  metadata made;
  made[key_format] = "1";
  made[key_model] = model_text::write(given.model);
  made[key_optimizer] = std::string(given.optimizer.name);
  describe_training(given.training, made);
  describe_slots(given, prefixes, made);
  for (const std::byte b : given.values.encoded())
    ckpt::detail::append_hex(made[key_values], static_cast<std::uint64_t>(b), 2);
  return made;
}

/// The checksum of the metadata and of what the header says of the tensors.
class header_checksum {
 public:
  explicit header_checksum(const metadata& described) noexcept {
    for (std::size_t k = 0; k < key_crc32c; ++k) {
      if (described.values[k].empty()) continue;
      add(key_names[k]);
      add(described.values[k]);
    }
  }

  /// Takes a tensor in: the weights by index, then slot by slot.
  void add_tensor(name_view name, const tensor_form& form) {
    std::string extents;
    ckpt::detail::append_shape(extents, form.extents());
    add(name);
    add(dtype_name(form.type()));
    add(extents);
  }

  [[nodiscard]] std::string text() const { return hexadecimal(sum_, 8); }

 private:
  /// Texts are closed by a zero, which is in none of them.
  void add(name_view text) noexcept {
    const std::byte zero{};
    sum_ = crc32c(as_bytes(text), sum_);
    sum_ = crc32c(bytes_view(&zero, 1), sum_);
  }

  std::uint32_t sum_ = 0;
};

}  // namespace ckpt::safetensors::detail

#endif  // CKPT_INTEROP_SAFETENSORS_METADATA_HPP
