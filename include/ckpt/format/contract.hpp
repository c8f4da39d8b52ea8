#ifndef CKPT_FORMAT_CONTRACT_HPP
#define CKPT_FORMAT_CONTRACT_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ckpt/model/model.hpp"
#include "ckpt/model/optimizer.hpp"
#include "ckpt/model/training_state.hpp"

/// What a format policy is: an empty struct with
///
/// - `name`, `kind`: how it is called, and the dialect of the files it writes;
/// - `holds(slot_count)`: whether it can store so many slots a tensor;
/// - `check(model, slot_count)`: a status that says what it has against a model;
/// - `offset_limit`: the largest offset that it can write down;
/// - `place<SlotCount>(model, optimizer)`: where every section goes (`placement`);
/// - `head_words(tensor_count, section)`, `write_head(...)`: header and offset table;
/// - `visits(model)`: the order of the payloads within a section (`visit_list`);
/// - `write_footer(training, bytes)`, `footer_bytes`: what follows the last section.
///
/// All are constexpr, and the same functions serve static and run-time models. Section 0 holds the
/// weights, section 1 + s holds slot s.
namespace ckpt {

/// A section of a file. `[begin, payload)` is its header and offset table, `[payload, end)` its
/// tensors. All are byte offsets from the start of the file.
struct section_bounds {
  std::uint64_t begin = 0;
  std::uint64_t table = 0;
  std::uint64_t payload = 0;
  std::uint64_t end = 0;
};

/// Where the sections of a checkpoint go.
template <std::size_t SlotCount>
struct placement {
  section_bounds sections[1 + SlotCount] = {};
  std::uint64_t footer = 0;
  std::uint64_t file_bytes = 0;
};

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
[[nodiscard]] constexpr std::uint64_t payload_bytes(const optimizer_view& optimizer,
                                                    std::size_t section,
                                                    const tensor_spec& tensor) noexcept {
  return section == 0 ? tensor.byte_size() : optimizer.slot_bytes(section - 1, tensor);
}

/// Dtype of what `section` stores for a tensor.
[[nodiscard]] constexpr dtype payload_type(const optimizer_view& optimizer, std::size_t section,
                                           const tensor_spec& tensor) noexcept {
  return section == 0 ? tensor.type() : optimizer.slot_form(section - 1, tensor).type();
}

/// Bytes of one element of what `section` stores for a tensor.
[[nodiscard]] constexpr std::size_t payload_width(const optimizer_view& optimizer,
                                                  std::size_t section,
                                                  const tensor_spec& tensor) noexcept {
  return byte_width(payload_type(optimizer, section, tensor));
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
