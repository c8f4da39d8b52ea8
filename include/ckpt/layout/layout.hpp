#ifndef CKPT_LAYOUT_LAYOUT_HPP
#define CKPT_LAYOUT_LAYOUT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ckpt/format/onert.hpp"
#include "ckpt/layout/layout_view.hpp"
#include "ckpt/model/check.hpp"
#include "ckpt/model/model.hpp"
#include "ckpt/model/optimizer.hpp"

namespace ckpt {

namespace detail {

/// What can be said against a combination before anything is placed. A class of its own, so that
/// its messages come first.
template <class Optimizer, class Format>
struct check_policies {
  static_assert(is_optimizer_v<Optimizer>,
                "ckpt: Optimizer must be an empty struct with `static constexpr std::size_t "
                "slot_count` (see ckpt/model/optimizer.hpp)");
  static_assert(is_format_v<Format>,
                "ckpt: Format must be a format policy such as ckpt::onert or ckpt::onert_micro "
                "(see ckpt/format/contract.hpp)");
  static_assert(Format::holds(Optimizer::slot_count),
                "ckpt: this format cannot hold so many slots a tensor: ckpt::onert holds up to 2, "
                "ckpt::onert_micro 0 or 2; more needs schema 2: ckpt::v2 (ckpt/format/v2.hpp)");
  static_assert(Format::check(model_view{}, view_of_optimizer<Optimizer>()).kind !=
                    errc::invalid_name,
                "ckpt: a format with a manifest stores the names of the optimizer and its slots: "
                "make them UTF-8 of at most 65,535 bytes, or save as ckpt::onert or "
                "ckpt::onert_micro");
  static constexpr bool ok = true;
};

template <class Model>
struct check_static_model {
  static_assert(is_static_model_v<Model>,
                "ckpt: a model is a struct with `static constexpr auto tensors = "
                "ckpt::tensors({...})`, or ckpt::dynamic_model (see ckpt/model/model.hpp)");
  static constexpr errc shapes = check_shapes(view_of<Model>()).kind;
  static_assert(shapes != errc::invalid_shape,
                "ckpt: a tensor of the model has more than 8 dimensions");
  static_assert(shapes != errc::too_large,
                "ckpt: a tensor of the model is too large: its bytes exceed 64 bits");
  static_assert(visits_are_valid<Model>(),
                "ckpt: the model's `visits` must name existing tensors that are not absent, and "
                "every tensor that is not absent at least once");
  static_assert(names_are_unique<Model>(), "ckpt: two tensors of the model have the same name");
  static constexpr bool ok = true;
};

}  // namespace detail

/// The exact bytes of a checkpoint around its tensors: every offset, the file's size, header and
/// tables. For a static model all of it is constexpr; `layout<dynamic_model, ...>` computes the
/// same at run time with the same functions.
template <class Model, class Optimizer, class Format = onert>
class layout {
  static_assert(detail::check_policies<Optimizer, Format>::ok);
  static_assert(detail::check_static_model<Model>::ok);
  static_assert(Format::check(view_of<Model>(), view_of_optimizer<Optimizer>()).ok(),
                "ckpt: this format cannot store the model with this optimizer: ckpt::onert_micro "
                "keeps slots for every tensor it stores, so call a frozen one absent; and a graph "
                "has an input, so a model with `visits` and slots has an absent tensor; formats "
                "with a manifest need names that are UTF-8, and absent tensors and slots of at "
                "most 8 dimensions whose bytes do not exceed 64 bits");

 public:
  /// Tensors of the model, absent ones too.
  static constexpr std::size_t tensor_count = Model::tensors.size();
  /// Slots of each trainable tensor.
  static constexpr std::size_t slot_count = Optimizer::slot_count;

  /// Where every section goes.
  static constexpr placement<slot_count> placed =
      place<Format, slot_count>(view_of<Model>(), view_of_optimizer<Optimizer>());

  static_assert(placed.footer <= Format::offset_limit,
                "ckpt: the checkpoint is too large for the 32-bit offsets of this format; 4 GiB "
                "and more needs schema 2 (ckpt::v2)");

  /// Size of the file.
  static constexpr std::uint64_t file_bytes = placed.file_bytes;
  /// Where step and epoch are.
  static constexpr std::uint64_t footer_offset = placed.footer;

  /// Offset of the weight of tensor `index`; 0 when the format does not list it.
  [[nodiscard]] static constexpr std::uint64_t offset(std::size_t index) noexcept {
    return entry<0>(index);
  }
  /// Bytes of the weight of tensor `index`.
  [[nodiscard]] static constexpr std::uint64_t bytes(std::size_t index) noexcept {
    return payload_bytes(view_of_optimizer<Optimizer>(), 0, Model::tensors.data()[index], index);
  }
  /// Offset of slot `Slot` of tensor `index`; 0 when the format does not list it.
  template <std::size_t Slot>
  [[nodiscard]] static constexpr std::uint64_t slot_offset(std::size_t index) noexcept {
    static_assert(Slot < slot_count, "ckpt: the optimizer has no such slot");
    return entry<Slot + 1>(index);
  }
  /// Bytes of slot `slot` of tensor `index`.
  [[nodiscard]] static constexpr std::uint64_t slot_bytes(std::size_t slot,
                                                          std::size_t index) noexcept {
    return payload_bytes(view_of_optimizer<Optimizer>(), slot + 1, Model::tensors.data()[index],
                         index);
  }
  /// Bounds of section 0 (weights) or 1 + slot.
  [[nodiscard]] static constexpr section_bounds bounds(std::size_t section) noexcept {
    return placed.sections[section];
  }

  /// Header, table and manifest of a section as the words that stand in the file; all but the
  /// checksums.
  template <std::size_t Section>
  static constexpr auto head = [] {
    constexpr model_view known = view_of<Model>();
    constexpr optimizer_view policy = view_of_optimizer<Optimizer>();
    std::array<std::uint32_t, Format::head_words(known, policy, Section)> words{};
    Format::write_head(known, policy, span<const section_bounds>(placed.sections), placed, Section,
                       words.data());
    return words;
  }();

  /// The layout as the codec sees it.
  [[nodiscard]] static constexpr layout_view view() noexcept {
    return {view_of<Model>(), view_of_optimizer<Optimizer>(), placed.sections, heads, placed.footer,
            placed.file_bytes};
  }

 private:
  template <std::size_t Section>
  static constexpr std::uint64_t entry(std::size_t index) noexcept {
    return Format::offset(heads.data(), tensor_count, Section, index);
  }

  template <std::size_t... Section>
  static constexpr std::array<span<const std::uint32_t>, sizeof...(Section)> list_heads(
      std::index_sequence<Section...>) noexcept {
    return {span<const std::uint32_t>(head<Section>.data(), head<Section>.size())...};
  }

  static constexpr std::array<span<const std::uint32_t>, 1 + slot_count> heads =
      list_heads(std::make_index_sequence<1 + slot_count>{});
};

}  // namespace ckpt

#endif  // CKPT_LAYOUT_LAYOUT_HPP
