#ifndef CKPT_LAYOUT_DYNAMIC_LAYOUT_HPP
#define CKPT_LAYOUT_DYNAMIC_LAYOUT_HPP

#include "ckpt/base/result.hpp"
#include "ckpt/layout/layout.hpp"

namespace ckpt {

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
    std::size_t words = 0;
    for (std::size_t s = 0; s <= slot_count; ++s) words += Format::head_words(model.size(), s);
    return words;
  }

  /// @errors buffer_too_small, invalid_shape, invalid_visits, unstorable_model, duplicate_name,
  ///         too_large
  [[nodiscard]] static constexpr result<layout> make(const dynamic_model& model,
                                                     span<std::uint32_t> words) noexcept {
    if (model.size() > no_tensor - 1) return fail(errc::too_large, no_tensor - 1, model.size());
    if (words.size() < words_needed(model))
      return fail(errc::buffer_too_small, std::uint64_t{4} * words_needed(model),
                  words.size_bytes());
    if (const status checked = check_model(model.view(), words.data()); !checked.ok())
      return checked;
    if (const status taken = Format::check(model.view(), slot_count); !taken.ok()) return taken;
    layout made;
    made.model_ = model;
    made.placed_ = Format::template place<slot_count>(model.view(), optimizer());
    if (made.placed_.footer > Format::offset_limit)
      return fail(errc::too_large, Format::offset_limit, made.placed_.footer);
    made.write_heads(words.data());
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
    return payload_bytes(optimizer(), 0, model_.view()[index]);
  }
  /// Offset of slot `slot` of tensor `index`; 0 when the format does not list it.
  [[nodiscard]] constexpr std::uint64_t slot_offset(std::size_t slot,
                                                    std::size_t index) const noexcept {
    return entry(slot + 1, index);
  }
  /// Bytes of slot `slot` of tensor `index`.
  [[nodiscard]] constexpr std::uint64_t slot_bytes(std::size_t slot,
                                                   std::size_t index) const noexcept {
    return payload_bytes(optimizer(), slot + 1, model_.view()[index]);
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

  constexpr void write_heads(std::uint32_t* words) noexcept {
    for (std::size_t i = words_needed(model_); i-- > 0;) words[i] = 0;
    for (std::size_t s = 0; s <= slot_count; ++s) {
      Format::template write_head<slot_count>(model_.view(), optimizer(), placed_, s, words);
      heads_[s] = words;
      words += Format::head_words(model_.size(), s);
    }
  }

  [[nodiscard]] constexpr std::uint64_t entry(std::size_t section,
                                              std::size_t index) const noexcept {
    const std::size_t table = Format::head_words(model_.size(), section) - model_.size();
    return little_word(heads_[section][table + index]);
  }

  dynamic_model model_{};
  placement<slot_count> placed_{};
  const std::uint32_t* heads_[1 + slot_count] = {};
};

}  // namespace ckpt

#endif  // CKPT_LAYOUT_DYNAMIC_LAYOUT_HPP
