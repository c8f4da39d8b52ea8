#ifndef CKPT_CHECKPOINT_SAVE_HPP
#define CKPT_CHECKPOINT_SAVE_HPP

#include <cstdint>

#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/checkpoint/prepared_save.hpp"
#include "ckpt/checkpoint/progress.hpp"
#include "ckpt/io/replace.hpp"

namespace ckpt {

/// How to save.
struct save_options {
  /// Wait until the checkpoint would survive a power loss. Without it a crash of the machine (not
  /// of the program) may leave either file, or an empty one.
  bool durable = true;
  /// Who is told how far the save is; by default nobody. `save()` of ckpt's own formats calls it.
  progress_callback progress{};
};

/// What a save has done.
struct save_report {
  std::uint64_t file_bytes = 0;
};

namespace detail {

template <class Native, class Format, byte_order Host, class Model, class Optimizer, class Byte>
status save_state(const path& target, const state_view<Model, Optimizer, Byte>& state,
                  const save_options& options, save_report& report) {
  const auto prepared = prepare_save<Format, Host>(state);
  if (!prepared.ok()) return prepared.error();
  auto replacement = basic_replacement<Native>::begin(target);
  if (!replacement.ok()) return replacement.error();
  const std::uint64_t file_bytes = prepared->file_bytes();
  if (const status room = replacement->reserve(file_bytes); !room.ok()) return room;
  const status sent = prepared->write(replacement->writer(), options.progress);
  if (!sent.ok()) return sent;
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
/// @errors too_large, counter_out_of_range, unbound_tensor, duplicate_name, invalid_name,
///         invalid_shape, invalid_visits, unstorable_model, unstorable_values,
///         empty_path, invalid_path, not_found (the directory), not_a_regular_file (the target),
///         permission_denied, no_space, no_memory, busy, input_output
template <class Format = onert, class Model, class Optimizer, class Byte>
file_result<save_report> save(const path& target, const state_view<Model, Optimizer, Byte>& state,
                              const save_options& options = {}) {
  return detail::save_with<native, Format>(target, state, options);
}

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_SAVE_HPP
