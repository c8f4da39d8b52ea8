#ifndef CKPT_TESTS_UNIT_STORE_NAME_WATCHING_NATIVE_HPP
#define CKPT_TESTS_UNIT_STORE_NAME_WATCHING_NATIVE_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/io/native.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt_test {

/// A call that makes, moves, removes or syncs a name.
struct name_call {
  std::string verb;  ///< make, create, move, remove, sync
  std::string name;  ///< of a move: the new one
};

/// The calls about names that were made, in order, and what a test does right before each. One for
/// the process: tests do not run at the same time.
struct name_watch {
  std::vector<name_call> calls;
  std::function<void(const name_call&)> before;

  void tell(const char* verb, const ckpt::path_char* name) {
    const name_call made{verb, ckpt::path::from_native(name).to_utf8()};
    calls.push_back(made);
    if (before) before(made);
  }

  /// Where the first call of this kind is; the number of calls if there is none.
  [[nodiscard]] std::size_t find(const std::string& verb, const std::string& name) const {
    std::size_t at = 0;
    while (at < calls.size() && (calls[at].verb != verb || calls[at].name != name)) ++at;
    return at;
  }
};

inline name_watch name_log;

/// Begins to watch anew.
inline void watch_names(std::function<void(const name_call&)> before = {}) {
  name_log = name_watch{};
  name_log.before = std::move(before);
}

/// The real system, which lets a test see each name that changes, and act right before it does.
struct name_watching_native : ckpt::native {
  using base = ckpt::native;
  using result = ckpt::detail::native_result;
  using text = const ckpt::path_char*;

  static result create_exclusive(text name, std::uint32_t mode) noexcept {
    name_log.tell("create", name);
    return base::create_exclusive(name, mode);
  }
  static result make_directory(text name) noexcept {
    name_log.tell("make", name);
    return base::make_directory(name);
  }
  static result move(text from, text to) noexcept {
    name_log.tell("move", to);
    return base::move(from, to);
  }
  static result remove_file(text name) noexcept {
    name_log.tell("remove", name);
    return base::remove_file(name);
  }
  static result remove_directory(text name) noexcept {
    name_log.tell("remove", name);
    return base::remove_directory(name);
  }
  static result sync_directory(text name) noexcept {
    name_log.tell("sync", name);
    return base::sync_directory(name);
  }
};

}  // namespace ckpt_test

#endif  // CKPT_TESTS_UNIT_STORE_NAME_WATCHING_NATIVE_HPP
