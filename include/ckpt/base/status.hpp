#ifndef CKPT_BASE_STATUS_HPP
#define CKPT_BASE_STATUS_HPP

#include <cstddef>
#include <cstdint>

#include "ckpt/base/errc.hpp"
#include "ckpt/base/explanation.hpp"
#include "ckpt/base/text.hpp"
#include "ckpt/config.hpp"
#if CKPT_EXCEPTIONS
#include <exception>
#endif

namespace ckpt {

/// The outcome of anything that can fail: a kind, and as much of the place as is known.
struct [[nodiscard]] status {
  errc kind = errc::ok;
  section part = section::none;
  bool indeterminate = false;        ///< the caller's tensors may hold a mix of old and new
  std::uint32_t tensor = no_tensor;  ///< index into the model
  std::int32_t os_code = 0;          ///< errno or GetLastError()
  std::uint64_t offset = no_offset;  ///< byte position in the file
  std::uint64_t expected = 0;        ///< what the caller or the header demands
  std::uint64_t found = 0;           ///< what is there

  /// Whether nothing went wrong.
  [[nodiscard]] constexpr bool ok() const noexcept { return kind == errc::ok; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return ok(); }

  /// The same status with the part of the file that it is about.
  [[nodiscard]] constexpr status in(section where) const noexcept {
    status copy = *this;
    copy.part = where;
    return copy;
  }
  /// The same status with the index of the tensor that it is about.
  [[nodiscard]] constexpr status about(std::size_t index) const noexcept {
    status copy = *this;
    copy.tensor = static_cast<std::uint32_t>(index);
    return copy;
  }
  /// The same status with the byte of the file that it is about.
  [[nodiscard]] constexpr status at(std::uint64_t byte_offset) const noexcept {
    status copy = *this;
    copy.offset = byte_offset;
    return copy;
  }

  /// One sentence for a person: what, where, expected, found, and what to do.
  [[nodiscard]] constexpr text message() const noexcept;

#if CKPT_EXCEPTIONS
  /// Throws ckpt::failure unless ok.
  void or_throw() const;
#endif
};

/// A failure of this kind, with what was demanded and what was there.
[[nodiscard]] constexpr status fail(errc kind, std::uint64_t expected = 0,
                                    std::uint64_t found = 0) noexcept {
  status failed;
  failed.kind = kind;
  failed.expected = expected;
  failed.found = found;
  return failed;
}

namespace detail {

constexpr void append_place(text& out, const status& failed) noexcept {
  if (failed.part == section::header) out << "; in the header";
  if (failed.part == section::weights) out << "; in the weights";
  if (failed.part == section::footer) out << "; in the footer";
  if (failed.part == section::manifest) out << "; in the manifest";
  if (failed.part == section::padding) out << "; in the padding";
  if (failed.part >= section::first_slot) {
    const auto slot =
        static_cast<std::uint64_t>(failed.part) - static_cast<std::uint64_t>(section::first_slot);
    out << "; in slot " << slot + 1;
  }
  if (failed.tensor != no_tensor) out << "; tensor " << std::uint64_t{failed.tensor};
  if (failed.offset != no_offset) out << "; at byte " << failed.offset;
}

}  // namespace detail

constexpr text status::message() const noexcept {
  const detail::explanation said = detail::explain(kind);
  text out;
  out << said.what;
  detail::append_place(out, *this);
  if (said.unit != detail::figures::none) {
    const name_view unit = detail::unit_of(said.unit);
    out << "; expected " << expected << unit << ", found " << found << unit;
  }
  if (os_code != 0) out << "; OS code " << static_cast<std::uint64_t>(os_code);
  if (!said.advice.empty()) out << " (" << said.advice << ")";
  if (indeterminate) out << "; the tensors may hold a mix of old and new values";
  return out;
}

#if CKPT_EXCEPTIONS
/// What `or_throw()` throws.
class failure : public std::exception {
 public:
  failure(const status& reason, const text& words) noexcept : reason_(reason), words_(words) {}
  [[nodiscard]] const char* what() const noexcept override { return words_.c_str(); }
  /// The status that was thrown.
  [[nodiscard]] const status& reason() const noexcept { return reason_; }

 private:
  status reason_;
  text words_;
};

inline void status::or_throw() const {
  if (!ok()) throw failure(*this, message());
}
#endif

}  // namespace ckpt

#endif  // CKPT_BASE_STATUS_HPP
