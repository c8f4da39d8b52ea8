#ifndef CKPT_FORMAT_V2_HPP
#define CKPT_FORMAT_V2_HPP

#include "ckpt/format/cursor.hpp"
#include "ckpt/format/dialect.hpp"
#include "ckpt/format/manifest.hpp"
#include "ckpt/format/manifest_limits.hpp"
#include "ckpt/format/schema2.hpp"

namespace ckpt {

/// Schema 2: 64-bit offsets, any number of slots of any dtype and shape, names, checksums, and all
/// of the training state.
///
///      0  64 bytes                header, see ckpt/format/schema2.hpp
///     64  (1 + S) x N x u64       where each weight begins, each first slot, ...
///         manifest                see ckpt/format/manifest.hpp
///         payloads                weights, first slots, ...; each at a multiple of the alignment,
///                                 zeros between them; one without bytes takes no room
///         state section           at a multiple of 8, to the end of the file
///
/// **Versions.** The schema byte is the major version: a reader refuses any but its own, and a
/// reader of schema 1 refuses this one by name. A larger minor version may give a meaning to bytes
/// that are zero now, put blocks between the tables and the manifest, inside of the manifest in
/// front of its checksums, or behind the values of the state section; a reader finds every part by
/// its offset and skips what it does not know. What must be understood sets a bit among the
/// required features; a reader that does not know the bit refuses the file. The checksums cover
/// what is skipped too.
///
/// **What it answers.** An optimizer without slots costs nothing; more than two are possible; step
/// and epoch count what is completed; the version has a rule.
///
/// @tparam Alignment  of every payload, a power of two up to 4096 (direct I/O)
/// @tparam StateBytes  size of the state section: 88 bytes, and room for the user's values
template <std::uint32_t Alignment = 64, std::size_t StateBytes = 1024>
struct v2_with {
  static_assert(Alignment > 0 && (Alignment & (Alignment - 1)) == 0 &&
                    Alignment <= schema2::max_alignment,
                "ckpt: the alignment of ckpt::v2_with is a power of two up to 4096");
  static_assert(StateBytes >= schema2::state_bytes && StateBytes % 8 == 0,
                "ckpt: the state section of ckpt::v2_with is a multiple of 8 of at least 88 bytes");

  static constexpr name_view name = "v2";
  static constexpr dialect kind = dialect::v2;
  static constexpr std::uint64_t offset_limit = ~std::uint64_t{0} - StateBytes - 1;
  static constexpr std::size_t footer_bytes = StateBytes;
  static constexpr std::uint64_t payload_alignment = Alignment;
  static constexpr bool has_manifest = true;

  /// Any number.
  [[nodiscard]] static constexpr bool holds(std::size_t) noexcept { return true; }

  /// By index, each tensor once; the manifest keeps the model's own order.
  [[nodiscard]] static constexpr visit_list visits(const model_view& model) noexcept {
    return {model.size(), true, nullptr};
  }

  /// @errors invalid_name, invalid_shape, too_large
  [[nodiscard]] static constexpr status check(const model_view& model,
                                              const optimizer_view& optimizer) noexcept {
    return manifest::check(model, optimizer);
  }

  [[nodiscard]] static constexpr file_end place(const model_view& model,
                                                const optimizer_view& optimizer,
                                                span<section_bounds> sections) noexcept {
    cursor at(schema2::header_bytes);
    at.take(table_bytes(model.size(), sections.size()));
    at.take(manifest::measure(model, optimizer).total_bytes());
    for (std::size_t s = 0; s < sections.size(); ++s) {
      section_bounds& bounds = sections[s];
      bounds.begin = s == 0 ? 0 : at.position();
      bounds.table = schema2::header_bytes + table_bytes(model.size(), s);
      bounds.payload = at.position();
      for (std::size_t i = 0; i < model.size(); ++i) place_payload(model, optimizer, s, i, at);
      bounds.end = at.position();
    }
    at.align(schema2::state_alignment);
    const std::uint64_t footer = at.take(StateBytes);
    return {footer, at.position()};
  }

  /// Words of header, tables, and manifest but for the checksums: all of them stand in section 0.
  [[nodiscard]] static constexpr std::size_t head_words(const model_view& model,
                                                        const optimizer_view& optimizer,
                                                        std::size_t section) noexcept {
    if (section != 0) return 0;
    return first_manifest_word(model.size(), optimizer.slot_count) +
           static_cast<std::size_t>(manifest::measure(model, optimizer).constant_words());
  }

  /// Writes all that is a constant into `head_words()` words that are zero.
  static constexpr void write_head(const model_view& model, const optimizer_view& optimizer,
                                   span<const section_bounds> sections, const file_end& end,
                                   std::size_t section, std::uint32_t* words) noexcept {
    if (section != 0) return;
    const std::size_t first = first_manifest_word(model.size(), optimizer.slot_count);
    schema2::header fields;
    fields.tensor_count = static_cast<std::uint32_t>(model.size());
    fields.slot_count = static_cast<std::uint32_t>(optimizer.slot_count);
    fields.alignment = Alignment;
    fields.file_bytes = end.file_bytes;
    fields.manifest = std::uint64_t{4} * first;
    fields.state = end.footer;
    fields.state_bytes = static_cast<std::uint32_t>(StateBytes);
    schema2::write_header(fields, words);
    write_tables(model, optimizer, sections, words + schema2::header_words);
    manifest::write(model, optimizer, manifest::measure(model, optimizer), words + first);
  }

  /// The entry of a tensor in the table of a section.
  [[nodiscard]] static constexpr std::uint64_t offset(const span<const std::uint32_t>* heads,
                                                      std::size_t tensor_count, std::size_t section,
                                                      std::size_t index) noexcept {
    const std::size_t at = schema2::header_words + 2 * (section * tensor_count + index);
    return little_word(heads[0][at]) | std::uint64_t{little_word(heads[0][at + 1])} << 32;
  }

  /// @errors unstorable_values
  [[nodiscard]] static status write_footer(const training_state& training,
                                           const values_view& values, bytes_span bytes) noexcept {
    return schema2::write_state(training, values, bytes);
  }

 private:
  [[nodiscard]] static constexpr std::uint64_t table_bytes(std::uint64_t tensor_count,
                                                           std::uint64_t sections) noexcept {
    return product(product(8, tensor_count), sections);
  }
  [[nodiscard]] static constexpr std::size_t first_manifest_word(std::size_t tensor_count,
                                                                 std::size_t slots) noexcept {
    return schema2::header_words + 2 * tensor_count * (1 + slots);
  }

  /// Takes the room of one payload and returns where it begins.
  static constexpr std::uint64_t place_payload(const model_view& model,
                                               const optimizer_view& optimizer, std::size_t section,
                                               std::size_t index, cursor& at) noexcept {
    const std::uint64_t bytes = payload_bytes(optimizer, section, model.tensors[index], index);
    if (bytes != 0) at.align(Alignment);
    return at.take(bytes);
  }

  static constexpr void write_tables(const model_view& model, const optimizer_view& optimizer,
                                     span<const section_bounds> sections,
                                     std::uint32_t* words) noexcept {
    for (std::size_t s = 0; s < sections.size(); ++s) {
      cursor at(sections[s].payload);
      for (std::size_t i = 0; i < model.size(); ++i, words += 2)
        schema2::detail::write_long(words, place_payload(model, optimizer, s, i, at));
    }
  }
};

/// Schema 2 with payloads at multiples of 64 and 936 bytes for the user's values.
using v2 = v2_with<>;

}  // namespace ckpt

#endif  // CKPT_FORMAT_V2_HPP
