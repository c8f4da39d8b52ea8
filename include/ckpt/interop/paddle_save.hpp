#ifndef CKPT_INTEROP_PADDLE_SAVE_HPP
#define CKPT_INTEROP_PADDLE_SAVE_HPP

#include <string>
#include <utility>
#include <vector>

#include "ckpt/codec/contents.hpp"
#include "ckpt/interop/paddle_names.hpp"
#include "ckpt/interop/paddle_variable.hpp"
#include "ckpt/interop/variable_save.hpp"

namespace ckpt::paddle {

/// How to save.
struct save_options {
  /// The variable that counts steps; by default fluid's own. Empty: the step is not stored.
  std::string step_counter = std::string(detail::step_name);
  /// Make an empty `_SUCCESS` when all else is there, as fluid's checkpoints have it.
  bool mark = true;
  /// Wait until the files would survive a power loss.
  bool durable = true;
  /// Leave out, on purpose, what has no place: all but the step, and values.
  bool drop_training_state = false;
};

/// What a save has done.
using save_report = ckpt::detail::variables_report;

namespace detail {

using ckpt::detail::variable;

/// Everything that can be wrong before the disk is touched.
[[nodiscard]] inline status prepare(const contents_view& from, const save_options& how,
                                    bytes_view step_bytes, std::vector<variable>& to) {
  if (!how.drop_training_state) {
    const status held = ckpt::detail::check_training(from, !how.step_counter.empty());
    if (!held.ok()) return held;
  }
  if (const status listed = ckpt::detail::list_variables(from, suffix_of, to); !listed.ok())
    return listed;
  for (const variable& each : to) {
    if (const status possible = check_form(each.form); !possible.ok())
      return ckpt::detail::about(possible, each);
    if (each.name == mark_name || each.name == program_name)
      return ckpt::detail::about(fail(errc::invalid_name), each);
  }
  if (!how.step_counter.empty()) {
    const status put = ckpt::detail::put_step(how.step_counter, step_bytes, to);
    if (!put.ok()) return put;
  }
  return ckpt::detail::check_distinct(to);
}

template <class Native>
[[nodiscard]] status write_files(ckpt::detail::tree_writer<Native>& tree, const path& directory,
                                 const std::vector<variable>& variables, bool mark) {
  if (const status begun = tree.begin(directory); !begun.ok()) return begun;
  for (const variable& each : variables) {
    const status written = tree.write_file(directory / each.name, [&](auto& to) -> status {
      return paddle::write_variable(to, each.form, each.bytes);
    });
    if (!written.ok()) return written;
  }
  if (mark)
    if (const status marked = tree.mark(directory, mark_name); !marked.ok()) return marked;
  return tree.finish(directory);
}

template <class Native>
[[nodiscard]] file_result<save_report> save_with(const path& directory, const contents_view& from,
                                                 const save_options& how) {
  return ckpt::detail::save_variables<Native>(
      directory, from, how.durable,
      [&](bytes_view step_bytes, std::vector<variable>& to) {
        return prepare(from, how, step_bytes, to);
      },
      [&](auto& tree, const std::vector<variable>& variables) {
        return write_files(tree, directory, variables, how.mark);
      });
}

}  // namespace detail

/// Saves contents as a directory of variable files. Everything that can be checked is checked
/// before the disk is touched, and nothing that is there already is touched at all. A save that
/// fails removes what it has made; one that is killed leaves a directory without `_SUCCESS`.
/// @param directory  must not exist, or be empty; what it is in must exist
/// @errors count_mismatch, size_mismatch, no_names, invalid_name (no component of a path on every
///         system, or one with a meaning of its own; also of a slot or the counter),
///         duplicate_name, invalid_shape, unsupported_dtype (u16, u32, u64), unstorable_values,
///         counter_out_of_range,
///         already_exists, empty_path, invalid_path, not_found, permission_denied, no_space,
///         no_memory, input_output
[[nodiscard]] inline file_result<save_report> save(const path& directory, const contents_view& from,
                                                   const save_options& how = {}) {
  return detail::save_with<native>(directory, from, how);
}

}  // namespace ckpt::paddle

#endif  // CKPT_INTEROP_PADDLE_SAVE_HPP
