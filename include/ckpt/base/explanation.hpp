#ifndef CKPT_BASE_EXPLANATION_HPP
#define CKPT_BASE_EXPLANATION_HPP

#include <cstdint>

#include "ckpt/base/errc.hpp"
#include "ckpt/base/name.hpp"

namespace ckpt {

namespace detail {

/// Whether `expected` and `found` say something for this kind, and in which unit.
enum class figures : std::uint8_t {
  none,
  bytes,
  tensors,
  slots,
  offsets,
  plain
};

struct explanation {
  name_view what;
  figures unit = figures::none;
  name_view advice = {};
};

constexpr explanation explain_identity_call(errc kind) noexcept {
  switch (kind) {
    case errc::no_names:
      return {"a tensor has no name, so it cannot be matched by name", figures::none,
              "name the tensors in the model, or load by position"};
    case errc::invalid_rules:
      return {"the rules given contradict each other, or name what is not there"};
    case errc::no_such_value: return {"the training state holds no value of this key"};
    case errc::wrong_value_type: return {"the value of this key has another type"};
    case errc::invalid_name: return {"a name is empty, too long, not UTF-8, or not allowed there"};
    case errc::unstorable_values:
      return {"the format has no room for all of the training state", figures::bytes,
              "use ckpt::v2, or clear what need not be saved"};
    case errc::unsupported_dtype: return {"there is no such dtype here"};
    case errc::invalid_settings: return {"a setting is out of its range"};
    default: return {};
  }
}

constexpr explanation explain_call(errc kind) noexcept {
  switch (kind) {
    case errc::ok: return {"no error"};
    case errc::too_large:
      return {"the checkpoint is larger than its format can address (format limit 4 GiB)",
              figures::bytes, "save fewer tensors into one file"};
    case errc::counter_out_of_range:
      return {"step or epoch does not fit the field of the format", figures::plain};
    case errc::duplicate_name: return {"two tensors of the model have the same name"};
    case errc::invalid_shape: return {"a shape has more than 8 dimensions, or a negative extent"};
    case errc::invalid_visits:
      return {"the visit order names a tensor that is not stored, or leaves one out"};
    case errc::unstorable_model:
      return {"the format cannot store this model with this optimizer", figures::none,
              "onert-micro: slots for every stored tensor, and a tensor that is absent"};
    case errc::unbound_tensor:
      return {"the tensor is bound to no memory", figures::bytes, "bind it before this call"};
    case errc::no_such_tensor: return {"the model has no such tensor", figures::tensors};
    case errc::wrong_dtype: return {"the tensor has another dtype", figures::plain};
    case errc::buffer_too_small: return {"the memory given has the wrong size", figures::bytes};
    default: return explain_identity_call(kind);
  }
}

constexpr explanation explain_structure(errc kind) noexcept {
  switch (kind) {
    case errc::truncated:
      return {"the file is truncated", figures::bytes, "it was cut, or a number in it is damaged"};
    case errc::trailing_bytes: return {"bytes follow the end of the checkpoint", figures::bytes};
    case errc::not_a_checkpoint:
      return {"not a checkpoint: the first two bytes are not the magic number", figures::plain};
    case errc::unsupported_version: return {"unsupported version of the schema", figures::plain};
    case errc::unsupported_dialect:
      return {"a weights-only file of onert-micro (WOF), not a checkpoint"};
    case errc::bad_header: return {"a header field is damaged", figures::plain};
    case errc::bad_section: return {"a section offset is damaged", figures::offsets};
    case errc::offset_out_of_range:
      return {"a table entry points outside of its section", figures::offsets};
    case errc::bad_order:
      return {"a table entry is not where its tensor must be", figures::offsets};
    case errc::unclaimed_bytes: return {"bytes belong to no tensor", figures::bytes};
    case errc::no_footer:
      return {"a draft without step and epoch; nothing in it proves that it is whole",
              figures::none, "ask for the weights only if that is enough"};
    default: return {};
  }
}

constexpr explanation explain_identity(errc kind) noexcept {
  switch (kind) {
    case errc::name_mismatch:
      return {"the tensor has another name in the file", figures::none,
              "load by name if the order has changed"};
    case errc::dtype_mismatch: return {"the tensor has another dtype in the file"};
    case errc::shape_mismatch: return {"the tensor has another shape in the file", figures::plain};
    case errc::role_mismatch: return {"the tensor is trainable on one side and not on the other"};
    default: return {};
  }
}

constexpr explanation explain_integrity(errc kind) noexcept {
  switch (kind) {
    case errc::bad_manifest: return {"the manifest is damaged", figures::plain};
    case errc::checksum_mismatch:
      return {"a checksum does not match: bytes have changed since they were written",
              figures::plain, "fall back to an older checkpoint"};
    case errc::bad_padding: return {"a padding byte is not zero", figures::plain};
    case errc::unsupported_feature:
      return {"the file needs a feature that this version does not know", figures::plain,
              "update ckpt"};
    case errc::bad_training_state: return {"the state section is damaged", figures::plain};
    case errc::bad_syntax: return {"the text does not follow its grammar"};
    case errc::limit_exceeded: return {"larger than allowed", figures::plain};
    case errc::not_finished: return {"the mark that the writer sets last is missing"};
    default: return {};
  }
}

constexpr explanation explain_store(errc kind) noexcept {
  switch (kind) {
    case errc::no_checkpoint: return {"there is no checkpoint in the directory"};
    case errc::no_good_checkpoint:
      return {"there are checkpoints in the directory, and none of them is whole", figures::none,
              "repair one or take another directory; nothing was removed"};
    case errc::foreign_entry:
      return {"it holds something that is not part of a checkpoint", figures::none,
              "take it away first"};
    default: return {};
  }
}

constexpr explanation explain_match(errc kind) noexcept {
  switch (kind) {
    case errc::count_mismatch:
      return {"the file holds another number of tensors than the model", figures::tensors};
    case errc::size_mismatch: return {"the tensor has another size in the file", figures::bytes};
    case errc::missing_tensor: return {"the tensor is not stored in the file"};
    case errc::unexpected_tensor:
      return {"a tensor is stored that the model does not have, or calls absent"};
    case errc::slot_size_mismatch:
      return {"a slot is neither empty nor as large as its weight", figures::bytes,
              "allow other slot sizes if the optimizer has such slots"};
    case errc::no_optimizer_state:
      return {"the file has no optimizer state", figures::slots,
              "choose weights_only or cold_slots to go on without"};
    case errc::optimizer_mismatch:
      return {"the file was written by another optimizer", figures::slots,
              "choose weights_only or cold_slots to leave its slots aside"};
    case errc::dialect_mismatch: return {"the file has another dialect than the one asked for"};
    case errc::unaligned:
      return {"a typed view would be misaligned", figures::bytes, "copy the tensor instead"};
    case errc::foreign_byte_order:
      return {"a typed view needs a little-endian host", figures::none, "copy the tensor instead"};
    default: return explain_identity(kind);
  }
}

constexpr explanation explain_system(errc kind) noexcept {
  switch (kind) {
    case errc::empty_path: return {"the path is empty"};
    case errc::invalid_path: return {"the path is not valid"};
    case errc::not_found: return {"not found"};
    case errc::permission_denied: return {"permission denied"};
    case errc::not_a_regular_file: return {"not a regular file"};
    case errc::empty_file: return {"the file is empty", figures::bytes};
    case errc::no_space: return {"no space left on the device"};
    case errc::no_memory: return {"out of memory", figures::bytes};
    case errc::input_output: return {"the operating system reports a failure"};
    case errc::busy: return {"somebody else is using it"};
    case errc::already_exists: return {"it exists already"};
    case errc::not_a_directory: return {"not a directory"};
    default: return {"unknown error"};
  }
}

constexpr explanation explain(errc kind) noexcept {
  if (const explanation said = explain_call(kind); !said.what.empty()) return said;
  if (const explanation said = explain_structure(kind); !said.what.empty()) return said;
  if (const explanation said = explain_match(kind); !said.what.empty()) return said;
  if (const explanation said = explain_integrity(kind); !said.what.empty()) return said;
  if (const explanation said = explain_store(kind); !said.what.empty()) return said;
  return explain_system(kind);
}

constexpr name_view unit_of(figures unit) noexcept {
  switch (unit) {
    case figures::bytes: return " bytes";
    case figures::tensors: return " tensors";
    case figures::slots: return " slots";
    default: return "";
  }
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_BASE_EXPLANATION_HPP
