#ifndef CKPT_STORE_TRAINER_MEMBER_HPP
#define CKPT_STORE_TRAINER_MEMBER_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "ckpt/base/span.hpp"
#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/io/replace.hpp"
#include "ckpt/store/checkpoint_directory.hpp"
#include "ckpt/store/names.hpp"
#include "ckpt/store/read_parts.hpp"
#include "ckpt/store/trainer_arguments.hpp"

namespace ckpt {

/// A trainer that is not the chief. The chief's manager chooses the serial of each checkpoint,
/// writes the model, and tells the serial (`manager_settings::announce`); each trainer then puts
/// its own arguments into the same checkpoint, which is whole, and visible, once all have come.
/// No trainer ever chooses a serial. All see the directory through a shared file system.
///
///     auto member = ckpt::trainer_member::open("runs/a", rank).or_throw();
///     member.write(serial_from_the_chief, arguments).or_throw();
///
/// One object is for one thread at a time.
template <class Native = native>
class basic_trainer_member {
 public:
  basic_trainer_member() = default;

  /// @param trainer  from 1 on; 0 is the chief, which has a checkpoint_manager
  /// @errors invalid_settings, empty_path, invalid_path, no_memory, input_output
  [[nodiscard]] static file_result<basic_trainer_member> open(const path& directory,
                                                              std::uint64_t trainer) {
    if (trainer == 0 || trainer > detail::max_trainer)
      return {fail(errc::invalid_settings), "trainer " + std::to_string(trainer) +
                                                " cannot be a member: 0 is the chief, which uses a "
                                                "checkpoint_manager; the others count from 1"};
    auto opened = basic_checkpoint_directory<Native>::open(directory);
    if (!opened.ok())
      return {opened.error(), detail::file_message("join", directory, opened.error(), {})};
    basic_trainer_member made;
    made.directory_ = std::move(*opened);
    made.trainer_ = trainer;
    return made;
  }

  /// Puts this trainer's arguments into the checkpoint that the chief is making; again replaces
  /// them. Their bytes are on the disk when it returns, and their name when the chief publishes.
  /// @errors not_found (this serial is not being made: not yet, no more, or given up by the chief),
  /// limit_exceeded (16 MiB), permission_denied, no_space, no_memory, busy, input_output
  file_result<trainer_arguments> write(std::uint64_t serial, const trainer_arguments& own) const {
    const path file =
        directory_.name() / detail::working_name(serial) / detail::trainer_name(trainer_);
    const status written = write_text(file, own.encode());
    if (!written.ok()) return {written, detail::file_message("write", file, written, {})};
    return own;
  }

  /// What this trainer left in a checkpoint; of a trainer that was not there then: step and epoch
  /// of the chief, and no values.
  /// @errors those of checkpoint_directory::check()
  [[nodiscard]] file_result<trainer_arguments> load(std::uint64_t serial) const {
    return directory_.load_arguments(serial, trainer_);
  }

  /// The checkpoints, to load the model from.
  [[nodiscard]] const basic_checkpoint_directory<Native>& directory() const noexcept {
    return directory_;
  }

 private:
  [[nodiscard]] static status write_text(const path& file, const std::string& text) {
    if (const status fits = detail::check_length(text.size()); !fits.ok()) return fits;
    auto replacement = basic_replacement<Native>::begin(file);
    if (!replacement.ok()) return replacement.error();
    if (const status sent = replacement->writer().append(as_bytes(text)); !sent.ok()) return sent;
    // The chief syncs the directory, and may move it as soon as the last file has its name.
    return replacement->commit_unsynced_name();
  }

  basic_checkpoint_directory<Native> directory_;
  std::uint64_t trainer_ = 0;
};

/// A trainer on this system.
using trainer_member = basic_trainer_member<>;

}  // namespace ckpt

#endif  // CKPT_STORE_TRAINER_MEMBER_HPP
