#ifndef CKPT_CHECKPOINT_FINISHED_SAVES_HPP
#define CKPT_CHECKPOINT_FINISHED_SAVES_HPP

#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/io/detail/calls.hpp"

namespace ckpt::detail {

/// What has come of saves that nobody has asked about yet: the reports of those that succeeded, and
/// one failure made of all that failed. Each is given out once. Not for two threads at a time.
template <class Report>
class finished_saves {
 public:
  /// Keeps the outcome of a save. Memory that is short here makes a failure of its own.
  void add(file_result<Report> done) noexcept {
    note(done.error());
    note(without_exceptions([&]() -> status {
      if (done.ok()) {
        reports_.push_back(std::move(*done));
      } else {
        if (!messages_.empty()) messages_ += '\n';
        messages_ += done.message().empty() ? done.error().message().c_str() : done.message();
      }
      return {};
    }));
  }

  /// Whether a save has failed.
  [[nodiscard]] bool has_failure() const noexcept { return !failure_.ok(); }

  /// The first failure, with the messages of all of them, a line each.
  template <class Value>
  [[nodiscard]] file_result<Value> take_failure() {
    return {std::exchange(failure_, {}), std::exchange(messages_, {})};
  }

  /// The failure if there is one; the reports then wait for the next call. Otherwise the reports.
  [[nodiscard]] file_result<std::vector<Report>> take() {
    if (has_failure()) return take_failure<std::vector<Report>>();
    return std::exchange(reports_, {});
  }

 private:
  void note(const status& outcome) noexcept {
    if (failure_.ok()) failure_ = outcome;
  }

  std::vector<Report> reports_;
  status failure_{};
  std::string messages_;
};

}  // namespace ckpt::detail

#endif  // CKPT_CHECKPOINT_FINISHED_SAVES_HPP
