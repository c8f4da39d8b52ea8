#ifndef CKPT_FORMAT_SCHEMA1_HPP
#define CKPT_FORMAT_SCHEMA1_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/format/contract.hpp"
#include "ckpt/format/cursor.hpp"
#include "ckpt/format/dialect.hpp"

/// What all dialects of schema 1 share. Integers are little-endian, offsets count from the start
/// of the file, nothing is padded.
///
///      0  u16      magic 429
///      2  u8       schema 1
///      3  u8       reserved, 0
///      4  u32      opt1: where the first slot section begins
///      8  u32      opt2: where the second slot section begins
///     12  u32      other: where the footer begins
///     16  u32      N: number of table entries
///     20  N x u32  offset of each weight
///         bytes    weights
///   opt1  N x u32, bytes   first slot (m), in the same form
///   opt2  N x u32, bytes   second slot (v)
///  other  u32      step
///         u32      epoch
namespace ckpt::schema1 {

/// The first two bytes of every dialect.
inline constexpr std::uint16_t magic = file_magic;
/// The third.
inline constexpr std::uint8_t schema = 1;
/// Bytes in front of the weight table.
inline constexpr std::size_t header_bytes = 20;
/// The same in words of four bytes.
inline constexpr std::size_t header_words = header_bytes / 4;
/// Step and epoch.
inline constexpr std::size_t footer_bytes = 8;
/// Slot sections that the header has room for.
inline constexpr std::size_t max_slot_count = 2;
/// The largest offset that a table can hold.
inline constexpr std::uint64_t offset_limit = 0xFFFFFFFFU;

/// The 20 bytes in front, decoded.
struct header {
  std::uint16_t magic = schema1::magic;
  std::uint8_t schema = schema1::schema;
  std::uint8_t reserved = 0;
  std::uint32_t opt1 = 0;
  std::uint32_t opt2 = 0;
  std::uint32_t other = 0;
  std::uint32_t tensor_count = 0;
};

/// Decodes the 20 bytes in front.
[[nodiscard]] constexpr header read_header(const std::byte* bytes) noexcept {
  header fields;
  fields.magic = load_little<std::uint16_t>(bytes);
  fields.schema = load_little<std::uint8_t>(bytes + 2);
  fields.reserved = load_little<std::uint8_t>(bytes + 3);
  fields.opt1 = load_little<std::uint32_t>(bytes + 4);
  fields.opt2 = load_little<std::uint32_t>(bytes + 8);
  fields.other = load_little<std::uint32_t>(bytes + 12);
  fields.tensor_count = load_little<std::uint32_t>(bytes + 16);
  return fields;
}

/// Slot sections that a header announces.
[[nodiscard]] constexpr std::uint32_t count_slots(const header& fields) noexcept {
  if (fields.opt2 != 0) return 2;
  return fields.opt1 != 0 && fields.opt1 != fields.other ? 1 : 0;
}

/// Encodes the 20 bytes in front as 5 words of the file.
constexpr void write_header(const header& fields, std::uint32_t* words) noexcept {
  const auto first = static_cast<std::uint32_t>(fields.magic) |
                     static_cast<std::uint32_t>(fields.schema) << 16 |
                     static_cast<std::uint32_t>(fields.reserved) << 24;
  words[0] = little_word(first);
  words[1] = little_word(fields.opt1);
  words[2] = little_word(fields.opt2);
  words[3] = little_word(fields.other);
  words[4] = little_word(fields.tensor_count);
}

/// Decodes the 8 bytes at the end.
[[nodiscard]] constexpr training_state read_footer(const std::byte* bytes) noexcept {
  return {load_little<std::uint32_t>(bytes), load_little<std::uint32_t>(bytes + 4)};
}

/// @errors counter_out_of_range, unstorable_values (schema 1 has room for step and epoch only)
[[nodiscard]] constexpr status write_footer(const training_state& training,
                                            const values_view& values, std::byte* bytes) noexcept {
  constexpr std::uint64_t limit = 0xFFFFFFFFU;
  if (training.step > limit)
    return fail(errc::counter_out_of_range, limit, training.step).in(section::footer);
  if (training.epoch > limit)
    return fail(errc::counter_out_of_range, limit, training.epoch).in(section::footer);
  if (!ckpt::detail::has_counters_only(training) || !values.empty())
    return fail(errc::unstorable_values, footer_bytes, footer_bytes + values.encoded().size())
        .in(section::footer);
  store_little(bytes, static_cast<std::uint32_t>(training.step));
  store_little(bytes + 4, static_cast<std::uint32_t>(training.epoch));
  return {};
}

/// What every dialect of schema 1 does in the same way. A dialect derives from it and adds
/// - `visits(model)`: the order of the payloads within a section;
/// - `lists_absent`: whether tables have an entry (of size 0) for absent tensors, or a 0;
/// - `check(model, slot_count)`: what the dialect has against a model;
/// - `fill(sections, header)`: the section offsets in the header.
/// One that leaves room between the parts also redefines the three members that say how much.
template <class Dialect>
struct policy {
  static constexpr std::uint64_t offset_limit = schema1::offset_limit;
  static constexpr std::size_t footer_bytes = schema1::footer_bytes;
  static constexpr std::uint64_t payload_alignment = 1;
  static constexpr bool has_manifest = false;

