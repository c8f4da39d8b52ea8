#ifndef CKPT_IO_DETAIL_LEADS_TO_HPP
#define CKPT_IO_DETAIL_LEADS_TO_HPP

#include "ckpt/base/errc.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/native_types.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

namespace detail {

/// Whether the name itself, a link not followed, leads to this very file. That nothing has the name
/// is no failure.
/// @param held  what the system tells of the file
template <class Native>
[[nodiscard]] native_result leads_to(const path& name, const file_facts& held,
                                     bool& does) noexcept {
  file_facts named;
  const native_result described =
      uninterrupted<Native>([&] { return Native::describe_link(name.c_str(), named); });
  does = described.ok() && same_file(named, held);
  const bool is_gone =
      !described.ok() && Native::path_error_kind(described.error) == errc::not_found;
  return is_gone ? native_result{} : described;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_DETAIL_LEADS_TO_HPP
