#ifndef CKPT_MODEL_CHECK_HPP
#define CKPT_MODEL_CHECK_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/name.hpp"
#include "ckpt/base/sort.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/model/model.hpp"

namespace ckpt {

/// Names of static models are compared by the compiler up to this many tensors; above it the
/// comparison is an ordinary check, because compilers limit how long they calculate.
inline constexpr std::size_t names_checked_by_compiler = 512;

/// @errors invalid_shape, too_large (one tensor exceeds 64 bits)
[[nodiscard]] constexpr status check_shapes(const model_view& model) noexcept {
  const std::size_t count = model.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (model[i].byte_size() != overflowed && model[i].purpose() != role::absent) continue;
    if (!model[i].extents().is_valid()) return fail(errc::invalid_shape).about(i);
    if (model[i].byte_size() == overflowed)
      return fail(errc::too_large, overflowed - 1, overflowed).about(i);
  }
  return {};
}

/// Whether what is found has the dtype and shape that are wanted: of two tensors or two forms.
/// @errors dtype_mismatch, shape_mismatch (in bytes)
template <class Wanted, class Found>
[[nodiscard]] constexpr status check_same_form(const Wanted& wanted, const Found& found) noexcept {
  if (wanted.type() != found.type()) return fail(errc::dtype_mismatch);
  if (wanted.extents() != found.extents())
    return fail(errc::shape_mismatch, bytes_of(wanted.type(), wanted.extents()),
                bytes_of(found.type(), found.extents()));
  return {};
}

/// Every index of the visit order must exist and be stored, and no stored tensor may be left out.
/// @param marks  scratch, one word a tensor
/// @errors invalid_visits
[[nodiscard]] constexpr status check_visits(const model_view& model,
                                            std::uint32_t* marks) noexcept {
  if (model.visits.empty()) return {};
  for (std::size_t i = 0; i < model.size(); ++i) marks[i] = 0;
  for (std::size_t k = 0; k < model.visits.size(); ++k) {
    const std::uint32_t index = model.visits[k];
    if (index >= model.size() || model[index].purpose() == role::absent)
      return fail(errc::invalid_visits).about(index);
    marks[index] = 1;
  }
  for (std::size_t i = 0; i < model.size(); ++i)
    if (marks[i] == 0 && model[i].purpose() != role::absent)
      return fail(errc::invalid_visits).about(i);
  return {};
}

namespace detail {

/// FNV-1a.
/// @param value  of the characters in front
[[nodiscard]] constexpr std::uint32_t hash(name_view name,
                                           std::uint32_t value = 2166136261U) noexcept {
  const char* const data = name.data();
  for (std::size_t i = 0, size = name.size(); i < size; ++i)
    value = (value ^ static_cast<unsigned char>(data[i])) * 16777619U;
  return value;
}

/// Whether the name of `a` comes before that of `b`; of equal names, whether the index does.
[[nodiscard]] constexpr bool is_name_before(const model_view& model, std::uint32_t a,
                                            std::uint32_t b) noexcept {
  const name_view left = model[a].name();
  const name_view right = model[b].name();
  const std::size_t shorter = left.size() < right.size() ? left.size() : right.size();
  const int order = compare_characters(left, right, shorter);
  if (order != 0) return order < 0;
  return left.size() != right.size() ? left.size() < right.size() : a < b;
}

/// Looks for equal names by sorting them, which takes its time whatever they are.
/// @param indices  scratch, one word a tensor
[[nodiscard]] constexpr status compare_names(const model_view& model,
                                             std::uint32_t* indices) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.size(); ++i)
    if (!model[i].name().empty()) indices[count++] = static_cast<std::uint32_t>(i);
  sort_in_place(indices, count, [&model](std::uint32_t a, std::uint32_t b) noexcept {
    return is_name_before(model, a, b);
  });
  for (std::size_t i = 1; i < count; ++i)
    if (model[indices[i]].name() == model[indices[i - 1]].name())
      return fail(errc::duplicate_name).about(indices[i]);
  return {};
}

}  // namespace detail

/// Tensors without a name are left aside.
/// @param hashes  scratch, one word a tensor
/// @errors duplicate_name
// Compilers count their steps, so names are compared only if two have one hash.
[[nodiscard]] constexpr status check_names(const model_view& model,
                                           std::uint32_t* hashes) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.size(); ++i)
    if (!model[i].name().empty()) hashes[count++] = detail::hash(model[i].name());
  sort_in_place(hashes, count, [](std::uint32_t a, std::uint32_t b) noexcept { return a < b; });
  for (std::size_t i = 1; i < count; ++i)
    if (hashes[i] == hashes[i - 1]) return detail::compare_names(model, hashes);
  return {};
}

/// Everything that must hold of a model before a layout is made of it.
/// @param scratch  one word a tensor
[[nodiscard]] constexpr status check_model(const model_view& model,
                                           std::uint32_t* scratch) noexcept {
  if (const status shapes = check_shapes(model); !shapes.ok()) return shapes;
  if (const status visits = check_visits(model, scratch); !visits.ok()) return visits;
  return check_names(model, scratch);
}

namespace detail {

template <class Model>
[[nodiscard]] constexpr bool visits_are_valid() noexcept {
  if constexpr (!has_visits<Model>::value) {
    return true;
  } else {
    std::uint32_t marks[Model::tensors.size() + 1] = {};
    return check_visits(view_of<Model>(), marks).ok();
  }
}

template <class Model>
[[nodiscard]] constexpr bool names_are_unique() noexcept {
  if constexpr (Model::tensors.size() > names_checked_by_compiler) {
    return true;
  } else {
    std::uint32_t hashes[Model::tensors.size() + 1] = {};
    return check_names(view_of<Model>(), hashes).ok();
  }
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_MODEL_CHECK_HPP
