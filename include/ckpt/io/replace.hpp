#ifndef CKPT_IO_REPLACE_HPP
#define CKPT_IO_REPLACE_HPP

#include <cstdint>
#include <utility>

#include "ckpt/base/result.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/detail/native_types.hpp"
#include "ckpt/io/detail/temporary.hpp"
#include "ckpt/io/gather.hpp"
#include "ckpt/io/native.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

/// Writes a file under another name in the same directory and gives it its own name in one step,
/// so that whatever happens the name leads to the old file or to the new one, whole. Unless it is
/// committed, nothing is left of it.
template <class Native = native>
class basic_replacement {
 public:
  basic_replacement() noexcept = default;
  basic_replacement(basic_replacement&&) noexcept = default;
  basic_replacement& operator=(basic_replacement&& other) noexcept {
    if (this == &other) return *this;
    target_ = std::move(other.target_);
    directory_ = std::move(other.directory_);
    temporary_ = std::move(other.temporary_);
    writer_ = std::move(other.writer_);
    return *this;
  }

  /// Makes the file that will be `target`: with the mode of the file that is there now, or else as
  /// the umask says. A symbolic link is replaced, not what it leads to.
  /// @errors empty_path, invalid_path, not_found (no such directory), permission_denied,
  /// not_a_regular_file, no_space, no_memory, busy, input_output
  [[nodiscard]] static result<basic_replacement> begin(const path& target) noexcept {
    return detail::without_exceptions(
        [&]() -> result<basic_replacement> { return begin_unguarded(target); });
  }

  /// The sink to write to. Stays with this object: fetch it again after a move.
  [[nodiscard]] basic_gather_writer<Native>& writer() noexcept { return writer_; }

  /// Sets disk space aside for a file of this size, where the system can. A hint: only a full disk
  /// is a failure.
  /// @errors no_space
  status reserve(std::uint64_t bytes) noexcept {
    const auto done =
        detail::uninterrupted<Native>([&] { return Native::reserve(temporary_.handle(), bytes); });
    const status outcome = detail::call_failure<Native>(done);
    return outcome.kind == errc::no_space ? outcome : status{};
  }

  /// Gives the file its name. If `durable`, it then survives a loss of power. If it fails, the
  /// target is as it was, but for a failing sync of the directory: that is an input_output with
  /// the new file in place.
  /// @errors not_found (not begun, or committed before), no_space, permission_denied,
  /// not_a_regular_file, busy, input_output
  status commit(bool durable) noexcept {
    const status outcome = give_name(durable);
    if (!outcome.ok() || !durable) return outcome;
    const auto synced =
        detail::uninterrupted<Native>([&] { return Native::sync_directory(directory_.c_str()); });
    if (synced.ok() || Native::is_unsupported(synced.error)) return {};
    return detail::os_failure(errc::input_output, synced.error);
  }

  /// The same where somebody else syncs the directory, or moves it as soon as the name is there:
  /// the bytes are on the disk, the name is not yet.
  /// @errors those of commit(), after which the target is as it was
  status commit_unsynced_name() noexcept { return give_name(true); }

 private:
  [[nodiscard]] static result<basic_replacement> begin_unguarded(const path& target) {
    if (const status usable = target.check(); !usable) return usable;
    detail::file_facts old;
    const auto described =
        detail::uninterrupted<Native>([&] { return Native::describe_path(target.c_str(), old); });
    const bool exists = described.ok();
    if (!exists && Native::path_error_kind(described.error) != errc::not_found)
      return detail::path_failure<Native>(described);
    if (exists && old.kind != detail::file_kind::regular) return fail(errc::not_a_regular_file);
    if (target.name().empty()) return fail(errc::invalid_path);
    basic_replacement made;
    made.target_ = target;
    made.directory_ = target.parent();
    // A private file is not even for a moment open to others.
    if (const status created = made.temporary_.create(target, exists ? 0600U : 0666U); !created)
      return created;
    if (exists) {
      if (const status kept = made.keep_mode(old.mode); !kept) return kept;
    }
    made.writer_ = basic_gather_writer<Native>(made.temporary_.handle());
    return made;
  }

  [[nodiscard]] status keep_mode(std::uint32_t mode) noexcept {
    detail::file_facts facts;
    const auto described =
        detail::uninterrupted<Native>([&] { return Native::describe(temporary_.handle(), facts); });
    if (!described.ok()) return detail::call_failure<Native>(described);
    if (facts.mode == mode) return {};  // also where modes cannot be set, as on FAT
    const auto done =
        detail::uninterrupted<Native>([&] { return Native::set_mode(temporary_.handle(), mode); });
    return done.ok() ? status{} : detail::call_failure<Native>(done);
  }

  [[nodiscard]] status give_name(bool durable) noexcept {
    if (temporary_.handle() == detail::no_handle) return fail(errc::not_found);
    status outcome = seal(durable);
    if (outcome.ok()) outcome = temporary_.rename_to(target_);
    temporary_.discard();
    return outcome;
  }

  /// Everything that must be on the disk before the name is.
  [[nodiscard]] status seal(bool durable) noexcept {
    if (const status written = writer_.flush(); !written) return written;
    if (durable) {
      const auto synced =
          detail::uninterrupted<Native>([&] { return Native::sync(temporary_.handle()); });
      if (!synced.ok()) return detail::call_failure<Native>(synced);
    }
    return temporary_.close();
  }

  path target_;
  path directory_;
  detail::temporary<Native> temporary_;
  basic_gather_writer<Native> writer_;
};

/// A replacement of this system.
using native_replacement = basic_replacement<>;

}  // namespace ckpt

#endif  // CKPT_IO_REPLACE_HPP
