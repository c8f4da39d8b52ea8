#ifndef CKPT_EXAMPLES_TRAINER_FLAGS_HPP
#define CKPT_EXAMPLES_TRAINER_FLAGS_HPP

// Flags: what they are called, what they take and what they set.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
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

inline file_format format_name(text value) {
  if (value == "onert") return file_format::onert;
  if (value == "onert_plus") return file_format::onert_plus;
  if (value == "v2") return file_format::v2;
  throw bad_value("onert, onert_plus or v2");
}

struct flag {
  const char* name;
  const char* value;  // null: takes none
  const char* meaning;
  void (*apply)(settings& chosen, text value);
};

inline constexpr flag flags[] = {
    {"--load_input:raw", "FILE", "inputs of all samples: little-endian float32, no header",
     [](settings& s, text v) { s.input_file = file_name(v); }},
    {"--load_expected:raw", "FILE", "expected outputs of all samples, in the same form",
     [](settings& s, text v) { s.expected_file = file_name(v); }},
    {"--input_size", "N", "floats of a sample in --load_input:raw; default 2",
     [](settings& s, text v) { s.input_size = up_to(most_width, v); }},
    {"--output_size", "N", "floats of a sample in --load_expected:raw; default 2",
     [](settings& s, text v) { s.output_size = up_to(most_width, v); }},
    {"--hidden", "A,B,...", "widths of the hidden layers; default 32,32",
     [](settings& s, text v) { s.hidden = width_list(v); }},
    {"--epoch", "N", "epochs to train, on top of those behind --checkpoint; default 5",
     [](settings& s, text v) { s.epochs = up_to(most_epochs, v); }},
    {"--batch_size", "N", "samples of a step; default 10",
     [](settings& s, text v) { s.batch_size = up_to(most_batch, v); }},
    {"--learning_rate", "X", "default 0.1 for SGD, 0.001 for Adam, 0.01 for momentum",
     [](settings& s, text v) { s.learning_rate = positive_number(v); }},
    {"--loss", "N", "1 mean squared error, 2 categorical crossentropy with softmax; default 2",
     [](settings& s, text v) { s.loss = static_cast<loss_kind>(up_to(2, v)); }},
    {"--loss_reduction_type", "N", "1 sum over batch size, 2 sum; default 1",
     [](settings& s, text v) { s.reduction = static_cast<reduction_kind>(up_to(2, v)); }},
    {"--optimizer", "N", "1 SGD, 2 Adam, 3 momentum; default 2",
     [](settings& s, text v) { s.optimizer = static_cast<optimizer_kind>(up_to(3, v)); }},
    {"--shuffle", "N", "mix the training samples anew in each epoch; N is the seed; default: no",
     [](settings& s, text v) { s.shuffle_seed = up_to(most_seed, v); }},
    {"--metric", "N", "-1 none, 0 categorical accuracy; default -1",
     [](settings& s, text v) { s.accuracy = whole_number(v, -1, 0) == 0; }},
    {"--validation_split", "X", "share of the samples, at the end, that validates; default 0",
     [](settings& s, text v) { s.validation_share = share(v); }},
    {"--num_of_trainable_ops", "N", "-1 all layers, 0 none, n the last n; default -1",
     [](settings& s, text v) { s.trainable_layers = whole_number(v, -1, most_layers); }},
    {"--checkpoint", "FILE", "resume from this checkpoint",
     [](settings& s, text v) { s.checkpoint = file_name(v); }},
    {"--init_from", "FILE", "begin with the tensors of this checkpoint that have the same names",
     [](settings& s, text v) { s.init_from = file_name(v); }},
    {"--exclude", "PATTERN", "not with these of the network, such as head.*; repeatable",
     [](settings& s, text v) { s.exclude.push_back(pattern(v)); }},
    {"--rename", "OLD=NEW", "OLD in the file is NEW here; backbone.*=encoder.* too; repeatable",
     [](settings& s, text v) { s.renames.push_back(rename(v)); }},
    {"--init_model", "FILE", "its tensors where it has no names: name dtype shape [role] a line",
     [](settings& s, text v) { s.init_model = file_name(v); }},
    {"--export_checkpoint", "FILE", "save here after every epoch, atomically",
     [](settings& s, text v) { s.export_checkpoint = file_name(v); }},
    {"--export_checkpoint_format", "NAME", "onert, onert_plus (names), v2 (all); default onert",
     [](settings& s, text v) {
       s.export_format = format_name(v);
       s.export_format_given = true;
     }},
    {"--verbose_level", "N", "0 results, 1 also samples and saves, 2 also tensors; default 0",
     [](settings& s, text v) { s.verbose_level = static_cast<int>(whole_number(v, 0, 2)); }},
    {"--directory", "DIR", "run the demo in DIR and leave its checkpoints there",
     [](settings& s, text v) { s.demo_directory = file_name(v); }},
    {"--version", nullptr, "print the version", [](settings& s, text) { s.wants_version = true; }},
    {"--help", nullptr, "print this", [](settings& s, text) { s.wants_help = true; }},
};

inline void print_help() {
  print("train [flags]: trains a multilayer perceptron with checkpoints.");
  print("Without data it learns two spirals; without any flag it shows that it resumes exactly.\n");
  for (const flag& known : flags) {
    const std::string value = known.value == nullptr ? "" : known.value;
    const std::string left = known.name + (" " + value);
    std::printf("  %-31s %s\n", left.c_str(), known.meaning);
  }
}

inline const flag& find_flag(const std::string& name) {
  for (const flag& known : flags)
    if (name == known.name) return known;
  stop(name + ": unknown; --help lists the flags");
}

inline void apply(const flag& known, const std::string& value, settings& chosen) {
  chosen.flags_given += 1;
  try {
    known.apply(chosen, value);
  } catch (const bad_value& bad) {
    const std::string blame = std::string(known.name) + " " + value;
    stop(blame + ": must be " + bad.what() + " (" + known.meaning + ")");
  }
}

/// `--flag value` and `--flag=value`.
inline settings parse(const std::vector<std::string>& words) {
  settings chosen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const flag& known = find_flag(words[i].substr(0, equals));
    const bool attached = equals != std::string::npos;
    if (known.value == nullptr) {
      if (attached) stop(words[i] + ": takes no value");
      apply(known, "", chosen);
    } else if (attached) {
      apply(known, words[i].substr(equals + 1), chosen);
    } else if (i + 1 < words.size() && words[i + 1].compare(0, 2, "--") != 0) {
      apply(known, words[++i], chosen);
    } else {
      stop(words[i] + ": needs a value: " + known.value + ", " + known.meaning);
    }
  }
  return chosen;
}

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_FLAGS_HPP
