#ifndef CKPT_FORMAT_SCHEMA1_PLUS_HPP
#define CKPT_FORMAT_SCHEMA1_PLUS_HPP

#include "ckpt/format/manifest.hpp"
#include "ckpt/format/manifest_limits.hpp"
#include "ckpt/format/schema1.hpp"

/// A file of schema 1 with a manifest, in the room that the loaders of today's runtimes leave:
///
///      0  20 bytes  header, N x u32 offsets: as in the plain format
/// 20+4N  manifest   see ckpt/format/manifest.hpp
///        zeros      up to a multiple of 64
///        bytes      weights
///  opt1  N x u32    offsets of the first slot, zeros up to a multiple of 64, bytes
///  opt2  N x u32    offsets of the second slot, zeros up to a multiple of 64, bytes
///        zeros      onert without slots, N > 2: 4N - 8, see `onert_plus`
/// other  8 bytes    step, epoch
namespace ckpt::schema1 {

/// What the first payload of each section is a multiple of.
inline constexpr std::uint64_t plus_alignment = 64;

/// What `Dialect` does as `Plain` does it, with a manifest.
template <class Dialect, class Plain>
struct plus_policy : policy<Dialect> {
  static constexpr bool has_manifest = true;
  static constexpr std::uint64_t section_alignment = plus_alignment;
  static constexpr bool lists_absent = Plain::lists_absent;

  [[nodiscard]] static constexpr bool holds(std::size_t slot_count) noexcept {
    return Plain::holds(slot_count);
  }

  /// By index, each tensor once; the manifest keeps the model's own order.
  [[nodiscard]] static constexpr visit_list visits(const model_view& model) noexcept {
    return {model.size(), true, nullptr};
  }

  /// @errors those of the plain format, invalid_name, invalid_shape, too_large
  [[nodiscard]] static constexpr status check(const model_view& model,
                                              const optimizer_view& optimizer) noexcept {
    const status plain = Plain::check(model, optimizer);
    return plain.ok() ? manifest::check(model, optimizer) : plain;
  }

  static constexpr void fill(span<const section_bounds> sections, header& fields) noexcept {
    Plain::fill(sections, fields);
  }

  [[nodiscard]] static constexpr std::uint64_t manifest_bytes(
      const model_view& model, const optimizer_view& optimizer) noexcept {
    return manifest::measure(model, optimizer).total_bytes();
  }

  /// Words of header, table, and manifest but for the checksums.
  [[nodiscard]] static constexpr std::size_t head_words(const model_view& model,
                                                        const optimizer_view& optimizer,
                                                        std::size_t section) noexcept {
    const std::size_t plain = policy<Dialect>::head_words(model, optimizer, section);
    if (section != 0) return plain;
    return plain + static_cast<std::size_t>(manifest::measure(model, optimizer).constant_words());
  }

  /// Writes all of a section that is a constant into `head_words()` words that are zero.
  static constexpr void write_head(const model_view& model, const optimizer_view& optimizer,
                                   span<const section_bounds> sections, const file_end& end,
                                   std::size_t section, std::uint32_t* words) noexcept {
    policy<Dialect>::write_head(model, optimizer, sections, end, section, words);
    if (section != 0) return;
    const std::size_t plain = policy<Dialect>::head_words(model, optimizer, section);
    manifest::write(model, optimizer, manifest::measure(model, optimizer), words + plain);
  }
};

}  // namespace ckpt::schema1

#endif  // CKPT_FORMAT_SCHEMA1_PLUS_HPP
