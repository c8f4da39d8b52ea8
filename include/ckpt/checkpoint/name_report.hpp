#ifndef CKPT_CHECKPOINT_NAME_REPORT_HPP
#define CKPT_CHECKPOINT_NAME_REPORT_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/checkpoint/partial_table.hpp"
#include "ckpt/codec/partial_report.hpp"

namespace ckpt {

/// One tensor in the report of a load by name.
struct named_outcome {
  std::string name;          ///< in the model, or in the file where only that has it
  std::string name_in_file;  ///< empty where the file does not have it
  tensor_form found{};       ///< what the file has, where it does
  tensor_form expected{};    ///< what the model wants, where it has the tensor
  std::size_t section = 0;   ///< mismatched: 0 the weight, 1 + s slot s of the model
};

namespace detail {

/// `; missing: a, b, c`; after twenty names only how many more there are.
inline void append_names(string_out& out, const match_plan& plan, match_outcome outcome) {
  constexpr std::size_t most = 20;
  const span<const match_entry> list = plan.list(outcome);
  if (list.empty()) return;
  out << name_view("; ") << name(outcome) << name_view(": ");
  for (std::size_t i = 0; i < list.size() && i < most; ++i) {
    if (i != 0) out << name_view(", ");
    out << plan.name(list[i]);
    if (outcome != match_outcome::mismatched) continue;
    out << name_view(" (");
    append_mismatch(out, plan, list[i]);
    out << name_view(")");
  }
  if (list.size() > most)
    out << name_view(" and ") << std::uint64_t{list.size() - most} << name_view(" more");
}

/// Whether the tensor that a failure is about is one of the file.
[[nodiscard]] inline bool is_about_file(const status& failed) noexcept {
  if (failed.kind == errc::no_names || failed.kind == errc::duplicate_name)
    return failed.part == section::weights;
  return failed.kind == errc::unexpected_tensor || failed.kind == errc::size_mismatch;
}

/// `; tensor 3 of the file is 'fc.bias'`
inline void append_culprit(string_out& out, const match_plan& plan, const status& failed) {
  const bool is_in_file = is_about_file(failed);
  const model_view& model = is_in_file ? plan.file().model : plan.model().model;
  if (failed.tensor >= model.size() || model[failed.tensor].name().empty()) return;
  out << name_view("; tensor ") << std::uint64_t{failed.tensor};
  out << (is_in_file ? name_view(" of the file") : name_view(" of the model"));
  out << name_view(" is '") << model[failed.tensor].name() << name_view("'");
}

/// "cannot load 'a.ckpt' by name: <what>; missing: a, b; unexpected: c". All that does not fit: the
/// first tensor alone helps nobody.
[[nodiscard]] inline std::string name_message(const std::string& source, const match_plan& plan,
                                              const match_rules& rules) {
  string_out out;
  out << name_view("cannot load ") << name_view(source) << name_view(" by name: ")
      << plan.error().message().view();
  append_culprit(out, plan, plan.error());
  if (!rules.missing) append_names(out, plan, match_outcome::missing);
  if (!rules.unexpected) append_names(out, plan, match_outcome::unexpected);
  if (!rules.mismatched) append_names(out, plan, match_outcome::mismatched);
  return out.str();
}

}  // namespace detail

/// What a load by name has done, with lists that own their names. Where it has an error nothing was
/// touched, and the lists say what the two sides have. The order is that of `match_plan`.
class [[nodiscard]] name_report {
 public:
  std::vector<named_outcome> loaded;
  std::vector<named_outcome> missing;     ///< in the file
  std::vector<named_outcome> unexpected;  ///< in the file
  std::vector<named_outcome> mismatched;
  std::vector<named_outcome> excluded;
  bool training_loaded = false;    ///< step, epoch and what else says where training stands
  std::uint64_t weight_bytes = 0;  ///< of weights that came from the file
  std::uint64_t slot_bytes = 0;    ///< of slots that came from the file
  std::uint64_t cold_bytes = 0;    ///< of slots that were set to zero

  /// Nothing was matched.
  name_report(const status& failed, std::string words)
      : error_(failed), message_(std::move(words)) {}
  /// @param source  what is loaded, for the message: "'a.ckpt'"
  name_report(const std::string& source, const match_plan& plan, const match_rules& rules)
      : error_(plan.error()), table_(to_table(plan)) {
    if (!error_.ok()) message_ = detail::name_message(source, plan, rules);
    std::vector<named_outcome>* const lists[] = {&loaded, &missing, &unexpected, &mismatched,
                                                 &excluded};
    for (const match_entry& entry : plan.entries())
      lists[static_cast<std::size_t>(entry.outcome)]->push_back(own(plan, entry));
  }

  /// Whether everything was loaded that the rules ask for.
  [[nodiscard]] bool ok() const noexcept { return error_.ok(); }
  [[nodiscard]] explicit operator bool() const noexcept { return ok(); }
  /// Why nothing was loaded; `errc::ok` when it was.
  [[nodiscard]] const status& error() const noexcept { return error_; }
  /// One sentence for a person, with all names that do not fit; empty when ok.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  /// A line for each tensor, and a summary.
  [[nodiscard]] const std::string& table() const noexcept { return table_; }

#if CKPT_EXCEPTIONS
  /// Throws ckpt::file_failure unless ok.
  const name_report& or_throw() const {
    if (!error_.ok()) throw file_failure(error_, message_);
    return *this;
  }
#endif

 private:
  static named_outcome own(const match_plan& plan, const match_entry& entry) {
    named_outcome owned;
    owned.name = std::string(plan.name(entry));
    owned.name_in_file = std::string(plan.name_in_file(entry));
    owned.section = entry.section;
    if (entry.in_model != no_tensor) owned.expected = plan.expected(entry);
    if (entry.in_file != no_tensor) owned.found = plan.found(entry);
    return owned;
  }

  status error_{};
  std::string message_;
  std::string table_;
};

/// The table of a report.
[[nodiscard]] inline const std::string& to_table(const name_report& report) noexcept {
  return report.table();
}

}  // namespace ckpt

#endif  // CKPT_CHECKPOINT_NAME_REPORT_HPP
