#ifndef CKPT_INTEROP_ONEFLOW_SAVE_HPP
#define CKPT_INTEROP_ONEFLOW_SAVE_HPP

#include <string>
#include <utility>
#include <vector>

#include "ckpt/codec/contents.hpp"
#include "ckpt/interop/oneflow_meta.hpp"
#include "ckpt/interop/oneflow_names.hpp"
#include "ckpt/interop/variable_save.hpp"

namespace ckpt::oneflow {

/// How to save.
struct save_options {
  /// Whose step it is. Empty: the step is not stored.
  std::string job = "train_job";
  /// Wait until the tree would survive a power loss.
  bool durable = true;
  /// Leave out, on purpose, what has no place in the tree: all but the step, and values.
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
    const status held = ckpt::detail::check_training(from, !how.job.empty());
    if (!held.ok()) return held;
  }
  if (const status listed = ckpt::detail::list_variables(from, suffix_of, to); !listed.ok())
    return listed;
  for (const variable& each : to) {
    if (data_type_name(each.form.type()).empty())
      return ckpt::detail::about(fail(errc::unsupported_dtype), each);
    if (each.name == mark_name || each.name == data_name)
      return ckpt::detail::about(fail(errc::invalid_name), each);
  }
  if (!how.job.empty()) {
    const status put = ckpt::detail::put_step(std::string(step_prefix) + how.job, step_bytes, to);
    if (!put.ok()) return put;
  }
  return ckpt::detail::check_distinct(to);
}

template <class Native>
[[nodiscard]] status write_variable(ckpt::detail::tree_writer<Native>& tree, const path& directory,
                                    const variable& each) {
  if (const status made = tree.make_directory(directory); !made.ok()) return made;
  const status filled = tree.write_file(directory / data_name,
                                        [&](auto& to) -> status { return to.append(each.bytes); });
  if (!filled.ok()) return filled;
  const std::string meta = meta_text(each.form);
  const status described = tree.write_file(directory / meta_name, [&](auto& to) -> status {
    return to.append(as_bytes(span<const char>(meta.data(), meta.size())));
  });
  return described.ok() ? tree.settle(directory) : described;
}

template <class Native>
[[nodiscard]] status write_tree(ckpt::detail::tree_writer<Native>& tree, const path& directory,
                                const std::vector<variable>& variables) {
  if (const status begun = tree.begin(directory); !begun.ok()) return begun;
  for (const variable& each : variables) {
    const status written = write_variable(tree, directory / each.name, each);
    if (!written.ok()) return written;
  }
  const status marked = tree.mark(directory, mark_name);
  return marked.ok() ? tree.finish(directory) : marked;
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
        return write_tree(tree, directory, variables);
      });
}

}  // namespace detail

/// Saves contents as a tree of OneFlow. Everything that can be checked is checked before the disk
/// is touched, nothing that is there already is touched at all, and `snapshot_done` is made when
/// all else is on the disk. A save that fails removes what it has made; one that is killed leaves a
/// tree without `snapshot_done`.
/// @param directory  must not exist, or be empty; what it is in must exist
/// @errors count_mismatch, size_mismatch, no_names, invalid_name (no component of a path on every
///         system, or one that OneFlow needs itself; also of a slot or the job), duplicate_name,
///         invalid_shape, unsupported_dtype, unstorable_values, counter_out_of_range,
///         already_exists, empty_path, invalid_path, not_found, permission_denied, no_space,
///         no_memory, input_output
[[nodiscard]] inline file_result<save_report> save(const path& directory, const contents_view& from,
                                                   const save_options& how = {}) {
  return detail::save_with<native>(directory, from, how);
}

}  // namespace ckpt::oneflow

#endif  // CKPT_INTEROP_ONEFLOW_SAVE_HPP
