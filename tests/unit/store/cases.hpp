#ifndef CKPT_TESTS_UNIT_STORE_CASES_HPP
#define CKPT_TESTS_UNIT_STORE_CASES_HPP

#if defined(__linux__)
#include <sys/mount.h>
#endif
#if !defined(_WIN32)
#include <signal.h>
#include <unistd.h>
#endif

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ckpt/io/native.hpp"
#include "ckpt/store.hpp"
#include "sample.hpp"

/// What the tests of the cases drawn from public bug reports share.
namespace ckpt_test {

using counters = std::vector<std::uint64_t>;

/// The real system without waiting for the disk: a kill takes nothing from it, only a power cut
/// does.
struct quick_native : ckpt::native {
  using result = ckpt::detail::native_result;

  static result sync(ckpt::detail::native_handle) noexcept { return {}; }
  static result sync_directory(const ckpt::path_char*) noexcept { return {}; }
};
using quick_manager = ckpt::basic_checkpoint_manager<quick_native, small, ckpt::adam>;

/// Saves a state of each step, in this order.
template <class Manager>
void save_each(Manager& manager, const counters& steps) {
  for (const std::uint64_t step : steps) {
    const auto saved = manager.save(state_of(step));
    REQUIRE_MESSAGE(saved.ok(), saved.message());
  }
}

inline ckpt::checkpoint_directory reader_of(const std::string& directory) {
  return ckpt::checkpoint_directory::open(directory).or_throw();
}

/// Steps of all checkpoints that are whole to the last byte, the oldest first.
inline counters steps_in(const std::string& directory) {
  const auto reader = reader_of(directory);
  counters steps;
  for (const auto& entry : reader.list().or_throw())
    if (const auto checked = reader.check(entry.serial); checked.ok())
      steps.push_back(checked->step);
  return steps;
}

/// Step of the latest; -1 if there is none.
inline std::int64_t latest_step(const std::string& directory) {
  const auto found = reader_of(directory).latest();
  return found.ok() ? static_cast<std::int64_t>(found->entry.step) : -1;
}

/// All that is below a directory, with its contents, but for the lock of a manager.
inline std::map<std::string, bytes> tree_of(const std::string& directory) {
  std::map<std::string, bytes> tree;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().string();
    if (entry.path().filename() == ".ckpt-lock") continue;
    tree[name] = entry.is_regular_file() ? get(name) : bytes{};
  }
  return tree;
}

/// Names under which checkpoints are made and removed.
inline std::vector<std::string> working_names(const std::string& directory) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (ckpt::detail::working_serial_of(entry.path().filename().string()))
      found.push_back(entry.path().filename().string());
  return found;
}

#if !defined(_WIN32)
/// As if somebody had sent it: nothing runs behind it.
inline void kill_itself() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}
#endif

/// A file system with little room on it, where this user may have one.
class small_disk {
 public:
  small_disk(const std::string& name, const char* options) : name_(name) {
    std::filesystem::create_directory(name);
#if defined(__linux__)
    is_there_ = ::mount("tmpfs", name.c_str(), "tmpfs", 0, options) == 0;
#else
    static_cast<void>(options);
#endif
    if (!is_there_)
      MESSAGE("SKIP of what needs a file system of its own: this user may not mount one");
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  ~small_disk() {
#if defined(__linux__)
    if (is_there_) ::umount(name_.c_str());
#endif
  }

  [[nodiscard]] bool is_there() const {
    return is_there_;
  }
  [[nodiscard]] std::uintmax_t room() const {
    return std::filesystem::space(name_).free;
  }

 private:
  std::string name_;
  bool is_there_ = false;
};

}  // namespace ckpt_test

#endif  // CKPT_TESTS_UNIT_STORE_CASES_HPP
