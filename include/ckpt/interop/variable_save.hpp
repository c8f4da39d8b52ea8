#ifndef CKPT_INTEROP_VARIABLE_SAVE_HPP
#define CKPT_INTEROP_VARIABLE_SAVE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ckpt/base/byte_order.hpp"
#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/codec/contents.hpp"
#include "ckpt/interop/variables.hpp"
#include "ckpt/io/tree_writer.hpp"

namespace ckpt::detail {

/// What a save into a directory of variables has done.
struct variables_report {
  std::size_t variables = 0;  ///< weights, slots and the step
  std::uint64_t bytes = 0;    ///< of their elements
};

/// Saves contents as a directory of variables, all of them checked before the disk is touched.
/// @param prepare  `status(bytes_view step_bytes, std::vector<variable>&)`: lists and checks them
/// @param write_all  `status(tree_writer<Native>&, const std::vector<variable>&)`
template <class Native, class Prepare, class WriteAll>
[[nodiscard]] file_result<variables_report> save_variables(const path& directory,
                                                           const contents_view& from, bool durable,
                                                           const Prepare& prepare,
                                                           const WriteAll& write_all) {
  std::byte step_bytes[8];
  store_little(step_bytes, from.training.step);
  std::vector<variable> variables;
  const status possible =
      without_exceptions([&] { return prepare(bytes_view(step_bytes), variables); });
  if (!possible.ok()) return {possible, file_message("save", directory, possible, from.model)};
  tree_writer<Native> tree(durable);
  const status written = without_exceptions([&] { return write_all(tree, variables); });
  if (!written.ok()) return {written, file_message("write", tree.blamed(), written, from.model)};
  variables_report done;
  done.variables = variables.size();
  for (const variable& each : variables) done.bytes += each.bytes.size();
  return done;
}

}  // namespace ckpt::detail

#endif  // CKPT_INTEROP_VARIABLE_SAVE_HPP
