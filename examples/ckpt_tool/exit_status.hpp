#ifndef CKPT_TOOL_EXIT_STATUS_HPP
#define CKPT_TOOL_EXIT_STATUS_HPP

#include "ckpt/base/status.hpp"

namespace tool {

inline constexpr int exit_ok = 0;       ///< valid, done, equal
inline constexpr int exit_no = 1;       ///< not valid, refused, different
inline constexpr int exit_trouble = 2;  ///< wrong usage, or what the operating system said

/// Whether the operating system is to blame, and not what files hold.
inline bool is_from_system(const ckpt::status& error) {
  return error.kind >= ckpt::errc::empty_path && error.kind != ckpt::errc::empty_file;
}

inline int exit_code_of(const ckpt::status& error) {
  if (error.ok()) return exit_ok;
  return is_from_system(error) ? exit_trouble : exit_no;
}

}  // namespace tool

#endif  // CKPT_TOOL_EXIT_STATUS_HPP
