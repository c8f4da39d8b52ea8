#ifndef CKPT_EXAMPLES_TRAINER_DEMO_FILES_HPP
#define CKPT_EXAMPLES_TRAINER_DEMO_FILES_HPP

// Where the demo leaves its files, and what is in them.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "settings.hpp"

namespace trainer {

/// A directory of its own below the temporary one, gone at the end.
class temporary_directory {
 public:
  temporary_directory() {
    const auto seed = std::chrono::steady_clock::now().time_since_epoch().count();
    for (int i = 0; i < 100; ++i) {
      path_ = fs::temp_directory_path() / ("ckpt-train-" + std::to_string(seed + i));
      if (fs::create_directory(path_)) return;
    }
    stop("no temporary directory can be made in " + fs::temp_directory_path().string());
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;
  ~temporary_directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

inline std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) stop(file.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_DEMO_FILES_HPP
