#ifndef CKPT_INTEROP_PADDLE_OPEN_HPP
#define CKPT_INTEROP_PADDLE_OPEN_HPP

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ckpt/checkpoint/contents.hpp"
#include "ckpt/checkpoint/file_result.hpp"
#include "ckpt/interop/paddle_names.hpp"
#include "ckpt/interop/paddle_variable.hpp"
#include "ckpt/interop/slot_claims.hpp"
#include "ckpt/interop/variables.hpp"
#include "ckpt/interop/whole_file.hpp"
#include "ckpt/io/directory.hpp"

namespace ckpt::paddle {

/// How to open.
struct open_options {
  /// Refuse a directory without `_SUCCESS`. Fluid makes one in checkpoints only.
  bool require_mark = false;
  /// Tell slots from weights. Otherwise every variable is a tensor of its own.
  bool find_slots = true;
  /// The variable that counts steps; empty: none.
  std::string step_counter = std::string(detail::step_name);
  /// Whose slots to look for, by `slot_names`. Without slots: those of the optimizers of ckpt.
  optimizer_view optimizer{};
};

namespace detail {

/// Reads a directory into contents. `blamed()` is what the last failure was about.
class directory_reader {
 public:
  directory_reader(const path& directory, const open_options& how, contents& to)
      : root_(directory), how_(how), to_(to), blamed_(directory) {}

  [[nodiscard]] const path& blamed() const noexcept { return blamed_; }

  [[nodiscard]] status read() {
    const result<entry_kind> found = entry_at(root_);
    if (!found.ok()) return found.error();
    if (*found != entry_kind::directory) {
      if (const status opened = read_variable(root_, ckpt::detail::last_name(root_)); !opened.ok())
        return opened;
      fill(false);
      return {};
    }
    const auto names = list_directory(root_);
    if (!names.ok()) return names.error();
    bool is_marked = false;
    for (const std::string& name : *names) {
      blamed_ = root_ / name;
      is_marked = is_marked || name == mark_name;
      if (name == mark_name || name == program_name || is_directory(blamed_)) continue;
      if (const status opened = read_variable(root_ / name, name); !opened.ok()) return opened;
    }
    blamed_ = root_;
    if (how_.require_mark && !is_marked) return fail(errc::not_finished);
    if (const status taken = take_step(); !taken.ok()) return taken;
    fill(how_.find_slots);
    return {};
  }

 private:
  [[nodiscard]] status read_variable(const path& file_name, const std::string& name) {
    blamed_ = file_name;
    if (!ckpt::detail::is_harmless_name(name)) return fail(errc::invalid_name);
    bytes_view all;
    if (const status mapped = ckpt::detail::map_whole(file_name, to_, all); !mapped.ok())
      return mapped;
    const auto parsed = parse_variable(all);
    if (!parsed.ok()) return parsed.error();
    variables_.push_back({name, parsed->form, parsed->bytes});
    return {};
  }

  /// Moves the step from the variables to the training state.
  [[nodiscard]] status take_step() {
    const std::size_t found = ckpt::detail::find_variable(variables_, how_.step_counter);
    if (how_.step_counter.empty() || found == ckpt::detail::no_variable) return {};
    blamed_ = root_ / how_.step_counter;
    return ckpt::detail::take_step(variables_, found, to_.training.step);
  }

  void fill(bool with_slots) {
    const auto claims = with_slots
                            ? ckpt::detail::find_slots(variables_, how_.optimizer, suffix_of)
                            : ckpt::detail::slot_claims(variables_, optimizer_view{}, suffix_of);
    const auto is_counter = [](const std::string& name) { return name[0] == '@'; };
    ckpt::detail::fill_contents(variables_, claims, claims.optimizer().name, is_counter, to_);
  }

  const path& root_;
  const open_options& how_;
  contents& to_;
  path blamed_;
  std::vector<ckpt::detail::variable> variables_;
};

}  // namespace detail

/// Opens a directory of variable files, or one such file: checks and maps all of them, reads no
/// elements. The tensors are in the order of their names, which are those of the files.
/// Directories, `_SUCCESS` and `__model__` (the program) are left aside, anything else must be a
/// variable file. A variable is a slot only where its weight is there and all slots of that weight
/// are, in the form of the weight; where slots were found, variables without are frozen. AdamW and
/// LAMB look like Adam. What is opened stays valid as long as nobody cuts the files.
/// @errors those of `parse_variable()`, not_finished, invalid_name, bad_training_state (the step),
///         empty_path, invalid_path, not_found, permission_denied, not_a_regular_file, too_large,
///         no_memory, input_output
[[nodiscard]] inline file_result<contents> open(const path& directory,
                                                const open_options& how = {}) {
  contents made;
  detail::directory_reader reader(directory, how, made);
  const status done = ckpt::detail::without_exceptions([&] { return reader.read(); });
  if (done.ok()) return file_result<contents>(std::move(made));
  return {done, ckpt::detail::file_message("open", reader.blamed(), done, {})};
}

}  // namespace ckpt::paddle

#endif  // CKPT_INTEROP_PADDLE_OPEN_HPP
