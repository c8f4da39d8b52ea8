#ifndef CKPT_STORE_REMOVE_CHECKPOINT_HPP
#define CKPT_STORE_REMOVE_CHECKPOINT_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "ckpt/base/result.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/directory.hpp"
#include "ckpt/io/path.hpp"
#include "ckpt/store/names.hpp"

/// Removing whole checkpoints and what is left of interrupted saves and removals. A checkpoint
/// first loses its name, in one step, so that nobody ever sees half of one.
namespace ckpt::detail {

/// The names in a directory that holds nothing but parts of a checkpoint. A link is not followed:
/// what it leads to is not ours.
/// @errors not_found, not_a_directory, foreign_entry, and those of listing a directory
template <class Native>
[[nodiscard]] result<std::vector<std::string>> list_parts(const path& directory, path& blamed) {
  blamed = directory;
  const auto kind = entry_itself_at<Native>(directory);
  if (!kind.ok()) return kind.error();
  if (*kind == entry_kind::none) return fail(errc::not_found);
  if (*kind != entry_kind::directory) return fail(errc::not_a_directory);
  auto names = ckpt::list_directory<Native>(directory);
  if (!names.ok()) return names.error();
  for (const std::string& name : *names) {
    if (is_part_name(name) || is_left_over_name(name)) continue;
    blamed = directory / name;
    return fail(errc::foreign_entry);
  }
  return names;
}

/// What somebody else has removed meanwhile is removed.
[[nodiscard]] inline status unless_gone(const status& removed) noexcept {
  return removed.kind == errc::not_found ? status{} : removed;
}

/// Removes a directory that holds nothing but parts of a checkpoint.
/// @param blamed  what a failure is about
/// @errors foreign_entry (nothing is removed then), and those of removing
template <class Native>
[[nodiscard]] status remove_parts(const path& directory, path& blamed) {
  const auto names = list_parts<Native>(directory, blamed);
  if (!names.ok()) return unless_gone(names.error());
  for (const std::string& name : *names) {
    blamed = directory / name;
    const status removed = unless_gone(ckpt::remove_file<Native>(blamed));
    if (!removed.ok()) return removed;
  }
  blamed = directory;
  return unless_gone(ckpt::remove_directory<Native>(directory));
}

/// Removes one checkpoint, whole or not.
/// @param blamed  what a failure is about
/// @errors not_found, not_a_directory, foreign_entry, and those of moving and removing
template <class Native>
[[nodiscard]] status remove_checkpoint(const path& directory, std::uint64_t serial, path& blamed) {
  const path entry = directory / checkpoint_name(serial);
  const path working = directory / working_name(serial);
  if (const auto ours = list_parts<Native>(entry, blamed); !ours.ok()) return ours.error();
  if (const status swept = remove_parts<Native>(working, blamed); !swept.ok()) return swept;
  blamed = entry;
  if (const status moved = move_entry<Native>(entry, working); !moved.ok()) return moved;
  return remove_parts<Native>(working, blamed);
}

}  // namespace ckpt::detail

#endif  // CKPT_STORE_REMOVE_CHECKPOINT_HPP
