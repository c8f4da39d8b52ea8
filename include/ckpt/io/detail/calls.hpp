#ifndef CKPT_IO_DETAIL_CALLS_HPP
#define CKPT_IO_DETAIL_CALLS_HPP

#include <cstdint>

#include "ckpt/base/status.hpp"
#include "ckpt/config.hpp"
#include "ckpt/io/detail/native_types.hpp"

namespace ckpt {

namespace detail {

/// Repeats a call until no signal interrupts it. Never used for close: its handle may be gone.
template <class Native, class Call>
[[nodiscard]] native_result uninterrupted(Call call) noexcept {
  native_result done = call();
  while (!done.ok() && Native::is_interrupted(done.error)) done = call();
  return done;
}

[[nodiscard]] constexpr status os_failure(errc kind, int error) noexcept {
  status failed = fail(kind);
  failed.os_code = error;
  return failed;
}

/// The failure of a call on an open file.
template <class Native>
[[nodiscard]] status call_failure(const native_result& done) noexcept {
  return os_failure(Native::error_kind(done.error), done.error);
}

/// The failure of a call that took a path.
template <class Native>
[[nodiscard]] status path_failure(const native_result& done) noexcept {
  return os_failure(Native::path_error_kind(done.error), done.error);
}

/// Runs what may allocate; a failed allocation becomes errc::no_memory.
template <class Call>
[[nodiscard]] auto without_exceptions(Call call) noexcept -> decltype(call()) {
#if CKPT_EXCEPTIONS
  try {
    return call();
  } catch (...) {
    return fail(errc::no_memory);
  }
#else
  return call();
#endif
}

/// std::min would bring all of <algorithm>.
[[nodiscard]] constexpr std::uint64_t smaller(std::uint64_t a, std::uint64_t b) noexcept {
  return a < b ? a : b;
}

/// Closes its handle in the end.
template <class Native>
class owned_handle {
 public:
  owned_handle() noexcept = default;
  explicit owned_handle(const native_result& opened) noexcept
      : handle_(opened.ok() ? static_cast<native_handle>(opened.value) : no_handle) {}
  owned_handle(owned_handle&& other) noexcept : handle_(other.release()) {}
  owned_handle& operator=(owned_handle&& other) noexcept {
    if (this != &other) {
      static_cast<void>(close());
      handle_ = other.release();
    }
    return *this;
  }
  owned_handle(const owned_handle&) = delete;
  owned_handle& operator=(const owned_handle&) = delete;
  ~owned_handle() { static_cast<void>(close()); }

  [[nodiscard]] native_handle get() const noexcept { return handle_; }
  [[nodiscard]] bool is_open() const noexcept { return handle_ != no_handle; }

  /// Closes once, whatever the outcome.
  native_result close() noexcept {
    const native_handle handle = release();
    return handle == no_handle ? native_result{} : Native::close(handle);
  }

 private:
  native_handle release() noexcept {
    const native_handle handle = handle_;
    handle_ = no_handle;
    return handle;
  }

  native_handle handle_ = no_handle;
};

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_IO_DETAIL_CALLS_HPP
