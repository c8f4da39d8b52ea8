#ifndef CKPT_FORMAT_MANIFEST_LIMITS_HPP
#define CKPT_FORMAT_MANIFEST_LIMITS_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/status.hpp"
#include "ckpt/base/utf8.hpp"
#include "ckpt/format/manifest.hpp"

/// What a manifest can say. `view::open()` refuses the rest, so it must not be written.
namespace ckpt::manifest {

namespace detail {

/// @errors invalid_name
[[nodiscard]] constexpr status check_name(name_view name) noexcept {
  if (name.size() <= max_name_bytes && is_utf8(name)) return {};
  return fail(errc::invalid_name, max_name_bytes, name.size()).in(section::manifest);
}

}  // namespace detail

/// Whether the length of a manifest fits its field. Looks at no character of a name.
/// @errors too_large
[[nodiscard]] constexpr status check_size(const model_view& model,
                                          const optimizer_view& optimizer) noexcept {
  const std::uint64_t bytes = measure(model, optimizer).total_bytes();
  if (bytes <= max_total_bytes) return {};
  return fail(errc::too_large, max_total_bytes, bytes).in(section::manifest);
}

/// Whether a manifest can say what a model is. Tensors without a name are welcome.
/// @errors invalid_name (not UTF-8, or too long), too_large (an absent tensor beyond 64 bits)
[[nodiscard]] constexpr status check_model(const model_view& model) noexcept {
  const tensor_spec* const specs = model.tensors.data();
  const std::size_t count = model.size();
  for (std::size_t i = 0; i < count; ++i) {
    const name_view name = specs[i].name();
    if (name.size() > max_name_bytes || !is_utf8(name)) return detail::check_name(name).about(i);
    if (specs[i].purpose() == role::absent && specs[i].form().byte_size() == overflowed)
      return fail(errc::too_large, overflowed - 1, overflowed).in(section::manifest).about(i);
  }
  return {};
}

/// Whether the names of an optimizer and its slots can be written. They may be missing.
/// @errors invalid_name (not UTF-8, or too long)
[[nodiscard]] constexpr status check_names(const optimizer_view& optimizer) noexcept {
  if (const status own = detail::check_name(optimizer.name); !own.ok()) return own;
  for (std::size_t s = 0; s < optimizer.slot_count; ++s)
    if (const status named = detail::check_name(optimizer.slot_name(s)); !named.ok())
      return named.in(slot_section(s));
  return {};
}

/// Whether dtypes and shapes of slots can be written, where they are. Then they are for every
/// tensor, also for those that have no slots.
/// @errors invalid_shape, too_large (a slot beyond 64 bits)
[[nodiscard]] constexpr status check_slot_forms(const model_view& model,
                                                const optimizer_view& optimizer) noexcept {
  if (!has_own_slot_forms(model, optimizer)) return {};
  for (std::size_t s = 0; s < optimizer.slot_count; ++s) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      const tensor_form form = detail::slot_form(model, optimizer, s, i);
      if (form.byte_size() != overflowed) continue;
      const errc kind = form.extents().is_valid() ? errc::too_large : errc::invalid_shape;
      return fail(kind, overflowed - 1, overflowed).in(slot_section(s)).about(i);
    }
  }
  return {};
}

/// Whether a manifest can say what a model and an optimizer are.
/// @errors those of the four above
[[nodiscard]] constexpr status check(const model_view& model,
                                     const optimizer_view& optimizer) noexcept {
  if (const status size = check_size(model, optimizer); !size.ok()) return size;
  if (const status named = check_names(optimizer); !named.ok()) return named;
  if (const status slots = check_slot_forms(model, optimizer); !slots.ok()) return slots;
  return check_model(model);
}

}  // namespace ckpt::manifest

#endif  // CKPT_FORMAT_MANIFEST_LIMITS_HPP
