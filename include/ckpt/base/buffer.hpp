#ifndef CKPT_BASE_BUFFER_HPP
#define CKPT_BASE_BUFFER_HPP

#include <cstdint>
#include <cstring>

#include "ckpt/base/span.hpp"
#include "ckpt/base/status.hpp"

namespace ckpt {

/// A sink that fills memory of the caller.
class buffer_sink {
 public:
  /// Fills `memory` from its beginning.
  explicit buffer_sink(bytes_span memory) noexcept : memory_(memory) {}

  /// @errors buffer_too_small
  status append(bytes_view bytes) noexcept {
    if (bytes.size() > memory_.size() - used_)
      return fail(errc::buffer_too_small, std::uint64_t{used_} + bytes.size(), memory_.size());
    if (!bytes.empty()) std::memcpy(memory_.data() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
    return {};
  }
  /// Nothing waits: every byte is copied at once.
  status flush() noexcept { return {}; }

  /// The part of the memory that is filled.
  [[nodiscard]] bytes_view written() const noexcept { return {memory_.data(), used_}; }

 private:
  bytes_span memory_;
  std::size_t used_ = 0;
};

/// A source over memory of the caller.
class buffer_source {
 public:
  /// Gives the bytes of `bytes`, which must outlive it.
  explicit buffer_source(bytes_view bytes) noexcept : bytes_(bytes) {}

  /// Bytes there are.
  [[nodiscard]] std::uint64_t size() const noexcept { return bytes_.size(); }

  /// @errors truncated
  status read_at(std::uint64_t offset, bytes_span to) noexcept {
    if (offset > bytes_.size() || to.size() > bytes_.size() - offset)
      return fail(errc::truncated, offset + to.size(), bytes_.size());
    if (!to.empty())
      std::memcpy(to.data(), bytes_.data() + static_cast<std::size_t>(offset), to.size());
    return {};
  }

 private:
  bytes_view bytes_;
};

}  // namespace ckpt

#endif  // CKPT_BASE_BUFFER_HPP
