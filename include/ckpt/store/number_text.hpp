#ifndef CKPT_STORE_NUMBER_TEXT_HPP
#define CKPT_STORE_NUMBER_TEXT_HPP

#include <charconv>
#include <clocale>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "ckpt/base/result.hpp"

/// Numbers in text files, the same in every locale.
namespace ckpt::detail {

template <class Integer>
[[nodiscard]] bool parse_whole(std::string_view text, Integer& number) noexcept {
  const char* const end = text.data() + text.size();
  const std::from_chars_result done = std::from_chars(text.data(), end, number);
  return done.ec == std::errc{} && done.ptr == end && !text.empty();
}

/// An unsigned number, digits only.
[[nodiscard]] inline bool parse_counter(std::string_view text, std::uint64_t& number) noexcept {
  return parse_whole(text, number);
}

/// @errors wrong_value_type
[[nodiscard]] inline result<std::int64_t> parse_integer(std::string_view text) noexcept {
  std::int64_t number = 0;
  if (!parse_whole(text, number)) return fail(errc::wrong_value_type);
  return number;
}

/// The character that the C library takes for the decimal point now.
[[nodiscard]] inline std::string decimal_point() {
  const std::lconv* const locale = std::localeconv();
  return locale == nullptr || locale->decimal_point == nullptr ? "." : locale->decimal_point;
}

[[nodiscard]] inline std::string with_replaced(std::string text, std::string_view from,
                                               std::string_view to) {
  const std::size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

/// Enough digits that the same number is read again; "nan", "inf", "-inf" where it is none.
[[nodiscard]] inline std::string real_text(double number) {
  char digits[40] = {};
  std::snprintf(digits, sizeof digits, "%.17g", number);
  return with_replaced(digits, decimal_point(), ".");
}

/// @errors wrong_value_type
[[nodiscard]] inline result<double> parse_real(std::string_view text) {
  constexpr std::string_view allowed = "+-.0123456789eEinfaINFA";
  if (text.empty() || text.find_first_not_of(allowed) != std::string_view::npos)
    return fail(errc::wrong_value_type);
  const std::string local = with_replaced(std::string(text), ".", decimal_point());
  char* end = nullptr;
  const double number = std::strtod(local.c_str(), &end);
  if (end != local.c_str() + local.size()) return fail(errc::wrong_value_type);
  return number;
}

}  // namespace ckpt::detail

#endif  // CKPT_STORE_NUMBER_TEXT_HPP
