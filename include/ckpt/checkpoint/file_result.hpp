#ifndef CKPT_CHECKPOINT_FILE_RESULT_HPP
#define CKPT_CHECKPOINT_FILE_RESULT_HPP

#include <string>
#include <system_error>
#include <utility>

#include "ckpt/base/result.hpp"
#include "ckpt/io/path.hpp"
#include "ckpt/model/model.hpp"

namespace ckpt {

#if CKPT_EXCEPTIONS
/// What the `or_throw()` of an operation on a file throws. `what()` names the file.
class file_failure : public failure {
 public:
  file_failure(const status& reason, std::string words)
      : failure(reason, {}), words_(std::move(words)) {}
  [[nodiscard]] const char* what() const noexcept override { return words_.c_str(); }

 private:
  std::string words_;
};
#endif

/// The outcome of an operation on a file: a value, or a status and a message that names the file
/// and, where one is to blame, the tensor.
template <class T>
class [[nodiscard]] file_result {
 public:
  file_result(T given) : value_(std::move(given)) {}
  file_result(const status& failed, std::string words)
      : error_(failed), message_(std::move(words)) {}

  /// Whether there is a value.
  [[nodiscard]] bool ok() const noexcept { return error_.ok(); }
  [[nodiscard]] explicit operator bool() const noexcept { return ok(); }
  /// Why there is no value; `errc::ok` when there is one.
  [[nodiscard]] const status& error() const noexcept { return error_; }
  /// One sentence for a person; empty when ok.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }

  /// The value; only meaningful when `ok()`.
  [[nodiscard]] T& operator*() noexcept { return value_; }
  [[nodiscard]] const T& operator*() const noexcept { return value_; }
  [[nodiscard]] T* operator->() noexcept { return &value_; }
  [[nodiscard]] const T* operator->() const noexcept { return &value_; }

#if CKPT_EXCEPTIONS
  /// The value, or throws ckpt::file_failure.
  T& or_throw() & {
    check();
    return value_;
  }
  T or_throw() && {
    check();
    return std::move(value_);
  }
#endif

 private:
#if CKPT_EXCEPTIONS
  void check() const {
    if (!error_.ok()) throw file_failure(error_, message_);
  }
#endif

  T value_{};
  status error_{};
  std::string message_;
};

namespace detail {

/// "cannot load 'a.ckpt': <what, where, expected, found>; tensor 1 is 'fc.bias'".
[[nodiscard]] inline std::string file_message(const char* verb, const path& file,
                                              const status& failed, const model_view& model) {
  std::string message = std::string("cannot ") + verb + " '" + file.to_utf8() + "': ";
  message += failed.message().c_str();
  if (failed.tensor < model.size() && !model[failed.tensor].name().empty())
    message += "; tensor " + std::to_string(failed.tensor) + " is '" +
               std::string(model[failed.tensor].name()) + "'";
  if (failed.os_code != 0) message += " (" + std::system_category().message(failed.os_code) + ")";
  return message;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_FILE_RESULT_HPP
