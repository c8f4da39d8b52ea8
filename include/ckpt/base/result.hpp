#ifndef CKPT_BASE_RESULT_HPP
#define CKPT_BASE_RESULT_HPP

#include <new>
#include <type_traits>
#include <utility>

#include "ckpt/base/status.hpp"

namespace ckpt {

namespace detail {

/// Memory for a value that may not be there. This one is for plain values, and constexpr.
template <class T, bool Plain = std::is_trivially_copyable_v<T>>
class result_storage {
 public:
  constexpr explicit result_storage(const status& failed) noexcept : none_(), error_(failed) {}
  constexpr explicit result_storage(T&& given) noexcept : value_(std::move(given)) {}

 protected:
  union {
    char none_;
    T value_;
  };
  status error_{};
};

/// The same for values that own something: they are moved, and destroyed if they are there.
template <class T>
class result_storage<T, false> {
 public:
  explicit result_storage(const status& failed) noexcept : none_(), error_(failed) {}
  explicit result_storage(T&& given) noexcept : value_(std::move(given)) {}

  result_storage(result_storage&& other) noexcept : none_(), error_(other.error_) {
    if (error_.ok()) ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
  }
  result_storage& operator=(result_storage&&) = delete;
  ~result_storage() {
    if (error_.ok()) value_.~T();
  }

 protected:
  union {
    char none_;
    T value_;
  };
  status error_{};
};

}  // namespace detail

/// A value, or the status that says why there is none.
template <class T>
class [[nodiscard]] result : detail::result_storage<T> {
  using storage = detail::result_storage<T>;
  static_assert(std::is_nothrow_move_constructible_v<T>,
                "ckpt: what a result holds must move without throwing");

 public:
  /// A success with its value.
  constexpr result(T given) noexcept : storage(std::move(given)) {}
  /// @param failed  must not be ok
  constexpr result(const status& failed) noexcept : storage(failed) {}

  /// Whether there is a value.
  [[nodiscard]] constexpr bool ok() const noexcept { return this->error_.ok(); }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return ok(); }
  /// Why there is no value; `errc::ok` when there is one.
  [[nodiscard]] constexpr const status& error() const noexcept { return this->error_; }

  /// The value; only where `ok()`.
  [[nodiscard]] constexpr T& operator*() noexcept { return this->value_; }
  [[nodiscard]] constexpr const T& operator*() const noexcept { return this->value_; }
  [[nodiscard]] constexpr T* operator->() noexcept { return &this->value_; }
  [[nodiscard]] constexpr const T* operator->() const noexcept { return &this->value_; }

#if CKPT_EXCEPTIONS
  /// The value, or throws ckpt::failure.
  T& or_throw() & {
    this->error_.or_throw();
    return this->value_;
  }
  T or_throw() && {
    this->error_.or_throw();
    return std::move(this->value_);
  }
#endif
};

}  // namespace ckpt

#endif  // CKPT_BASE_RESULT_HPP
