#ifndef CKPT_INTEROP_MODEL_TEXT_HPP
#define CKPT_INTEROP_MODEL_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckpt/base/utf8.hpp"
#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/checkpoint/model_builder.hpp"
#include "ckpt/interop/duplicate.hpp"
#include "ckpt/interop/report.hpp"
#include "ckpt/interop/tokens.hpp"
#include "ckpt/io/mapping.hpp"
#include "ckpt/model/check.hpp"

/// The model file of checkpoints that know no names. Plain text in UTF-8, a tensor a line, in the
/// order of their indices:
///
///     # name       dtype  shape   role: trainable (also where none is said), frozen, absent
///     input        f32    1x784   absent
///     fc.weight    f32    784x10
///     fc.bias      f32    10
///     "a name"     f32    scalar  frozen
///     visits 2 1 3
///
/// - Words stand between spaces and tabs. A word that is empty, has white space, control characters
///   or a quote in it, or begins with `#`, stands in quotes as in JSON. So does a tensor whose name
///   is `visits`.
/// - Dtypes are f32 f64 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64 boolean.
/// - A shape is its extents with an `x` between them, outermost first; rank 0 is `scalar`.
/// - `""` is no name; only tensors that are absent may do without.
/// - `visits` gives the order in which onert-micro stores the tensors, by index from 0; once, and
///   anywhere.
/// - A `#` in front of a word begins a comment, up to the end of the line.
namespace ckpt::model_text {

namespace detail {

inline void append_role(std::string& to, role purpose) {
  if (purpose == role::frozen) to += " frozen";
  if (purpose == role::absent) to += " absent";
}

/// Reads one model.
class parser {
 public:
  explicit parser(name_view text) noexcept : text_(text) {}

  /// @errors those of model_text::parse()
  status run() {
    std::vector<ckpt::detail::token> words;
    for (;;) {
      const result<bool> more = text_.next_line(words);
      if (!more.ok()) return on_line(more.error(), text_.line());
      if (!*more) return check();
      const bool is_order = words[0].word == "visits" && !words[0].is_quoted;
      const status read = is_order ? read_visits(words) : read_tensor(words);
      if (!read.ok()) return on_line(read, text_.line());
    }
  }

  [[nodiscard]] model_builder& built() noexcept { return built_; }
  /// What the failure is about, in words.
  [[nodiscard]] const std::string& note() const noexcept { return note_; }

 private:
  using token = ckpt::detail::token;

  status on_line(status failed, std::uint64_t line) {
    failed.found = line;
    std::string place = "line ";
    ckpt::detail::append_number(place, line);
    note_ = note_.empty() ? place : place + ", " + note_;
    return failed;
  }

  /// The failure of one word.
  status about(const status& failed, const token& word) {
    if (!note_.empty()) note_ += ": ";
    note_ += ckpt::detail::in_quotes(word.word);
    return failed.at(word.offset);
  }

  status read_tensor(const std::vector<token>& words) {
    const token& named = words[0];
    note_ = "tensor " + ckpt::detail::in_quotes(named.word);
    if (!is_utf8(named.word)) return fail(errc::invalid_name).at(named.offset);
    if (words.size() < 3) {
      note_ += ", whose line is not `name dtype shape [role]`";
      return fail(errc::bad_syntax).at(words.back().offset);
    }
    if (words.size() > 4) return about(fail(errc::bad_syntax), words[4]);
    const result<dtype> type = ckpt::detail::parse_dtype(words[1].word);
    if (!type.ok() || words[1].is_quoted) return about(fail(errc::unsupported_dtype), words[1]);
    const result<shape> extents = ckpt::detail::parse_shape(words[2].word);
    if (!extents.ok()) return about(extents.error(), words[2]);
    role purpose = role::trainable;
    if (words.size() == 4 && !parse_role(words[3], purpose))
      return about(fail(errc::bad_syntax), words[3]);
    if (named.word.empty() && purpose != role::absent)
      return fail(errc::invalid_name).at(named.offset);
    built_.add(named.word, *type, *extents, purpose);
    lines_.push_back(text_.line());
    note_.clear();
    return {};
  }

  [[nodiscard]] static bool parse_role(const token& word, role& purpose) {
    if (word.is_quoted) return false;
    if (word.word == "frozen") purpose = role::frozen;
    if (word.word == "absent") purpose = role::absent;
    return purpose != role::trainable || word.word == "trainable";
  }

