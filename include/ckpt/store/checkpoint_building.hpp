#ifndef CKPT_STORE_CHECKPOINT_BUILDING_HPP
#define CKPT_STORE_CHECKPOINT_BUILDING_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "ckpt/base/crc32c_fast.hpp"
#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/directory.hpp"
#include "ckpt/io/path.hpp"
#include "ckpt/io/tree_writer.hpp"
#include "ckpt/store/read_parts.hpp"
#include "ckpt/store/remove_checkpoint.hpp"
#include "ckpt/store/success_mark.hpp"
#include "ckpt/store/trainer_arguments.hpp"

namespace ckpt::detail {

/// Measures what goes through it: a sink before another one.
template <class Sink>
class measuring_sink {
 public:
  measuring_sink(Sink& to, marked_file& measured) noexcept : to_(to), measured_(measured) {}

  status append(bytes_view bytes) noexcept {
    measured_.checksum = crc32c_fast(bytes, measured_.checksum);
    measured_.size += bytes.size();
    return to_.append(bytes);
  }
  status flush() noexcept { return to_.flush(); }

 private:
  Sink& to_;
  marked_file& measured_;
};

/// Makes one checkpoint under its working name, and gives it its own name when it is whole and on
/// the disk. If that is not reached, all of it is removed again.
template <class Native>
class checkpoint_building {
 public:
  checkpoint_building(const path& directory, std::uint64_t serial)
      : working_(directory / working_name(serial)),
        sealed_(directory / sealed_name(serial)),
        target_(directory / checkpoint_name(serial)),
        tree_(true) {}
  checkpoint_building(const checkpoint_building&) = delete;
  checkpoint_building& operator=(const checkpoint_building&) = delete;
  ~checkpoint_building() {
    if (!is_begun_ || is_published_) return;
    // Trainers write there, too, which the tree does not know. Where memory is too short for this,
    // the tree still removes its own.
    static_cast<void>(without_exceptions([&]() -> status {
      path ignored;
      return remove_parts<Native>(working_, ignored);
    }));
  }

  /// @errors already_exists, and those of making a directory
  status begin() {
    blamed_ = working_;
    const status begun = tree_.make_directory(working_);
    is_begun_ = begun.ok();
    return begun;
  }

  /// Writes a part by `write(sink)`. The model comes first, then the arguments of the chief.
  /// @errors those of writing a file, and of `write`
  template <class Write>
  status write_part(std::string_view name, Write write) {
    marked_file made{std::string(name), 0, 0};
    blamed_ = working_ / name;
    const status written = tree_.write_file(blamed_, [&](auto& file) -> status {
      measuring_sink sink(file, made);
      return write(sink);
    });
    if (written.ok()) files_.push_back(std::move(made));
    return written;
  }
  /// @errors limit_exceeded (it could not be read again), and those of `write_part()`
  status write_text(std::string_view name, std::string_view text) {
    blamed_ = working_ / name;
    if (const status fits = check_length(text.size()); !fits.ok()) return fits;
    return write_part(name, [text](auto& sink) -> status { return sink.append(as_bytes(text)); });
  }

  /// Waits until every trainer has put its arguments there, shuts the others out, and measures
  /// what they wrote.
  /// @errors not_finished (expected and found are numbers of trainers), foreign_entry, and those of
  /// looking for a file, moving a directory and reading a file
  status collect(std::uint64_t trainer_count, std::chrono::nanoseconds timeout) {
    if (trainer_count == 1) return {};
    const status waited = wait_for_trainers(trainer_count, timeout);
    if (!waited.ok()) return waited;
    if (const status sealed = seal(); !sealed.ok()) return sealed;
    if (const status cleared = clear_left_overs(trainer_count); !cleared.ok()) return cleared;
    for (std::uint64_t trainer = 1; trainer < trainer_count; ++trainer) {
      blamed_ = working_ / trainer_name(trainer);
      auto measured = measure_file<Native>(blamed_);
      if (!measured.ok()) return measured.error();
      measured->name = trainer_name(trainer);
      files_.push_back(std::move(*measured));
    }
    return {};
  }