  /// What the first payload of a section is a multiple of.
  static constexpr std::uint64_t section_alignment = 1;

  /// Bytes between the weight table and the padding in front of the weights.
  [[nodiscard]] static constexpr std::uint64_t manifest_bytes(const model_view&,
                                                              const optimizer_view&) noexcept {
    return 0;
  }
  /// Bytes between the last section and the footer.
  [[nodiscard]] static constexpr std::uint64_t tail_bytes(std::uint64_t, std::uint64_t) noexcept {
    return 0;
  }

  [[nodiscard]] static constexpr file_end place(const model_view& model,
                                                const optimizer_view& optimizer,
                                                span<section_bounds> sections) noexcept {
    cursor at(0);
    for (std::size_t section = 0; section < sections.size(); ++section)
      sections[section] = place_section(model, optimizer, section, at);
    at.take(Dialect::tail_bytes(model.size(), optimizer.slot_count));
    const std::uint64_t footer = at.take(footer_bytes);
    return {footer, at.position()};
  }

  /// Words of header and table of a section.
  [[nodiscard]] static constexpr std::size_t head_words(const model_view& model,
                                                        const optimizer_view&,
                                                        std::size_t section) noexcept {
    return model.size() + first_entry(section);
  }

  /// Writes header and table of a section into `head_words()` words that are zero.
  static constexpr void write_head(const model_view& model, const optimizer_view& optimizer,
                                   span<const section_bounds> sections, const file_end& end,
                                   std::size_t section, std::uint32_t* words) noexcept {
    if (section == 0) {
      header fields;
      fields.tensor_count = static_cast<std::uint32_t>(model.size());
      fields.other = static_cast<std::uint32_t>(end.footer);
      Dialect::fill(sections, fields);
      write_header(fields, words);
    }
    write_table(model, optimizer, section, sections[section].payload, words + first_entry(section));
  }

  /// The entry of a tensor in the table of a section.
  [[nodiscard]] static constexpr std::uint64_t offset(const span<const std::uint32_t>* heads,
                                                      std::size_t, std::size_t section,
                                                      std::size_t index) noexcept {
    return little_word(heads[section][first_entry(section) + index]);
  }

  /// @errors those of schema1::write_footer()
  [[nodiscard]] static constexpr status write_footer(const training_state& training,
                                                     const values_view& values,
                                                     bytes_span bytes) noexcept {
    return schema1::write_footer(training, values, bytes.data());
  }

 private:
  /// Words in front of a table.
  [[nodiscard]] static constexpr std::size_t first_entry(std::size_t section) noexcept {
    return section == 0 ? header_words : 0;
  }

  // The loops below run at compile time for every tensor of every section: they ask
  // `stored_bytes()` themselves because each call that payload_bytes() adds costs the user's
  // compiler.
  static constexpr section_bounds place_section(const model_view& model,
                                                const optimizer_view& optimizer,
                                                std::size_t section, cursor& at) noexcept {
    section_bounds bounds;
    bounds.begin = section == 0 ? at.take(header_bytes) : at.position();
    bounds.table = at.take(std::uint64_t{4} * model.size());
    if (section == 0) at.take(Dialect::manifest_bytes(model, optimizer));
    at.align(Dialect::section_alignment);
    bounds.payload = at.position();
    const tensor_spec* const tensors = model.tensors.data();
    const visit_list visits = Dialect::visits(model);
    const bool is_plain = section == 0 || optimizer.slots_like_weights;
    for (std::size_t k = 0; k < visits.count; ++k) {
      const std::size_t index = visits.by_index ? k : visits.order[k];
      const tensor_spec& tensor = tensors[index];
      at.take(is_plain ? tensor.stored_bytes(section)
                       : payload_bytes(optimizer, section, tensor, index));
    }
    bounds.end = at.position();
    return bounds;
  }

  // Of a tensor that is stored twice the later copy counts.
  static constexpr void write_table(const model_view& model, const optimizer_view& optimizer,
                                    std::size_t section, std::uint64_t payload,
                                    std::uint32_t* words) noexcept {
    const tensor_spec* const tensors = model.tensors.data();
    const visit_list visits = Dialect::visits(model);
    const bool is_plain = section == 0 || optimizer.slots_like_weights;
    cursor at(payload);
    for (std::size_t k = 0; k < visits.count; ++k) {
      const std::size_t index = visits.by_index ? k : visits.order[k];
      const tensor_spec& tensor = tensors[index];
      const std::uint64_t offset =
          at.take(is_plain ? tensor.stored_bytes(section)
                           : payload_bytes(optimizer, section, tensor, index));
      if (Dialect::lists_absent || tensor.purpose() != role::absent)
        words[index] = static_cast<std::uint32_t>(offset);
    }
    make_little(words, model.size());
  }
};

}  // namespace ckpt::schema1

#endif  // CKPT_FORMAT_SCHEMA1_HPP
