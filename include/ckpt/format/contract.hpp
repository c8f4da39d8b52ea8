#ifndef CKPT_FORMAT_CONTRACT_HPP
#define CKPT_FORMAT_CONTRACT_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ckpt/model/model.hpp"
#include "ckpt/model/optimizer.hpp"
#include "ckpt/model/training_state.hpp"
#include "ckpt/model/values.hpp"

/// What a format policy is: an empty struct with
///
/// - `name`, `kind`: how it is called, and the dialect of the files it writes;
/// - `holds(slot_count)`: whether it can store so many slots a tensor;
/// - `check(model, optimizer)`: a status that says what it has against them;
/// - `offset_limit`: the largest offset that it can write down;
/// - `place(model, optimizer, sections)`: where every section goes (`file_end`);
/// - `head_words(model, optimizer, section)`, `write_head(...)`: header, offset table and what
///   else is a constant of model and optimizer;
/// - `offset(heads, tensor_count, section, index)`: an offset from the tables in these heads;
/// - `visits(model)`: the order of the payloads within a section (`visit_list`);
/// - `payload_alignment`: what every payload's offset is a multiple of;
/// - `has_manifest`: whether checksums follow the head of section 0;
/// - `write_footer(training, values, bytes)`, `footer_bytes`: what follows the last section.
///
/// All are constexpr, and the same functions serve static and run-time models. Section 0 holds the
/// weights, section 1 + s holds slot s.
namespace ckpt {

/// A section of a file. `[begin, payload)` is its header, offset table and manifest, `[payload,
/// end)` its tensors. All are byte offsets from the start of the file.
struct section_bounds {
  std::uint64_t begin = 0;
  std::uint64_t table = 0;
  std::uint64_t payload = 0;
  std::uint64_t end = 0;
};

/// Where a checkpoint ends.
struct file_end {
  std::uint64_t footer = 0;
  std::uint64_t file_bytes = 0;
};

/// Where the sections of a checkpoint go, and where it ends.
template <std::size_t SlotCount>
struct placement : file_end {
  section_bounds sections[1 + SlotCount] = {};
};

/// Places a checkpoint in a format.
template <class Format, std::size_t SlotCount>
[[nodiscard]] constexpr placement<SlotCount> place(const model_view& model,
                                                   const optimizer_view& optimizer) noexcept {
  placement<SlotCount> placed;
  const file_end end =
      Format::place(model, optimizer, span<section_bounds>(placed.sections, 1 + SlotCount));
  placed.footer = end.footer;
  placed.file_bytes = end.file_bytes;
  return placed;
}

/// The order in which the payloads of a section follow each other. A tensor may come twice.
struct visit_list {
  std::size_t count = 0;
  bool by_index = true;
  const std::uint32_t* order = nullptr;  ///< where not by index: the index of each visit

  [[nodiscard]] constexpr std::size_t operator[](std::size_t visit) const noexcept {
    return by_index ? visit : order[visit];
  }
};

/// Bytes that `section` stores for a tensor.
/// @param index  of the tensor in its model; needed where the optimizer's slots have run-time forms
[[nodiscard]] constexpr std::uint64_t payload_bytes(const optimizer_view& optimizer,
                                                    std::size_t section, const tensor_spec& tensor,
                                                    std::size_t index) noexcept {
  return section == 0 ? tensor.byte_size() : optimizer.slot_bytes(section - 1, tensor, index);
}

/// Dtype and shape of what `section` stores for a tensor.
[[nodiscard]] constexpr tensor_form payload_form(const optimizer_view& optimizer,
                                                 std::size_t section, const tensor_spec& tensor,
                                                 std::size_t index) noexcept {
  return section == 0 ? tensor.form() : optimizer.slot_form(section - 1, tensor, index);
}

/// Dtype of what `section` stores for a tensor.
[[nodiscard]] constexpr dtype payload_type(const optimizer_view& optimizer, std::size_t section,
                                           const tensor_spec& tensor, std::size_t index) noexcept {
  return payload_form(optimizer, section, tensor, index).type();
}

/// Bytes of one element of what `section` stores for a tensor.
[[nodiscard]] constexpr std::size_t payload_width(const optimizer_view& optimizer,
                                                  std::size_t section, const tensor_spec& tensor,
                                                  std::size_t index) noexcept {
  return byte_width(payload_type(optimizer, section, tensor, index));
}

namespace detail {

template <class T, class = void>
struct format_test : std::false_type {};
template <class T>
struct format_test<
    T, std::void_t<decltype(T::kind), decltype(T::offset_limit), decltype(T::holds(std::size_t{}))>>
    : std::is_empty<T> {};

}  // namespace detail

/// Whether `T` looks like a format policy.
template <class T>
inline constexpr bool is_format_v = detail::format_test<T>::value;

}  // namespace ckpt

#endif  // CKPT_FORMAT_CONTRACT_HPP
