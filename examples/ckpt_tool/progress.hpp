#ifndef CKPT_TOOL_PROGRESS_HPP
#define CKPT_TOOL_PROGRESS_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "output.hpp"
#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

namespace tool {

/// Whether somebody reads the complaints at a terminal.
inline bool has_terminal() {
#if defined(_WIN32)
  return _isatty(2) != 0;
#else
  return isatty(2) == 1;
#endif
}

/// A line that says how far long work is. Without a terminal, and for short work, there is none.
class progress {
 public:
  progress() = default;
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }

  /// @param what   "writing 'b.ckpt'"
  /// @param total  bytes that the work will be done with; 0: nobody knows
  void begin(std::string what, std::uint64_t total) {
    clear();
    what_ = std::move(what);
    total_ = total;
    done_ = 0;
    began_ = std::chrono::steady_clock::now();
    if (total_ >= large) show();
  }

  /// Says what is done to so many bytes, if they are many, where nobody can tell how far it is.
  void announce(std::string what, std::uint64_t bytes) {
    begin(std::move(what), 0);
    if (bytes >= large) show();
  }

  /// So many bytes more are done.
  void advance(std::uint64_t bytes) {
    done_ += bytes;
    const auto now = std::chrono::steady_clock::now();
    const bool is_long = now - began_ >= std::chrono::milliseconds(500);
    if (is_long && now - last_ >= std::chrono::milliseconds(200)) show();
  }

  /// Takes the line away.
  void clear() {
    if (is_shown_) complain("\r\x1b[K");
    is_shown_ = false;
  }

 private:
  static constexpr std::uint64_t large = std::uint64_t{256} << 20U;

  void show() {
    if (!is_visible_) return;
    last_ = std::chrono::steady_clock::now();
    is_shown_ = true;
    std::string line = "\r\x1b[Kckpt: " + shown(what_);
    if (total_ > 0)
      line += " " + std::to_string((std::min)(done_, total_) / (total_ / 100 + 1)) + " %";
    complain(line);
  }

  bool is_visible_ = has_terminal();
  bool is_shown_ = false;
  std::string what_;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tool

#endif  // CKPT_TOOL_PROGRESS_HPP