  /// Writes the mark and gives the checkpoint its name. After a failure of the last step, a sync of
  /// the directory, it is there all the same.
  /// @errors those of writing a file, moving and syncing a directory
  status publish() {
    const std::string text = encode_mark(files_);
    if (const status marked = write_text(mark_name, text); !marked.ok()) return marked;
    blamed_ = working_;
    if (const status settled = tree_.settle(working_); !settled.ok()) return settled;
    blamed_ = target_;
    if (const status free = check_free(); !free.ok()) return free;
    if (const status moved = move_entry<Native>(working_, target_); !moved.ok()) return moved;
    is_published_ = true;
    return tree_.finish(target_);
  }

  /// Size of the model file.
  [[nodiscard]] std::uint64_t model_bytes() const noexcept { return files_.front().size; }
  /// What the last call was about.
  [[nodiscard]] const path& blamed() const noexcept { return blamed_; }

 private:
  static constexpr auto poll_interval = std::chrono::milliseconds(2);
  static constexpr int seal_attempts = 100;

  [[nodiscard]] static bool is_there(const path& name) noexcept {
    const auto kind = entry_at<Native>(name);
    return kind.ok() && *kind == entry_kind::file;
  }

  [[nodiscard]] std::uint64_t count_arrived(std::uint64_t trainer_count) const {
    std::uint64_t arrived = 0;
    for (std::uint64_t trainer = 0; trainer < trainer_count; ++trainer)
      if (is_there(working_ / trainer_name(trainer))) ++arrived;
    return arrived;
  }

  [[nodiscard]] status wait_for_trainers(std::uint64_t trainer_count,
                                         std::chrono::nanoseconds timeout) {
    const auto end = std::chrono::steady_clock::now() + timeout;
    for (std::uint64_t trainer = 1; trainer < trainer_count; ++trainer) {
      blamed_ = working_ / trainer_name(trainer);
      for (;;) {
        const auto kind = entry_at<Native>(blamed_);
        if (kind.ok() && *kind == entry_kind::file) break;
        if (std::chrono::steady_clock::now() >= end)
          return kind.ok() ? fail(errc::not_finished, trainer_count, count_arrived(trainer_count))
                           : kind.error();
        std::this_thread::sleep_for(poll_interval);
      }
    }
    return {};
  }

  /// Gives the directory a name that no trainer knows: one that writes once more after its file was
  /// measured would break the checkpoint. Windows refuses while a file in it is still open.
  [[nodiscard]] status seal() {
    status moved;
    for (int attempt = 0; attempt < seal_attempts; ++attempt) {
      blamed_ = working_;
      moved = move_entry<Native>(working_, sealed_);
      if (moved.kind != errc::busy && moved.kind != errc::permission_denied) break;
      std::this_thread::sleep_for(poll_interval);
    }
    if (moved.ok()) working_ = sealed_;
    return moved;
  }

  /// Some systems would put the checkpoint in the place of an empty directory of somebody else.
  [[nodiscard]] status check_free() const noexcept {
    const auto kind = entry_at<Native>(target_);
    if (!kind.ok()) return kind.error();
    return *kind == entry_kind::none ? status{} : fail(errc::already_exists);
  }

  /// Removes what killed trainers left; a trainer that is not expected is a mistake to report.
  [[nodiscard]] status clear_left_overs(std::uint64_t trainer_count) {
    blamed_ = working_;
    const auto names = ckpt::list_directory<Native>(working_);
    if (!names.ok()) return names.error();
    for (const std::string& name : *names) {
      blamed_ = working_ / name;
      const auto trainer = trainer_of(name);
      const bool is_wanted = name == model_file_name || (trainer && *trainer < trainer_count);
      if (is_wanted) continue;
      if (!is_left_over_name(name)) return fail(errc::foreign_entry);
      const status removed = unless_gone(ckpt::remove_file<Native>(blamed_));
      if (!removed.ok()) return removed;
    }
    return {};
  }

  path working_;
  path sealed_;
  path target_;
  path blamed_;
  tree_writer<Native> tree_;
  std::vector<marked_file> files_;
  bool is_begun_ = false;
  bool is_published_ = false;
};

}  // namespace ckpt::detail

#endif  // CKPT_STORE_CHECKPOINT_BUILDING_HPP
