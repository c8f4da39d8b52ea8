#ifndef CKPT_TOOL_COMMAND_LINE_HPP
#define CKPT_TOOL_COMMAND_LINE_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "container.hpp"
#include "optimizers.hpp"
#include "output.hpp"

/// What the command line asks for.
namespace tool {

struct request {
  std::string_view command;        ///< a command, --help or --version
  std::vector<std::string> words;  ///< files and names, in their order
  std::string to;
  std::string from;
  std::string model;
  std::string map;
  std::string optimizer;
  std::string slots;
  std::string slot;
  std::string npy;
  bool json = false;
  bool stats = false;
  bool model_text = false;
  bool force = false;
  bool drop_training_state = false;
  std::string problem;  ///< what is wrong with the command line, if anything is
};

struct command_rule {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  std::string_view wanted;
};

inline constexpr command_rule commands[] = {{"inspect", 1, 1, "one file"},
                                            {"verify", 1, ~std::size_t{0}, "files"},
                                            {"convert", 2, 2, "two files, IN and OUT"},
                                            {"diff", 2, 2, "two files"},
                                            {"extract", 2, 2, "a file and the name of a tensor"}};

struct option_rule {
  std::string_view name;
  std::string_view commands;  ///< that take it
  std::string request::*value = nullptr;
  bool request::*flag = nullptr;
};

inline constexpr option_rule options[] = {
    {"--to", "convert", &request::to},
    {"--from", "inspect verify convert extract", &request::from},
    {"--model", "inspect convert diff extract", &request::model},
    {"--map", "convert", &request::map},
    {"--optimizer", "inspect convert diff extract", &request::optimizer},
    {"--slots", "inspect verify convert", &request::slots},
    {"--slot", "extract", &request::slot},
    {"--npy", "extract", &request::npy},
    {"--json", "inspect verify convert diff extract", nullptr, &request::json},
    {"--stats", "inspect", nullptr, &request::stats},
    {"--model-text", "inspect", nullptr, &request::model_text},
    {"--force", "convert extract", nullptr, &request::force},
    {"--drop-training-state", "convert", nullptr, &request::drop_training_state}};

inline const command_rule* command_named(std::string_view wanted) {
  for (const command_rule& each : commands)
    if (each.name == wanted) return &each;
  return nullptr;
}

inline const option_rule* option_named(std::string_view wanted) {
  for (const option_rule& each : options)
    if (each.name == wanted) return &each;
  return nullptr;
}

/// Reads the words of a command line.
class command_line {
 public:
  explicit command_line(const std::vector<std::string_view>& words) : words_(words) {}

  [[nodiscard]] request parse() {
    bool only_words = false;
    for (at_ = 0; at_ < words_.size() && asked_.problem.empty(); ++at_) {
      const std::string_view word = words_[at_];
      if (!only_words && word == "--")
        only_words = true;
      else if (!only_words && word.size() > 1 && word[0] == '-')
        take_option(word);
      else if (asked_.command.empty())
        asked_.command = word;
      else
        asked_.words.emplace_back(word);
    }
    const bool is_command = asked_.command != "--help" && asked_.command != "--version";
    if (asked_.problem.empty() && is_command) asked_.problem = problem();
    return asked_;
  }

 private:
  /// Takes an option, and its value if it has one.
  void take_option(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const option_rule* const rule = option_named(name);
    if (word == "--help" || word == "-h" || word == "--version") {
      asked_.command = word == "--version" ? word : "--help";
    } else if (rule == nullptr || (rule->flag != nullptr && equals != std::string_view::npos)) {
      asked_.problem = "unknown option " + shown(word);
    } else if (rule->flag != nullptr) {
      asked_.*(rule->flag) = true;
      given_.push_back(rule);
    } else if (equals == std::string_view::npos && at_ + 1 == words_.size()) {
      asked_.problem = std::string(name) + " takes a value";
    } else {
      const std::string_view value =
          equals == std::string_view::npos ? words_[++at_] : word.substr(equals + 1);
      if (value.empty()) asked_.problem = std::string(name) + " takes a value";
      asked_.*(rule->value) = std::string(value);
      given_.push_back(rule);
    }
  }

  /// What is wrong with the request as a whole.
  [[nodiscard]] std::string problem() const {
    if (asked_.command.empty()) return "no command given";
    const command_rule* const rule = command_named(asked_.command);
    if (rule == nullptr) return "unknown command " + shown(asked_.command);
    if (asked_.words.size() < rule->least || asked_.words.size() > rule->most)
      return std::string(rule->name) + " takes " + std::string(rule->wanted);
    for (const option_rule* const option : given_)
      if (!has_word(option->commands, asked_.command))
        return std::string(asked_.command) + " takes no " + std::string(option->name);
    if (asked_.command == "extract" && asked_.npy.empty()) return "extract takes --npy OUT.npy";
    return value_problem();
  }

  [[nodiscard]] std::string value_problem() const {
    if (!asked_.from.empty() && !container_named(asked_.from))
      return "--from takes ckpt, safetensors, npy, oneflow or paddle, not " + shown(asked_.from);
    if (!asked_.optimizer.empty() && !optimizer_named(asked_.optimizer))
      return "--optimizer takes one of " + optimizer_list() + ", not " + shown(asked_.optimizer);
    if (asked_.slots.empty()) return {};
    const bool converts = asked_.command == "convert";
    if (!has_word(converts ? "keep drop zero drop,zero zero,drop" : "any", asked_.slots))
      return converts ? "--slots takes keep, drop, zero or drop,zero"
                      : "--slots takes one value, any";
    return {};
  }

  /// Whether a word is one of these.
  [[nodiscard]] static bool has_word(std::string_view list, std::string_view word) {
    for (std::size_t first = 0; first < list.size();) {
      const std::size_t end = (std::min)(list.find(' ', first), list.size());
      if (list.substr(first, end - first) == word) return true;
      first = end + 1;
    }
    return false;
  }

  const std::vector<std::string_view>& words_;
  std::size_t at_ = 0;
  request asked_;
  std::vector<const option_rule*> given_;
};

}  // namespace tool

#endif  // CKPT_TOOL_COMMAND_LINE_HPP
