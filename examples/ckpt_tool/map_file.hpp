#ifndef CKPT_TOOL_MAP_FILE_HPP
#define CKPT_TOOL_MAP_FILE_HPP

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/interop/json.hpp"
#include "ckpt/io/mapping.hpp"
#include "output.hpp"

/// The file of `convert --map`. Text in UTF-8; words between white space, or in quotes as in JSON;
/// a `#` in front of a word begins a comment. It is of one of two kinds:
///
///     # new names: a line a tensor, "new_name old_name"
///     fc.weight  tensor.0
///     "0"        "names of digits, and `visits`, stand in quotes"
///
///     # new indices: a line a tensor, "target_index source_index"
///     1 0
///     2 1
///     3 -          # there is a tensor 3, and nothing is stored of it
///     visits 2 1   # the order in which onert-micro stores the tensors of the target
namespace tool {

struct map_file {
  std::vector<std::pair<std::string, std::string>> names;  ///< new, old
  /// For each index of the target the one of the source, `ckpt::no_tensor` where nothing is stored.
  std::vector<std::uint32_t> indices;
  std::vector<std::uint32_t> visits;
  bool has_indices = false;
};

/// No model has as many tensors.
inline constexpr std::uint32_t largest_index = 999999;

struct map_word {
  std::string text;
  bool is_quoted = false;
};

inline bool is_digits(const map_word& word) {
  return !word.is_quoted && word.text.find_first_not_of("0123456789") == std::string::npos;
}

/// All of a word as an index.
inline std::optional<std::uint32_t> index_of(const map_word& word) {
  std::uint32_t index = 0;
  const char* const end = word.text.data() + word.text.size();
  const auto done = std::from_chars(word.text.data(), end, index);
  if (word.is_quoted || done.ptr != end || done.ec != std::errc{} || index > largest_index)
    return std::nullopt;
  return index;
}

/// Reads a map. `run()` returns what is wrong, and nothing where all is well.
class map_parser {
 public:
  explicit map_parser(std::string_view text) : text_(text) {}

  [[nodiscard]] std::string run() {
    while (!text_.empty()) {
      const std::size_t end = (std::min)(text_.find('\n'), text_.size());
      ++line_;
      const std::string why = take_line(text_.substr(0, end));
      if (!why.empty()) return "line " + std::to_string(line_) + ": " + why;
      text_.remove_prefix((std::min)(end + 1, text_.size()));
    }
    if (made_.names.empty() && !made_.has_indices) return "there is no line in it";
    return {};
  }

  [[nodiscard]] map_file& made() { return made_; }

 private:
  static constexpr std::string_view space = " \t\r";

  [[nodiscard]] std::string take_line(std::string_view line) {
    std::vector<map_word> words;
    while (true) {
      line.remove_prefix((std::min)(line.find_first_not_of(space), line.size()));
      if (line.empty() || line[0] == '#') break;
      if (!take_word(line, words)) return "a word in quotes is not as in JSON";
    }
    if (words.empty()) return {};
    if (words[0].text == "visits" && !words[0].is_quoted) return take_visits(words);
    if (words.size() != 2) return "two words stand in a line, new and old";
    const bool is_nothing = words[1].text == "-" && !words[1].is_quoted;
    if (is_digits(words[0]) && (is_nothing || is_digits(words[1])))
      return take_indices(words[0], words[1]);
    if (made_.has_indices) return "names in a map of indices";
    made_.names.emplace_back(std::move(words[0].text), std::move(words[1].text));
    return {};
  }

  [[nodiscard]] static bool take_word(std::string_view& line, std::vector<map_word>& words) {
    map_word word;
    if (line[0] == '"') {
      ckpt::json::reader quoted_word{ckpt::name_view(line)};
      if (!quoted_word.read_string(word.text).ok()) return false;
      word.is_quoted = true;
      line.remove_prefix(static_cast<std::size_t>(quoted_word.offset()));
    } else {
      const std::size_t end = (std::min)(line.find_first_of(space), line.size());
      word.text = std::string(line.substr(0, end));
      line.remove_prefix(end);
    }
    words.push_back(std::move(word));
    return true;
  }

  [[nodiscard]] std::string take_indices(const map_word& to, const map_word& from) {
    if (!made_.names.empty()) return "indices in a map of names";
    for (const map_word* const word : {&to, &from})
      if (is_digits(*word) && !index_of(*word)) return "'" + word->text + "' is no index";
    made_.has_indices = true;
    const std::uint32_t target = *index_of(to);
    if (target >= made_.indices.size()) {
      made_.indices.resize(target + 1, ckpt::no_tensor);
      is_given_.resize(target + 1, false);
    }
    if (is_given_[target]) return "index " + std::to_string(target) + " of the target comes twice";
    is_given_[target] = true;
    made_.indices[target] = index_of(from).value_or(ckpt::no_tensor);
    return {};
  }

  [[nodiscard]] std::string take_visits(const std::vector<map_word>& words) {
    if (!made_.names.empty()) return "visits in a map of names";
    if (!made_.visits.empty()) return "visits come twice";
    for (std::size_t k = 1; k < words.size(); ++k) {
      const auto index = index_of(words[k]);
      if (!index) return "'" + words[k].text + "' is no index";
      made_.visits.push_back(*index);
    }
    return made_.visits.empty() ? "visits of nothing" : "";
  }

  std::string_view text_;
  std::size_t line_ = 0;
  map_file made_;
  std::vector<bool> is_given_;
};

/// @errors bad_syntax, those of `ckpt::basic_mapping::open()`
inline ckpt::file_result<map_file> open_map(const std::string& file) {
  const auto mapped = ckpt::native_mapping::open(file);
  if (!mapped.ok()) return {mapped.error(), failure_words("open", file, mapped.error())};
  const ckpt::bytes_view bytes = mapped->bytes();
  map_parser parser({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const std::string why = parser.run();
  if (why.empty()) return std::move(parser.made());
  return {ckpt::fail(ckpt::errc::bad_syntax), "cannot use '" + file + "': " + why};
}

}  // namespace tool

#endif  // CKPT_TOOL_MAP_FILE_HPP
