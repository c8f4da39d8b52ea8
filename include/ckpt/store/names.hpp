#ifndef CKPT_STORE_NAMES_HPP
#define CKPT_STORE_NAMES_HPP

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

/// What the files and directories of a checkpoint directory are called. Only names of exactly these
/// patterns are ever counted or removed.
///
///     runs/a/.ckpt-lock                        held while a manager writes here
///     runs/a/checkpoint_7/                     checkpoint 7, whole
///     runs/a/checkpoint_7/model.ckpt           weights, slots, step and epoch
///     runs/a/checkpoint_7/trainer_0            arguments of each trainer
///     runs/a/checkpoint_7/_SUCCESS             size and checksum of each file; written last
///     runs/a/.checkpoint_8.ckpt-tmp/           checkpoint 8 while it is made or removed
///     runs/a/.checkpoint_8.sealed.ckpt-tmp/    the same when all of several trainers have come
namespace ckpt::detail {

inline constexpr std::string_view checkpoint_prefix = "checkpoint_";
inline constexpr std::string_view trainer_prefix = "trainer_";
inline constexpr std::string_view temporary_suffix = ".ckpt-tmp";
inline constexpr std::string_view sealed_suffix = ".sealed";
inline constexpr std::string_view model_file_name = "model.ckpt";
inline constexpr std::string_view mark_name = "_SUCCESS";
inline constexpr std::string_view lock_name = ".ckpt-lock";

/// 18 digits, so that no arithmetic on serials can wrap.
inline constexpr std::uint64_t max_serial = 999'999'999'999'999'999U;
inline constexpr std::uint64_t max_trainer = (std::numeric_limits<std::uint32_t>::max)() - 1;

/// The number that a text is: digits only, without leading zeros, at most `limit`.
[[nodiscard]] inline std::optional<std::uint64_t> exact_number(std::string_view digits,
                                                               std::uint64_t limit) noexcept {
  constexpr std::size_t longest = 18;
  if (digits.empty() || digits.size() > longest) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  std::uint64_t number = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = 10 * number + static_cast<std::uint64_t>(digit - '0');
  }
  return number <= limit ? std::optional<std::uint64_t>(number) : std::nullopt;
}

/// What is between a beginning and an end that the text must have.
[[nodiscard]] inline std::optional<std::string_view> between(std::string_view text,
                                                             std::string_view front,
                                                             std::string_view back) noexcept {
  if (text.size() < front.size() + back.size()) return std::nullopt;
  if (text.substr(0, front.size()) != front) return std::nullopt;
  if (text.substr(text.size() - back.size()) != back) return std::nullopt;
  return text.substr(front.size(), text.size() - front.size() - back.size());
}

/// The serial of a checkpoint with this name.
[[nodiscard]] inline std::optional<std::uint64_t> serial_of(std::string_view name) noexcept {
  const auto digits = between(name, checkpoint_prefix, "");
  return digits ? exact_number(*digits, max_serial) : std::nullopt;
}

/// The serial of a checkpoint that is made or removed under this name.
[[nodiscard]] inline std::optional<std::uint64_t> working_serial_of(
    std::string_view name) noexcept {
  const auto inner = between(name, ".", temporary_suffix);
  if (!inner) return std::nullopt;
  const auto unsealed = between(*inner, "", sealed_suffix);
  return serial_of(unsealed ? *unsealed : *inner);
}

/// The number of the trainer whose arguments have this name.
[[nodiscard]] inline std::optional<std::uint64_t> trainer_of(std::string_view name) noexcept {
  const auto digits = between(name, trainer_prefix, "");
  return digits ? exact_number(*digits, max_trainer) : std::nullopt;
}

[[nodiscard]] inline std::string checkpoint_name(std::uint64_t serial) {
  return std::string(checkpoint_prefix) + std::to_string(serial);
}
[[nodiscard]] inline std::string working_name(std::uint64_t serial) {
  return "." + checkpoint_name(serial) + std::string(temporary_suffix);
}
/// Another name, so that no trainer finds its way there any more.
[[nodiscard]] inline std::string sealed_name(std::uint64_t serial) {
  return "." + checkpoint_name(serial) + std::string(sealed_suffix) + std::string(temporary_suffix);
}
[[nodiscard]] inline std::string trainer_name(std::uint64_t trainer) {
  return std::string(trainer_prefix) + std::to_string(trainer);
}

/// Whether a file belongs into a checkpoint.
[[nodiscard]] inline bool is_part_name(std::string_view name) noexcept {
  return name == model_file_name || name == mark_name || trainer_of(name).has_value();
}

/// Whether a file is what a killed writer left of a part: .<part>.<number>.ckpt-tmp
[[nodiscard]] inline bool is_left_over_name(std::string_view name) noexcept {
  const auto inner = between(name, ".", temporary_suffix);
  if (!inner) return false;
  const std::size_t dot = inner->rfind('.');
  if (dot == std::string_view::npos) return false;
  return is_part_name(inner->substr(0, dot)) &&
         exact_number(inner->substr(dot + 1), max_trainer).has_value();
}

}  // namespace ckpt::detail

#endif  // CKPT_STORE_NAMES_HPP