  status read_visits(const std::vector<token>& words) {
    note_ = "visits";
    if (visits_line_ != 0 || words.size() < 2) return fail(errc::bad_syntax).at(words[0].offset);
    visits_line_ = text_.line();
    for (std::size_t k = 1; k < words.size(); ++k) {
      const auto index = ckpt::detail::parse_number(words[k].word);
      if (!index.ok()) return about(index.error(), words[k]);
      if (*index >= no_tensor) return about(fail(errc::invalid_visits), words[k]);
      built_.visit(static_cast<std::size_t>(*index));
    }
    note_.clear();
    return {};
  }

  /// What can only be said of the whole.
  status check() {
    const model_view model = built_.model().view();
    if (const status shapes = check_shapes(model); !shapes.ok()) return about_tensor(shapes);
    std::vector<std::uint32_t> marks(model.size() + 1);
    if (const status visits = check_visits(model, marks.data()); !visits.ok()) {
      note_ = "tensor ";
      ckpt::detail::append_number(note_, visits.tensor);
      return on_line(visits, visits_line_);
    }
    std::vector<std::string_view> names;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < model.size(); ++i) {
      if (model[i].name().empty()) continue;
      names.emplace_back(model[i].name());
      indices.push_back(i);
    }
    const std::size_t again = ckpt::detail::find_duplicate(names);
    if (again == ckpt::detail::no_duplicate) return {};
    return about_tensor(fail(errc::duplicate_name).about(indices[again]));
  }

  status about_tensor(const status& failed) {
    const name_view name = built_.model().view()[failed.tensor].name();
    note_ = failed.kind == errc::duplicate_name ? "duplicate name " : "tensor ";
    note_ += ckpt::detail::in_quotes(name);
    status placed = failed;
    placed.expected = 0;
    if (failed.kind == errc::too_large) placed.kind = errc::limit_exceeded;
    return on_line(placed, lines_[failed.tensor]);
  }

  ckpt::detail::token_reader text_;
  model_builder built_;
  std::vector<std::uint64_t> lines_;  // where each tensor stands
  std::uint64_t visits_line_ = 0;
  std::string note_;
};

[[nodiscard]] inline file_result<model_builder> parse(name_view text, const std::string& subject) {
  parser reading(text);
  const status read = reading.run();
  if (read.ok()) return std::move(reading.built());
  status worded = read;
  worded.found = 0;  // the note says the line
  return {read, ckpt::detail::foreign_message("read", subject, worded, reading.note())};
}

}  // namespace detail

/// The model file of a model. Names must be UTF-8; the text of others is refused by `parse()`.
[[nodiscard]] inline std::string write(const model_view& model) {
  std::string text;
  for (const tensor_spec& tensor : model) {
    if (tensor.name() == name_view("visits")) {
      text += "\"visits\"";
    } else {
      ckpt::detail::append_word(text, tensor.name());
    }
    const name_view type = name(tensor.type());
    text.append(" ").append(type.data(), type.size()).append(" ");
    ckpt::detail::append_shape(text, tensor.extents());
    detail::append_role(text, tensor.purpose());
    text.push_back('\n');
  }
  if (!model.visits.empty()) text += "visits";
  for (const std::uint32_t index : model.visits) {
    text.push_back(' ');
    ckpt::detail::append_number(text, index);
  }
  if (!model.visits.empty()) text.push_back('\n');
  return text;
}

/// Reads the model file of a model. The status has the number of the line in `found` and the byte
/// in `offset`; the message says the line and the word.
/// @errors bad_syntax, limit_exceeded (a number or a size beyond 64 bits), unsupported_dtype,
/// invalid_name, duplicate_name, invalid_shape, invalid_visits
[[nodiscard]] inline file_result<model_builder> parse(name_view text) {
  return detail::parse(text, "a model file");
}

/// Reads the model file of this name.
/// @errors those of parse() and of basic_mapping::open()
[[nodiscard]] inline file_result<model_builder> open(const path& source) {
  const std::string subject = ckpt::detail::quoted_path(source);
  const auto mapped = native_mapping::open(source);
  if (mapped.error().kind == errc::empty_file) return detail::parse({}, subject);
  if (!mapped.ok())
    return {mapped.error(), ckpt::detail::foreign_message("read", subject, mapped.error(), {})};
  const bytes_view bytes = mapped->bytes();
  return detail::parse(name_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                       subject);
}

}  // namespace ckpt::model_text

#endif  // CKPT_INTEROP_MODEL_TEXT_HPP
