#ifndef CKPT_IO_MEMORY_HPP
#define CKPT_IO_MEMORY_HPP

#include <cstddef>
#include <vector>

#include "ckpt/base/io_contract.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"

namespace ckpt {

/// A sink that appends to a vector of the caller.
class vector_sink {
 public:
  /// Appends to `to`, which must outlive it.
  explicit vector_sink(std::vector<std::byte>& to) noexcept : to_(&to) {}

  /// The next bytes.
  /// @errors no_memory (without exceptions, a failed allocation ends the program)
  status append(bytes_view bytes) noexcept {
    return detail::without_exceptions([&]() -> status {
      to_->insert(to_->end(), bytes.begin(), bytes.end());
      return {};
    });
  }
  /// Does nothing: all is there already.
  status flush() noexcept { return {}; }

 private:
  std::vector<std::byte>* to_;
};

static_assert(is_sink_v<vector_sink>, "ckpt: a vector sink must be a sink");

}  // namespace ckpt

#endif  // CKPT_IO_MEMORY_HPP
