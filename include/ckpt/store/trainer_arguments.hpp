#ifndef CKPT_STORE_TRAINER_ARGUMENTS_HPP
#define CKPT_STORE_TRAINER_ARGUMENTS_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckpt/base/result.hpp"
#include "ckpt/store/number_text.hpp"

namespace ckpt {

/// What one trainer keeps beside the model: where it stands, and values of its own by key. In its
/// file each is a line `key=value`; step and epoch come first. Line feeds, carriage returns and
/// backslashes in a value are written as \n, \r and \\.
class trainer_arguments {
 public:
  std::uint64_t step = 0;   ///< completed steps
  std::uint64_t epoch = 0;  ///< completed epochs

  /// Sets a value; one of the same key is replaced.
  /// @errors invalid_name (empty, `step` or `epoch`, or with `=`, a control character or a space
  /// at an end)
  status set_text(std::string_view key, std::string_view value) {
    if (!is_usable(key)) return fail(errc::invalid_name);
    for (auto& known : values_) {
      if (known.first != key) continue;
      known.second = value;
      return {};
    }
    values_.emplace_back(key, value);
    return {};
  }
  /// @errors those of set_text()
  status set_integer(std::string_view key, std::int64_t number) {
    return set_text(key, std::to_string(number));
  }
  /// Keeps every bit but the payload of a NaN.
  /// @errors those of set_text()
  status set_real(std::string_view key, double number) {
    return set_text(key, detail::real_text(number));
  }

  /// @errors no_such_value
  [[nodiscard]] result<std::string_view> text(std::string_view key) const noexcept {
    for (const auto& known : values_)
      if (known.first == key) return std::string_view(known.second);
    return fail(errc::no_such_value);
  }
  /// @errors no_such_value, wrong_value_type (not a number of 64 bits)
  [[nodiscard]] result<std::int64_t> integer(std::string_view key) const noexcept {
    const auto found = text(key);
    if (!found.ok()) return found.error();
    return detail::parse_integer(*found);
  }
  /// @errors no_such_value, wrong_value_type (not a number)
  [[nodiscard]] result<double> real(std::string_view key) const {
    const auto found = text(key);
    if (!found.ok()) return found.error();
    return detail::parse_real(*found);
  }

  /// Number of own values, without step and epoch.
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  /// Own keys and values, in the order in which they were set.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& values() const noexcept {
    return values_;
  }

  /// The lines of the file.
  [[nodiscard]] std::string encode() const {
    std::string lines = "epoch=" + std::to_string(epoch) + "\nstep=" + std::to_string(step) + "\n";
    for (const auto& [key, value] : values_) lines += key + "=" + escaped(value) + "\n";
    return lines;
  }
  /// Takes the lines of a file.
  /// @errors bad_syntax with the byte at which the line begins
  [[nodiscard]] static result<trainer_arguments> decode(std::string_view lines) {
    trainer_arguments made;
    for (std::size_t at = 0, number = 0; at < lines.size() || number < 2; ++number) {
      const std::size_t end = lines.find('\n', at);
      if (end == std::string_view::npos || !made.take(lines.substr(at, end - at), number))
        return fail(errc::bad_syntax).at(at);
      at = end + 1;
    }
    return result<trainer_arguments>(std::move(made));
  }

 private:
  static bool is_usable(std::string_view key) noexcept {
    if (key.empty() || key == "step" || key == "epoch") return false;
    if (key.front() == ' ' || key.back() == ' ') return false;
    for (const char c : key)
      if (c == '=' || static_cast<unsigned char>(c) < 0x20U) return false;
    return true;
  }

  static std::string escaped(std::string_view value) {
    std::string out;
    for (const char c : value) {
      if (c == '\\') out += "\\\\";
      if (c == '\n') out += "\\n";
      if (c == '\r') out += "\\r";
      if (c != '\\' && c != '\n' && c != '\r') out += c;
    }
    return out;
  }

  /// The value of an escaped text; false if it is none.
  static bool unescape(std::string_view text, std::string& value) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\') {
        value += text[i];
        continue;
      }
      if (++i == text.size()) return false;
      constexpr std::string_view letters = "\\nr";
      constexpr std::string_view meanings = "\\\n\r";
      const std::size_t which = letters.find(text[i]);
      if (which == std::string_view::npos) return false;
      value += meanings[which];
    }
    return true;
  }

  /// Takes line `number` of a file: the first two are epoch and step.
  bool take(std::string_view line, std::size_t number) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view key = line.substr(0, equals);
    const std::string_view value = line.substr(equals + 1);
    if (number == 0) return key == "epoch" && detail::parse_counter(value, epoch);
    if (number == 1) return key == "step" && detail::parse_counter(value, step);
    std::string meant;
    if (text(key).ok() || !unescape(value, meant)) return false;
    return set_text(key, meant).ok();
  }

  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace ckpt

#endif  // CKPT_STORE_TRAINER_ARGUMENTS_HPP
