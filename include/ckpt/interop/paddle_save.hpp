#ifndef CKPT_INTEROP_PADDLE_SAVE_HPP
#define CKPT_INTEROP_PADDLE_SAVE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/codec/contents.hpp"
#include "ckpt/interop/paddle_names.hpp"
#include "ckpt/interop/paddle_variable.hpp"
#include "ckpt/interop/tree_writer.hpp"
#include "ckpt/interop/variables.hpp"

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
struct save_report {
  std::size_t variables = 0;  ///< weights, slots and the step
  std::uint64_t bytes = 0;    ///< of their elements
};

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
    variable counter;
    counter.name = how.step_counter;
    counter.form = ckpt::detail::step_form;
    counter.bytes = step_bytes;
    if (!ckpt::detail::is_component(counter.name)) return fail(errc::invalid_name);
    to.insert(to.begin(), std::move(counter));  // so that a tensor of this name is the one blamed
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
  if (const status settled = tree.settle(directory); !settled.ok()) return settled;
  if (mark) {
    const status marked =
        tree.write_file(directory / mark_name, [](auto&) -> status { return {}; });
    if (!marked.ok()) return marked;
    if (const status settled = tree.settle(directory); !settled.ok()) return settled;
  }
  if (const status settled = tree.settle(directory.parent()); !settled.ok()) return settled;
  tree.keep();
  return {};
}

template <class Native>
[[nodiscard]] file_result<save_report> save_with(const path& directory, const contents_view& from,
                                                 const save_options& how) {
  std::byte step_bytes[8];
  store_little(step_bytes, from.training.step);
  std::vector<variable> variables;
  const status possible = ckpt::detail::without_exceptions(
      [&] { return prepare(from, how, bytes_view(step_bytes), variables); });
  if (!possible.ok())
    return {possible, ckpt::detail::file_message("save", directory, possible, from.model)};
  ckpt::detail::tree_writer<Native> tree(how.durable);
  const status written = ckpt::detail::without_exceptions(
      [&] { return write_files(tree, directory, variables, how.mark); });
  if (!written.ok())
    return {written, ckpt::detail::file_message("write", tree.blamed(), written, from.model)};
  save_report done;
  done.variables = variables.size();
  for (const variable& each : variables) done.bytes += each.bytes.size();
  return done;
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
