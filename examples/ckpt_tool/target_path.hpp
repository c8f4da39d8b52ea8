#ifndef CKPT_TOOL_TARGET_PATH_HPP
#define CKPT_TOOL_TARGET_PATH_HPP

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "ckpt/base/status.hpp"
#include "ckpt/io/path.hpp"
#include "output.hpp"

/// Where `convert` and `extract` may write: never over what they read, and over nothing else unless
/// they are told to.
namespace tool {

inline std::filesystem::path filesystem_path(const std::string& file) {
  return std::filesystem::path(ckpt::path(file).native());
}

/// Whether two names lead to one file, through whatever links.
inline bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(filesystem_path(a), filesystem_path(b), ignored);
}

/// Whether a name lies in a directory, at any depth.
inline bool is_inside(const std::string& file, const std::string& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(filesystem_path(directory), ignored)) return false;
  const auto whole = std::filesystem::weakly_canonical(filesystem_path(file), ignored);
  const auto outer = std::filesystem::canonical(filesystem_path(directory), ignored);
  return !outer.empty() &&
         std::mismatch(outer.begin(), outer.end(), whole.begin(), whole.end()).first == outer.end();
}

/// Why a name may not be written to, and nothing if it may.
/// @param makes_directory  what is written is a directory
/// @param words            says it to a person
/// @errors invalid_path, already_exists
inline ckpt::status check_target(const std::string& out, const std::string& in, bool force,
                                 bool makes_directory, std::string& words) {
  if (is_same_file(in, out) || is_inside(out, in)) {
    words = "cannot write '" + out + "': it is what is read";
    return ckpt::fail(ckpt::errc::invalid_path);
  }
  std::error_code failed;
  const auto found = std::filesystem::symlink_status(filesystem_path(out), failed);
  if (!std::filesystem::exists(found)) return {};
  const bool is_directory = std::filesystem::is_directory(found);
  const bool is_empty =
      is_directory && std::filesystem::is_empty(filesystem_path(out), failed) && !failed;
  if (makes_directory ? is_empty : force && !is_directory) return {};
  words = "cannot write '" + out + "': it exists";
  if (!makes_directory && !is_directory) words += "; --force replaces it";
  return ckpt::fail(ckpt::errc::already_exists);
}

}  // namespace tool

#endif  // CKPT_TOOL_TARGET_PATH_HPP
