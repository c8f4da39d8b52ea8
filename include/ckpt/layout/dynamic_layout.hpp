#ifndef CKPT_LAYOUT_DYNAMIC_LAYOUT_HPP
#define CKPT_LAYOUT_DYNAMIC_LAYOUT_HPP

#include "ckpt/base/result.hpp"
#include "ckpt/layout/layout.hpp"

namespace ckpt {

namespace detail {

/// Words that `lay_out()` needs for the heads of all sections.
template <class Format>
[[nodiscard]] constexpr std::size_t words_needed(const model_view& model,
                                                 const optimizer_view& optimizer) noexcept {
  std::size_t words = 0;
  for (std::size_t s = 0; s <= optimizer.slot_count; ++s)
    words += Format::head_words(model, optimizer, s);
  return words;
}

/// Checks a model, places a checkpoint of it in a format and writes its heads.
/// @param sections, heads  memory for one a section
/// @param words  memory for `words_needed()` words
/// @errors buffer_too_small, invalid_shape, invalid_visits, unstorable_model, duplicate_name,
///         too_large, invalid_name
template <class Format>
[[nodiscard]] constexpr result<file_end> lay_out(const model_view& model,
                                                 const optimizer_view& optimizer,
                                                 span<section_bounds> sections,
                                                 span<const std::uint32_t>* heads,
                                                 span<std::uint32_t> words) noexcept {
  if (model.size() > no_tensor - 1) return fail(errc::too_large, no_tensor - 1, model.size());
  const std::size_t needed = words_needed<Format>(model, optimizer);
  if (words.size() < needed)
    return fail(errc::buffer_too_small, std::uint64_t{4} * needed, words.size_bytes());
  if (const status checked = check_model(model, words.data()); !checked.ok()) return checked;
  if (const status taken = Format::check(model, optimizer); !taken.ok()) return taken;
  const file_end end = Format::place(model, optimizer, sections);
  if (end.footer > Format::offset_limit)
    return fail(errc::too_large, Format::offset_limit, end.footer);
  for (std::size_t i = 0; i < needed; ++i) words[i] = 0;
  std::uint32_t* next = words.data();
  for (std::size_t s = 0; s < sections.size(); ++s) {
    Format::write_head(model, optimizer, sections, end, s, next);
    heads[s] = span<const std::uint32_t>(next, Format::head_words(model, optimizer, s));
    next += heads[s].size();
  }
  return end;
}

}  // namespace detail

/// The layout of a model that is known only at run time. Header and tables live in memory that the
/// caller gives to `make()` and keeps as long as the layout.
template <class Optimizer, class Format>
class layout<dynamic_model, Optimizer, Format> {
  static_assert(detail::check_policies<Optimizer, Format>::ok);

 public:
  /// Slots of each trainable tensor.
  static constexpr std::size_t slot_count = Optimizer::slot_count;

  constexpr layout() noexcept = default;

  /// Words of memory that `make()` needs.
  [[nodiscard]] static constexpr std::size_t words_needed(const dynamic_model& model) noexcept {
    return detail::words_needed<Format>(model.view(), optimizer());
  }

  /// @errors buffer_too_small, invalid_shape, invalid_visits, unstorable_model, duplicate_name,
  ///         too_large, invalid_name (formats with a manifest: a name that is not UTF-8, or longer
  ///         than 65,535 bytes)
  [[nodiscard]] static constexpr result<layout> make(const dynamic_model& model,
                                                     span<std::uint32_t> words) noexcept {
    layout made;
    made.model_ = model;
    const result<file_end> end = detail::lay_out<Format>(
        model.view(), optimizer(), span<section_bounds>(made.placed_.sections, 1 + slot_count),
        made.heads_, words);
    if (!end.ok()) return end.error();
    made.placed_.footer = end->footer;
    made.placed_.file_bytes = end->file_bytes;
    return made;
  }

  /// Size of the file.
  [[nodiscard]] constexpr std::uint64_t file_bytes() const noexcept { return placed_.file_bytes; }
  /// Where step and epoch are.
  [[nodiscard]] constexpr std::uint64_t footer_offset() const noexcept { return placed_.footer; }

  /// Offset of the weight of tensor `index`; 0 when the format does not list it.
  [[nodiscard]] constexpr std::uint64_t offset(std::size_t index) const noexcept {
    return entry(0, index);
  }
  /// Bytes of the weight of tensor `index`.
  [[nodiscard]] constexpr std::uint64_t bytes(std::size_t index) const noexcept {
    return payload_bytes(optimizer(), 0, model_.view()[index], index);
  }
  /// Offset of slot `slot` of tensor `index`; 0 when the format does not list it.
  [[nodiscard]] constexpr std::uint64_t slot_offset(std::size_t slot,
                                                    std::size_t index) const noexcept {
    return entry(slot + 1, index);
  }
  /// Bytes of slot `slot` of tensor `index`.
  [[nodiscard]] constexpr std::uint64_t slot_bytes(std::size_t slot,
                                                   std::size_t index) const noexcept {
    return payload_bytes(optimizer(), slot + 1, model_.view()[index], index);
  }
  /// Bounds of section 0 (weights) or 1 + slot.
  [[nodiscard]] constexpr section_bounds bounds(std::size_t section) const noexcept {
    return placed_.sections[section];
  }

  /// The layout as the codec sees it; points into this one.
  [[nodiscard]] constexpr layout_view view() const noexcept {
    return {model_.view(), optimizer(),    placed_.sections,
            heads_,        placed_.footer, placed_.file_bytes};
  }

 private:
  static constexpr optimizer_view optimizer() noexcept { return view_of_optimizer<Optimizer>(); }

  [[nodiscard]] constexpr std::uint64_t entry(std::size_t section,
                                              std::size_t index) const noexcept {
    return Format::offset(heads_, model_.size(), section, index);
  }

  dynamic_model model_{};
  placement<slot_count> placed_{};
  span<const std::uint32_t> heads_[1 + slot_count] = {};
};

}  // namespace ckpt

#endif  // CKPT_LAYOUT_DYNAMIC_LAYOUT_HPP
