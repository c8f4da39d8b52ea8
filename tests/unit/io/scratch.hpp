#ifndef CKPT_TESTS_UNIT_IO_SCRATCH_HPP
#define CKPT_TESTS_UNIT_IO_SCRATCH_HPP

#if !defined(_WIN32)
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "ckpt/base/span.hpp"

namespace ckpt_test {

using bytes = std::vector<std::byte>;

/// Names in a directory, in order.
inline std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    found.push_back(entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

/// A directory of its own for each test, gone at its end.
class scratch {
 public:
  scratch() : scratch(std::filesystem::temp_directory_path()) {}
  explicit scratch(const std::filesystem::path& place) {
    const std::string name = (place / "ckpt-io-").string();
    std::random_device numbers;
    do root_ = name + std::to_string(numbers());
    while (!std::filesystem::create_directory(root_));
    // Children without rights come here, too.
    std::filesystem::permissions(root_, std::filesystem::perms::all);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::string at(const std::string& name) const { return root_ + "/" + name; }
  /// Names in it, in order.
  [[nodiscard]] std::vector<std::string> names() const { return names_in(root_); }

 private:
  std::string root_;
};

/// Bytes that differ from place to place.
inline bytes pattern(std::size_t size, unsigned seed = 1) {
  bytes made(size);
  std::uint32_t state = seed * 2654435761U + 1;
  for (std::byte& b : made) {
    state = state * 1664525U + 1013904223U;
    b = static_cast<std::byte>(state >> 24);
  }
  return made;
}

inline void put(const std::string& name, const bytes& content) {
  std::FILE* const file = std::fopen(name.c_str(), "wb");
  if (file == nullptr) std::abort();
  if (!content.empty() && std::fwrite(content.data(), 1, content.size(), file) != content.size())
    std::abort();
  if (std::fclose(file) != 0) std::abort();
}

inline bytes get(const std::string& name) {
  bytes content;
  std::FILE* const file = std::fopen(name.c_str(), "rb");
  if (file == nullptr) return content;
  std::byte chunk[4096];
  for (std::size_t n = 0; (n = std::fread(chunk, 1, sizeof chunk, file)) > 0;)
    content.insert(content.end(), chunk, chunk + n);
  std::fclose(file);
  return content;
}

#if !defined(_WIN32)
inline unsigned mode_of(const std::string& name) {
  struct stat facts {};
  return ::stat(name.c_str(), &facts) == 0 ? facts.st_mode & 0777U : 0;
}

/// Runs `body` in a child process and gives its exit code; -signal if a signal ended it.
template <class Body>
pid_t start_child(Body body) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  return child;
}
inline int wait_for(pid_t child) {
  int state = 0;
  while (::waitpid(child, &state, 0) < 0) {
  }
  return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
}
template <class Body>
int in_child(Body body) {
  return wait_for(start_child(body));
}

/// In a child: rights as anybody has them. False if that cannot be had.
inline bool drop_privileges() {
  if (::geteuid() != 0) return true;
  return ::setgid(65534) == 0 && ::setuid(65534) == 0;
}
#endif

inline bool within_a_second(std::chrono::steady_clock::time_point since) {
  return std::chrono::steady_clock::now() - since < std::chrono::seconds(1);
}

}  // namespace ckpt_test

#endif  // CKPT_TESTS_UNIT_IO_SCRATCH_HPP
