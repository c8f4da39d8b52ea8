#ifndef CKPT_INTEROP_NPY_DIRECTORY_HPP
#define CKPT_INTEROP_NPY_DIRECTORY_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt/codec/contents.hpp"
#include "ckpt/interop/component_name.hpp"
#include "ckpt/interop/duplicate.hpp"
#include "ckpt/interop/npy.hpp"
#include "ckpt/io/tree_writer.hpp"

/// The weights of a checkpoint as a directory of .npy files.
namespace ckpt::npy {

namespace detail {

[[nodiscard]] inline std::string file_name(const tensor_spec& tensor) {
  return std::string(tensor.name()) + ".npy";
}

/// Everything that can be wrong before the disk is touched.
/// @errors those of npy::save_all()
[[nodiscard]] inline status check_all(const contents_view& given) {
  if (const status sizes = given.check(); !sizes.ok()) return sizes;
  std::vector<std::string> names;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < given.model.size(); ++i) {
    const tensor_spec& tensor = given.model[i];
    if (tensor.purpose() == role::absent) continue;
    if (tensor.name().empty()) return fail(errc::no_names).about(i);
    names.push_back(file_name(tensor));
    if (!ckpt::detail::is_component(names.back())) return fail(errc::invalid_name).about(i);
    for (char& c : names.back()) c = ckpt::detail::upper_letter(c);
    const status sound = check(tensor.form(), given.bytes(0, i));
    if (!sound.ok()) return sound.about(i);
    indices.push_back(i);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::size_t again = ckpt::detail::find_duplicate(views);
  if (again == ckpt::detail::no_duplicate) return {};
  return fail(errc::duplicate_name).about(indices[again]);
}

template <class Native>
status write_all(ckpt::detail::tree_writer<Native>& tree, const path& place,
                 const contents_view& given, save_report& done) {
  if (const status begun = tree.begin(place); !begun.ok()) return begun;
  for (std::size_t i = 0; i < given.model.size(); ++i) {
    const tensor_spec& tensor = given.model[i];
    if (tensor.purpose() == role::absent) continue;
    const status written = tree.write_file(place / file_name(tensor), [&](auto& receiver) {
      const status sent = send(tensor.form(), given.bytes(0, i), receiver);
      done.file_bytes += receiver.position();
      return sent;
    });
    if (!written.ok()) return written.about(i);
  }
  return tree.finish(place);
}

template <class Native>
file_result<save_report> save_all_with(const path& place, const contents_view& given,
                                       const save_options& how) {
  const status possible = check_all(given);
  if (!possible.ok())
    return {possible, ckpt::detail::file_message("save", place, possible, given.model)};
  save_report done;
  ckpt::detail::tree_writer<Native> tree(how.durable);
  const status written = write_all(tree, place, given, done);
  if (written.ok()) return done;
  return {written, ckpt::detail::file_message("write", tree.blamed(), written, given.model)};
}

}  // namespace detail

/// Saves each weight that is stored as `<name>.npy` in a directory that must be empty, or is made.
/// Everything that can be checked is checked before the disk is touched. A save that fails removes
/// what it has made; one that is killed leaves a part.
/// @param directory  must not exist, or be empty; what it is in must exist
/// @errors no_names, invalid_name (no component of a path on every system), duplicate_name (also:
/// names that differ only in the case of ASCII letters), count_mismatch, size_mismatch,
/// invalid_shape, limit_exceeded, already_exists, empty_path, invalid_path, not_found,
/// permission_denied, no_space, no_memory, input_output
[[nodiscard]] inline file_result<save_report> save_all(const path& directory,
                                                       const contents_view& given,
                                                       const save_options& options = {}) {
  return detail::save_all_with<native>(directory, given, options);
}

}  // namespace ckpt::npy

#endif  // CKPT_INTEROP_NPY_DIRECTORY_HPP
