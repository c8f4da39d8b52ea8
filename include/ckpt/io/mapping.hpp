#ifndef CKPT_IO_MAPPING_HPP
#define CKPT_IO_MAPPING_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "ckpt/base/result.hpp"
#include "ckpt/base/span.hpp"
#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/calls.hpp"
#include "ckpt/io/file.hpp"
#include "ckpt/io/native.hpp"
#include "ckpt/io/path.hpp"

namespace ckpt {

/// A whole file in memory, read-only and on demand. It outlives the replacement of the file, as
/// `basic_replacement` does it, but not a file that somebody cuts or rewrites in place.
template <class Native = native>
class basic_mapping {
 public:
  basic_mapping() noexcept = default;
  basic_mapping(basic_mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  basic_mapping& operator=(basic_mapping&& other) noexcept {
    if (this != &other) {
      unmap();
      bytes_ = std::exchange(other.bytes_, {});
    }
    return *this;
  }
  basic_mapping(const basic_mapping&) = delete;
  basic_mapping& operator=(const basic_mapping&) = delete;
  ~basic_mapping() { unmap(); }

  /// Maps the file as long as it is now.
  /// @errors empty_file, too_large (beyond the memory that this host can address), and all of
  /// `basic_file::open`
  [[nodiscard]] static result<basic_mapping> open(const path& name) noexcept {
    auto opened = basic_file<Native>::open(name);
    if (!opened) return opened.error();
    if (opened->size() == 0) return fail(errc::empty_file);
    const auto size = static_cast<std::size_t>(opened->size());
    if (size != opened->size()) return fail(errc::too_large, opened->size(), ~std::size_t{0});
    const std::byte* at = nullptr;
    const auto mapped =
        detail::uninterrupted<Native>([&] { return Native::map(opened->handle(), size, at); });
    if (!mapped.ok()) return detail::call_failure<Native>(mapped);
    basic_mapping made;
    made.bytes_ = bytes_view(at, size);
    return made;
  }

  /// The file; aligned to a page.
  [[nodiscard]] bytes_view bytes() const noexcept { return bytes_; }
  /// False before `open` and after a move.
  [[nodiscard]] bool is_open() const noexcept { return bytes_.data() != nullptr; }

 private:
  void unmap() noexcept {
    if (is_open()) static_cast<void>(Native::unmap(bytes_.data(), bytes_.size()));
  }

  bytes_view bytes_;
};

/// A mapping of this system.
using native_mapping = basic_mapping<>;

}  // namespace ckpt

#endif  // CKPT_IO_MAPPING_HPP
