#ifndef CKPT_IO_TREE_WRITER_HPP
#define CKPT_IO_TREE_WRITER_HPP

#include <string_view>
#include <utility>
#include <vector>

#include "ckpt/base/result.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/directory.hpp"
#include "ckpt/io/gather.hpp"
#include "ckpt/io/native.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

namespace detail {

/// Fills a directory with new files. Until `finish()` says that it is complete, it removes in the
/// end all that it made, the last first; what a killed process leaves is for the reader to notice.
template <class Native>
class tree_writer {
 public:
  /// @param durable  wait until the disk has what is written
  explicit tree_writer(bool durable) noexcept : durable_(durable) {}
  tree_writer(const tree_writer&) = delete;
  tree_writer& operator=(const tree_writer&) = delete;
  ~tree_writer() {
    for (; !made_.empty(); made_.pop_back()) {
      const made_entry& last = made_.back();
      static_cast<void>(last.is_directory ? ckpt::remove_directory<Native>(last.name)
                                          : ckpt::remove_file<Native>(last.name));
    }
  }

  /// Takes a directory: makes it, or finds it empty.
  /// @errors already_exists (a file, or something is in it), and those of making and listing one
  status begin(const path& root) {
    const status made = make_directory(root);
    if (made.kind != errc::already_exists || !ckpt::is_directory<Native>(root)) return made;
    const auto names = ckpt::list_directory<Native>(root);
    if (!names.ok()) return names.error();
    return names->empty() ? status{} : fail(errc::already_exists);
  }

  /// @errors those of `create_directory()`
  status make_directory(const path& directory) {
    blamed_ = directory;
    made_.push_back({directory, true});
    const status made = ckpt::create_directory<Native>(directory);
    if (!made.ok()) made_.pop_back();
    return made;
  }

  /// Makes a file and fills it by `write(sink)`. One that is there already is left alone.
  /// @errors already_exists, not_found, permission_denied, no_space, no_memory, input_output, and
  /// those of `write`
  template <class Write>
  status write_file(const path& name, Write write) {
    blamed_ = name;
    if (const status usable = name.check(); !usable.ok()) return usable;
    made_.push_back({name, false});
    const native_result opened =
        uninterrupted<Native>([&] { return Native::create_exclusive(name.c_str(), 0666U); });
    if (!opened.ok()) {
      made_.pop_back();
      return path_failure<Native>(opened);
    }
    owned_handle<Native> made(opened);
    basic_gather_writer<Native> to(made.get());
    if (const status written = write(to); !written.ok()) return written;
    if (const status flushed = to.flush(); !flushed.ok()) return flushed;
    return seal(made);
  }

  /// Waits until the names in a directory are on the disk.
  /// @errors those of `sync_directory()`
  status settle(const path& directory) {
    blamed_ = directory;
    return durable_ ? ckpt::sync_directory<Native>(directory) : status{};
  }

  /// Makes an empty file that says that all else is there, and on the disk.
  /// @errors those of `settle()` and `write_file()`
  status mark(const path& directory, std::string_view name) {
    if (const status settled = settle(directory); !settled.ok()) return settled;
    return write_file(directory / name, [](auto&) -> status { return {}; });
  }

  /// All is there: waits until its names are on the disk, and removes nothing any more.
  /// @errors those of `settle()`
  status finish(const path& directory) {
    if (const status settled = settle(directory); !settled.ok()) return settled;
    if (const status settled = settle(directory.parent()); !settled.ok()) return settled;
    made_.clear();
    return {};
  }

  /// What the last call was about.
  [[nodiscard]] const path& blamed() const noexcept { return blamed_; }

 private:
  struct made_entry {
    path name;
    bool is_directory;
  };

  [[nodiscard]] status seal(owned_handle<Native>& made) noexcept {
    if (durable_) {
      const native_result synced = uninterrupted<Native>([&] { return Native::sync(made.get()); });
      if (!synced.ok()) return call_failure<Native>(synced);
    }
    const native_result closed = made.close();
    return closed.ok() ? status{} : call_failure<Native>(closed);
  }

  bool durable_;
  path blamed_;
  std::vector<made_entry> made_;
};

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_TREE_WRITER_HPP
