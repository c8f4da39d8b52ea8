#ifndef CKPT_BASE_ERRC_HPP
#define CKPT_BASE_ERRC_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/name.hpp"

namespace ckpt {

/// What went wrong. Values are stable: new ones are appended, none is renumbered.
enum class errc : std::uint8_t {
  ok = 0,
  // What the caller gave
  too_large = 1,             ///< the checkpoint exceeds the offsets of its format
  counter_out_of_range = 2,  ///< step or epoch exceeds the field of the format
  duplicate_name = 3,        ///< two tensors of one model share a name
  invalid_shape = 4,         ///< more than 8 dimensions, or a negative extent
  unbound_tensor = 5,        ///< a tensor that has bytes is bound to no memory
  no_such_tensor = 6,        ///< an index or a name that the model does not have
  wrong_dtype = 7,           ///< typed access with another element type
  buffer_too_small = 8,      ///< memory of the caller cannot hold what goes there
  invalid_visits = 9,        ///< the visit order names what is not stored, or leaves a tensor out
  unstorable_model = 10,     ///< the format has no way to write this model with this optimizer
  no_names = 11,             ///< matching by name, and a tensor has no name
  invalid_rules = 12,        ///< renames, filters or a plan that contradict themselves
  no_such_value = 13,        ///< the training state holds no value of this key
  wrong_value_type = 14,     ///< the value of this key has another type
  invalid_name = 15,         ///< a name is empty, too long, not UTF-8, or not allowed there
  unsupported_dtype = 16,    ///< the container has no name for this dtype
  unstorable_values = 17,    ///< the format has no room for all of the training state
  invalid_settings = 18,     ///< a setting contradicts itself; the message names it
  // What the bytes hold
  truncated = 20,            ///< the bytes end too early
  trailing_bytes = 21,       ///< bytes after the end
  not_a_checkpoint = 22,     ///< another kind of file
  unsupported_version = 23,  ///< a schema that this reader does not know
  unsupported_dialect = 24,  ///< known by name, and not readable as a checkpoint
  bad_header = 25,           ///< a header field has no meaning
  bad_section = 26,          ///< section offsets out of order or outside of the file
  offset_out_of_range = 27,  ///< a table entry points outside of its section
  bad_order = 28,            ///< table entries are not where the tensors of the model would be
  count_mismatch = 29,       ///< another number of tensors
  size_mismatch = 30,        ///< a tensor has another number of bytes
  missing_tensor = 31,       ///< a tensor of the model is not stored
  unexpected_tensor = 32,    ///< a tensor is stored that the model calls absent
  unclaimed_bytes = 33,      ///< bytes that belong to no tensor
  slot_size_mismatch = 34,   ///< a slot is neither empty nor as large as its weight
  no_optimizer_state = 35,   ///< the file has no slots, the optimizer needs them
  optimizer_mismatch = 36,   ///< the file has another number of slots
  no_footer = 37,            ///< a draft without step and epoch
  dialect_mismatch = 38,     ///< another dialect than the one asked for
  unaligned = 39,            ///< a typed view would be misaligned
  foreign_byte_order = 40,   ///< a typed view would have the wrong byte order
  bad_manifest = 41,         ///< the manifest contradicts itself or the file
  checksum_mismatch = 42,    ///< bytes are not those that were written
  bad_padding = 43,          ///< a byte between the parts is not zero
  name_mismatch = 44,        ///< the tensor has another name in the file
  dtype_mismatch = 45,       ///< the tensor has another dtype in the file
  shape_mismatch = 46,       ///< the tensor has another shape in the file
  role_mismatch = 47,        ///< the tensor is trainable here and not there
  unsupported_feature = 48,  ///< the file needs what this reader does not know
  bad_training_state = 49,   ///< the state section contradicts itself
  bad_syntax = 50,           ///< text that does not follow its grammar
  limit_exceeded = 51,       ///< larger than the container's own limits allow
  not_finished = 52,         ///< a directory without the mark that its writer sets last
  no_checkpoint = 53,        ///< the directory holds no checkpoint
  no_good_checkpoint = 54,   ///< the directory holds checkpoints, and none of them is whole
  foreign_entry = 55,        ///< a directory of ours holds what somebody else put there
  // What the operating system said
  empty_path = 60,
  invalid_path = 61,
  not_found = 62,
  permission_denied = 63,
  not_a_regular_file = 64,
  empty_file = 65,
  no_space = 66,
  no_memory = 67,
  input_output = 68,  ///< any other failure; see the OS code
  busy = 69,          ///< somebody else holds it
  already_exists = 70,
  not_a_directory = 71,
};

/// The part of a checkpoint that an error is about.
enum class section : std::uint16_t {
  none,
  header,
  weights,
  footer,
  manifest,
  padding,
  first_slot = 16
};

/// Slot number `slot` as a section.
[[nodiscard]] constexpr section slot_section(std::size_t slot) noexcept {
  return static_cast<section>(static_cast<std::size_t>(section::first_slot) + slot);
}

/// Section number `index` of a file: 0 holds the weights, 1 + s holds slot s.
[[nodiscard]] constexpr section numbered_section(std::size_t index) noexcept {
  return index == 0 ? section::weights : slot_section(index - 1);
}

/// The failure is about no single tensor.
inline constexpr std::uint32_t no_tensor = 0xFFFFFFFFU;
/// The failure is about no single byte; a file has no such section.
inline constexpr std::uint64_t no_offset = ~std::uint64_t{0};

namespace detail {

struct errc_name {
  errc kind;
  name_view name;
};

inline constexpr errc_name errc_names[] = {{errc::ok, "ok"},
                                           {errc::too_large, "too_large"},
                                           {errc::counter_out_of_range, "counter_out_of_range"},
                                           {errc::duplicate_name, "duplicate_name"},
                                           {errc::invalid_shape, "invalid_shape"},
                                           {errc::unbound_tensor, "unbound_tensor"},
                                           {errc::no_such_tensor, "no_such_tensor"},
                                           {errc::wrong_dtype, "wrong_dtype"},
                                           {errc::buffer_too_small, "buffer_too_small"},
                                           {errc::invalid_visits, "invalid_visits"},
                                           {errc::unstorable_model, "unstorable_model"},
                                           {errc::no_names, "no_names"},
                                           {errc::invalid_rules, "invalid_rules"},
                                           {errc::no_such_value, "no_such_value"},
                                           {errc::wrong_value_type, "wrong_value_type"},
                                           {errc::invalid_name, "invalid_name"},
                                           {errc::unsupported_dtype, "unsupported_dtype"},
                                           {errc::unstorable_values, "unstorable_values"},
                                           {errc::invalid_settings, "invalid_settings"},
                                           {errc::truncated, "truncated"},
                                           {errc::trailing_bytes, "trailing_bytes"},
                                           {errc::not_a_checkpoint, "not_a_checkpoint"},
                                           {errc::unsupported_version, "unsupported_version"},
                                           {errc::unsupported_dialect, "unsupported_dialect"},
                                           {errc::bad_header, "bad_header"},
                                           {errc::bad_section, "bad_section"},
                                           {errc::offset_out_of_range, "offset_out_of_range"},
                                           {errc::bad_order, "bad_order"},
                                           {errc::count_mismatch, "count_mismatch"},
                                           {errc::size_mismatch, "size_mismatch"},
                                           {errc::missing_tensor, "missing_tensor"},
                                           {errc::unexpected_tensor, "unexpected_tensor"},
                                           {errc::unclaimed_bytes, "unclaimed_bytes"},
                                           {errc::slot_size_mismatch, "slot_size_mismatch"},
                                           {errc::no_optimizer_state, "no_optimizer_state"},
                                           {errc::optimizer_mismatch, "optimizer_mismatch"},
                                           {errc::no_footer, "no_footer"},
                                           {errc::dialect_mismatch, "dialect_mismatch"},
                                           {errc::unaligned, "unaligned"},
                                           {errc::foreign_byte_order, "foreign_byte_order"},
                                           {errc::bad_manifest, "bad_manifest"},
                                           {errc::checksum_mismatch, "checksum_mismatch"},
                                           {errc::bad_padding, "bad_padding"},
                                           {errc::name_mismatch, "name_mismatch"},
                                           {errc::dtype_mismatch, "dtype_mismatch"},
                                           {errc::shape_mismatch, "shape_mismatch"},
                                           {errc::role_mismatch, "role_mismatch"},
                                           {errc::unsupported_feature, "unsupported_feature"},
                                           {errc::bad_training_state, "bad_training_state"},
                                           {errc::bad_syntax, "bad_syntax"},
                                           {errc::limit_exceeded, "limit_exceeded"},
                                           {errc::not_finished, "not_finished"},
                                           {errc::no_checkpoint, "no_checkpoint"},
                                           {errc::no_good_checkpoint, "no_good_checkpoint"},
                                           {errc::foreign_entry, "foreign_entry"},
                                           {errc::empty_path, "empty_path"},
                                           {errc::invalid_path, "invalid_path"},
                                           {errc::not_found, "not_found"},
                                           {errc::permission_denied, "permission_denied"},
                                           {errc::not_a_regular_file, "not_a_regular_file"},
                                           {errc::empty_file, "empty_file"},
                                           {errc::no_space, "no_space"},
                                           {errc::no_memory, "no_memory"},
                                           {errc::input_output, "input_output"},
                                           {errc::busy, "busy"},
                                           {errc::already_exists, "already_exists"},
                                           {errc::not_a_directory, "not_a_directory"}};

}  // namespace detail

/// The name of a kind as programs see it: the enumerator.
[[nodiscard]] constexpr name_view name(errc kind) noexcept {
  for (const detail::errc_name& known : detail::errc_names)
    if (known.kind == kind) return known.name;
  return "unknown";
}

}  // namespace ckpt

#endif  // CKPT_BASE_ERRC_HPP
