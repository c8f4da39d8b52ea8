#ifndef CKPT_IO_PATH_HPP
#define CKPT_IO_PATH_HPP

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ckpt/base/status.hpp"
#include "ckpt/io/detail/long_path.hpp"
#include "ckpt/io/detail/path_text.hpp"

namespace ckpt {

/// What paths of this system are made of: bytes, or UTF-16 on Windows.
#if defined(_WIN32)
/// The characters that the system names files with.
using path_char = wchar_t;
#else
/// The characters that the system names files with.
using path_char = char;
#endif

/// A file name as the system wants it. Text is taken as UTF-8 on Windows and byte by byte
/// elsewhere; a std::filesystem::path is taken as it is. A long absolute path of Windows
/// gets the prefix that lifts the limit of 260 characters. Only allocation can fail, as in
/// std::string.
class path {
 public:
  /// A name as the system has it.
  using native_string = std::basic_string<path_char>;
  /// A view of such a name.
  using native_view = std::basic_string_view<path_char>;

  path() = default;
  path(const char* text) : path(std::string_view(text == nullptr ? "" : text)) {}
  path(const std::string& text) : path(std::string_view(text)) {}
  path(std::string_view text) {
    valid_ = detail::decode_path(text, text_);
    settle();
  }

  /// Anything with a member `native()` that gives text of this system.
  template <class Path,
            class = std::enable_if_t<std::is_same_v<
                std::decay_t<decltype(std::declval<const Path&>().native())>, native_string>>>
  path(const Path& other) : path(from_native(other.native())) {}

  /// Text that is in the encoding of the system already.
  [[nodiscard]] static path from_native(native_string text) {
    path made;
    made.text_ = std::move(text);
    made.settle();
    return made;
  }

  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  /// False if the text has a zero in it or, on Windows, is not UTF-8.
  [[nodiscard]] bool is_valid() const noexcept { return valid_; }
  /// Whether the system can be asked at all.
  /// @errors empty_path, invalid_path
  [[nodiscard]] status check() const noexcept {
    if (!valid_) return fail(errc::invalid_path);
    return empty() ? fail(errc::empty_path) : status{};
  }

  [[nodiscard]] const path_char* c_str() const noexcept { return text_.c_str(); }
  [[nodiscard]] const native_string& native() const noexcept { return text_; }
  /// For messages. Bytes stay as they are; on Windows what is not UTF-16 becomes U+FFFD.
  [[nodiscard]] std::string to_utf8() const { return detail::encode_path(native_view(text_)); }

  /// The directory that the path is in; "." if it names none.
  [[nodiscard]] path parent() const { return from_native(detail::parent_of(native_view(text_))); }
  /// The last component; empty behind a final separator.
  [[nodiscard]] native_view name() const noexcept {
    return native_view(text_).substr(detail::name_offset(native_view(text_)));
  }
  /// Another name in the same directory.
  [[nodiscard]] path sibling(native_view other_name) const {
    native_string text = text_.substr(0, detail::name_offset(native_view(text_)));
    text.append(other_name);
    return from_native(std::move(text));
  }

  /// An entry of the directory that this path names: `runs / "mlp.ckpt"`. The name is put behind a
  /// separator as it is: one that is absolute or leads out is not noticed.
  [[nodiscard]] path operator/(std::string_view entry) const {
    native_string decoded;
    const bool is_text = detail::decode_path(entry, decoded);
    path made = from_native(detail::joined(native_view(text_), native_view(decoded)));
    made.valid_ = made.valid_ && is_text && valid_;
    return made;
  }

 private:
  void settle() {
    if (text_.find(path_char{}) != native_string::npos) valid_ = false;
#if defined(_WIN32)
    text_ = detail::with_long_prefix(std::move(text_));
#endif
  }

  native_string text_;
  bool valid_ = true;
};

}  // namespace ckpt

#endif  // CKPT_IO_PATH_HPP
