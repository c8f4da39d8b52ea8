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
  invalid_model = 4,         ///< a shape, dtype, role or visit order makes no sense
  unbound_tensor = 5,        ///< a tensor that has bytes is bound to no memory
  no_such_tensor = 6,        ///< an index or a name that the model does not have
  wrong_dtype = 7,           ///< typed access with another element type
  buffer_too_small = 8,      ///< memory of the caller cannot hold what goes there
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
};

/// The part of a checkpoint that an error is about.
enum class section : std::uint8_t {
  none,
  header,
  weights,
  footer,
  first_slot = 16
};

/// Slot number `slot` as a section.
[[nodiscard]] constexpr section slot_section(std::size_t slot) noexcept {
  return static_cast<section>(static_cast<std::size_t>(section::first_slot) + slot);
}

inline constexpr std::uint32_t no_tensor = 0xFFFFFFFFU;
inline constexpr std::uint64_t no_offset = ~std::uint64_t{0};

/// The name of a kind as programs see it: the enumerator.
[[nodiscard]] constexpr name_view name(errc kind) noexcept {
  switch (kind) {
    case errc::ok: return "ok";
    case errc::too_large: return "too_large";
    case errc::counter_out_of_range: return "counter_out_of_range";
    case errc::duplicate_name: return "duplicate_name";
    case errc::invalid_model: return "invalid_model";
    case errc::unbound_tensor: return "unbound_tensor";
    case errc::no_such_tensor: return "no_such_tensor";
    case errc::wrong_dtype: return "wrong_dtype";
    case errc::buffer_too_small: return "buffer_too_small";
    case errc::truncated: return "truncated";
    case errc::trailing_bytes: return "trailing_bytes";
    case errc::not_a_checkpoint: return "not_a_checkpoint";
    case errc::unsupported_version: return "unsupported_version";
    case errc::unsupported_dialect: return "unsupported_dialect";
    case errc::bad_header: return "bad_header";
    case errc::bad_section: return "bad_section";
    case errc::offset_out_of_range: return "offset_out_of_range";
    case errc::bad_order: return "bad_order";
    case errc::count_mismatch: return "count_mismatch";
    case errc::size_mismatch: return "size_mismatch";
    case errc::missing_tensor: return "missing_tensor";
    case errc::unexpected_tensor: return "unexpected_tensor";
    case errc::unclaimed_bytes: return "unclaimed_bytes";
    case errc::slot_size_mismatch: return "slot_size_mismatch";
    case errc::no_optimizer_state: return "no_optimizer_state";
    case errc::optimizer_mismatch: return "optimizer_mismatch";
    case errc::no_footer: return "no_footer";
    case errc::dialect_mismatch: return "dialect_mismatch";
    case errc::unaligned: return "unaligned";
    case errc::foreign_byte_order: return "foreign_byte_order";
    case errc::empty_path: return "empty_path";
    case errc::invalid_path: return "invalid_path";
    case errc::not_found: return "not_found";
    case errc::permission_denied: return "permission_denied";
    case errc::not_a_regular_file: return "not_a_regular_file";
    case errc::empty_file: return "empty_file";
    case errc::no_space: return "no_space";
    case errc::no_memory: return "no_memory";
    case errc::input_output: return "input_output";
    case errc::busy: return "busy";
    case errc::already_exists: return "already_exists";
  }
  return "unknown";
}

}  // namespace ckpt

#endif  // CKPT_BASE_ERRC_HPP
