#ifndef CKPT_CHECKPOINT_SAVE_HPP
#define CKPT_CHECKPOINT_SAVE_HPP

#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/checkpoint/ready_layout.hpp"
#include "ckpt/codec/writer.hpp"
#include "ckpt/io/replace.hpp"

namespace ckpt {

/// How to save.
struct save_options {
  /// Wait until the checkpoint would survive a power loss. Without it a crash of the machine (not
  /// of the program) may leave either file, or an empty one.
  bool durable = true;
};

/// What a save has done.
struct save_report {
  std::uint64_t file_bytes = 0;
};

namespace detail {

template <class Native, class Format, byte_order Host, class Model, class Optimizer, class Byte>
status save_state(const path& target, const state_view<Model, Optimizer, Byte>& state,
                  const save_options& options, save_report& report) {
  using ready_type = ready_layout<Model, Optimizer, Format>;
  const auto ready = ready_type::make(state.model());
  if (!ready.ok()) return ready.error();
  if (const status checked = ready_type::check(); !checked.ok()) return checked;
  const writer<Model, Optimizer, Format, Host> write(ready->get());
  if (const status possible = write.check(state); !possible.ok()) return possible;

  auto replacement = basic_replacement<Native>::begin(target);
  if (!replacement.ok()) return replacement.error();
  const std::uint64_t file_bytes = ready->get().view().file_bytes;
  if (const status room = replacement->reserve(file_bytes); !room.ok()) return room;
  if (const status sent = write.write(state, replacement->writer()); !sent.ok()) return sent;
  if (const status done = replacement->commit(options.durable); !done.ok()) return done;
  report.file_bytes = file_bytes;
  return {};
}

template <class Native, class Format, byte_order Host = host_byte_order, class Model,
          class Optimizer, class Byte>
file_result<save_report> save_with(const path& target,
                                   const state_view<Model, Optimizer, Byte>& state,
                                   const save_options& options) {
  save_report report;
  const status saved = save_state<Native, Format, Host>(target, state, options, report);
  if (saved.ok()) return report;
  return {saved, file_message("save", target, saved, state.model())};
}

}  // namespace detail

/// Saves a state so that the name holds either what it held before or the new checkpoint, whole,
/// whatever happens meanwhile. Everything that can be checked is checked before the disk is
/// touched. The bytes go from the tensors to a temporary file beside the target, which then takes
/// its name; the mode of a file that is replaced is kept.
/// @tparam Format  onert unless said otherwise: `ckpt::save<ckpt::onert_micro>(path, state)`
/// @errors too_large, counter_out_of_range, unbound_tensor, duplicate_name, invalid_shape,
///         invalid_visits, unstorable_model,
///         empty_path, invalid_path, not_found (the directory), not_a_regular_file (the target),
///         permission_denied, no_space, no_memory, busy, input_output
template <class Format = onert, class Model, class Optimizer, class Byte>
file_result<save_report> save(const path& target, const state_view<Model, Optimizer, Byte>& state,
                              const save_options& options = {}) {
  return detail::save_with<native, Format>(target, state, options);
}

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_SAVE_HPP
