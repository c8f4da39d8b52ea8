#ifndef CKPT_EXAMPLES_TRAINER_FLAG_VALUES_HPP
#define CKPT_EXAMPLES_TRAINER_FLAG_VALUES_HPP

// What flags take: texts to numbers, names and rules.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "settings.hpp"

namespace trainer {

/// Thrown for a value that a flag does not take; says what it takes.
class bad_value : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

using text = const std::string&;

inline std::int64_t whole_number(text value, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || rest != end || number < least || number > most)
    throw bad_value("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

inline std::size_t up_to(std::int64_t most, text value) {
  return static_cast<std::size_t>(whole_number(value, 1, most));
}

inline std::vector<std::size_t> width_list(text value) {
  std::vector<std::size_t> widths;
  for (std::size_t from = 0; from <= value.size();) {
    const std::size_t comma = (std::min)(value.find(',', from), value.size());
    widths.push_back(up_to(most_width, value.substr(from, comma - from)));
    from = comma + 1;
  }
  if (widths.size() >= most_layers) throw bad_value("a shorter list");
  return widths;
}

inline float positive_number(text value) {
  const bool plain = value.find_first_not_of("0123456789.+-eE") == std::string::npos;
  char* end = nullptr;
  const float number = std::strtof(value.c_str(), &end);
  if (!plain || value.empty() || *end != '\0' || !std::isfinite(number) || !(number > 0))
    throw bad_value("a number above 0, such as 0.001");
  return number;
}

/// A share in decimal notation, as billionths: 0.2 is exact here, as a float it is not.
inline std::uint64_t share(text value) {
  const std::size_t point = (std::min)(value.find('.'), value.size());
  const std::string decimals = value.substr((std::min)(point + 1, value.size()));
  std::string digits = value.substr(0, point) + decimals;
  const bool plain = !digits.empty() && decimals.size() <= 9 &&
                     digits.find_first_not_of("0123456789") == std::string::npos;
  std::uint64_t billionths = billion + 1;
  if (plain) {
    digits.append(9 - decimals.size(), '0');
    std::from_chars(digits.data(), digits.data() + digits.size(), billionths);
  }
  if (billionths > billion)
    throw bad_value("a decimal number from 0 to 1 with up to 9 decimals, such as 0.2");
  return billionths;
}

inline fs::path file_name(text value) {
  if (value.empty()) throw bad_value("a name");
  return value;
}

/// `OLD=NEW`, or `OLD*=NEW*` for all names that begin so.
inline rename_flag rename(text value) {
  const std::size_t equals = (std::min)(value.find('='), value.size());
  rename_flag made{value, value.substr(0, equals),
                   value.substr((std::min)(equals + 1, value.size()))};
  const auto drop_star = [](std::string& name) {
    const bool has_star = !name.empty() && name.back() == '*';
    if (has_star) name.pop_back();
    return has_star;
  };
  const bool is_whole = !made.from.empty() && !made.to.empty();
  made.is_prefix = drop_star(made.from);
  const bool agrees = drop_star(made.to) == made.is_prefix;
  if (!is_whole || !agrees || (made.from + made.to).find('*') != std::string::npos)
    throw bad_value("OLD=NEW or OLD*=NEW*, such as backbone.*=encoder.*");
  return made;
}

inline std::string pattern(text value) {
  if (value.empty()) throw bad_value("a name, or a pattern such as head.*");
  return value;
}

inline std::string metric_name(text value) {
  if (value != "loss" && value != "val_loss") throw bad_value("loss or val_loss");
  return value;
}

inline schedule_kind schedule_name(text value) {
  if (value == "constant") return schedule_kind::constant;
  if (value == "warmup_cosine") return schedule_kind::warmup_cosine;
  throw bad_value("constant or warmup_cosine");
}

inline file_format format_name(text value) {
  if (value == "onert") return file_format::onert;
  if (value == "onert_plus") return file_format::onert_plus;
  if (value == "v2") return file_format::v2;
  throw bad_value("onert, onert_plus or v2");
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_FLAG_VALUES_HPP
