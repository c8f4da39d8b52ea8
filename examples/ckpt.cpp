/// The tool `ckpt`: shows what is in a checkpoint or where it is broken, converts and compares.
///
///     c++ -std=c++17 -O2 -I include examples/ckpt.cpp -o ckpt
///
/// Files are mapped, and nothing of them is believed before it was checked. Of a checkpoint
/// without checksums `inspect` and `verify` read only header, tables and footer. Entries are listed
/// for tables that lie inside of the file, so memory is bounded by its size whatever its header
/// says.

#include <algorithm>
#include <cstdio>
#include <new>
#include <string>

#include "ckpt/version.hpp"
#include "ckpt_tool/command_line.hpp"
#include "ckpt_tool/convert.hpp"
#include "ckpt_tool/diff.hpp"
#include "ckpt_tool/extract.hpp"
#include "ckpt_tool/help.hpp"
#include "ckpt_tool/inspect.hpp"
#include "ckpt_tool/verify.hpp"

namespace tool {
namespace {

int run_command(const request& asked, const hints& said) {
  if (asked.command == "inspect") return inspect(asked, said);
  if (asked.command == "verify") return verify(asked, said);
  if (asked.command == "convert") return conversion(asked, said).run();
  if (asked.command == "diff") return diff(asked, said);
  return extract(asked, said);
}

/// Opens the model file, if there is one, and runs the command.
int run(const request& asked) {
  if (!asked.problem.empty()) {
    complain("ckpt: " + asked.problem + "\n" + std::string(usage));
    return exit_trouble;
  }
  if (asked.command == "--help") return put(std::string(usage) + std::string(help)), exit_ok;
  if (asked.command == "--version") return put("ckpt " CKPT_VERSION_STRING "\n"), exit_ok;
  hints said;
  if (asked.slots == "any") said.sizes = ckpt::slot_sizes::any;
  if (!asked.from.empty()) said.kind = container_named(asked.from);
  if (!asked.optimizer.empty()) said.optimizer = *optimizer_named(asked.optimizer);
  if (asked.model.empty()) return run_command(asked, said);
  const auto opened = ckpt::model_text::open(asked.model);
  if (opened.ok()) {
    said.model = opened->model().view();
    return run_command(asked, said);
  }
  complain("ckpt: " + shown(opened.message()) + "\n");
  if (asked.json) put_json_failure(asked.model, opened.error(), opened.message());
  return asked.command == "diff" ? exit_trouble : exit_code_of(opened.error());
}

}  // namespace
}  // namespace tool

int main(int argc, char** argv) try {
  const std::vector<std::string_view> words(argv + (std::min)(argc, 1), argv + argc);
  const int status = tool::run(tool::command_line(words).parse());
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  tool::complain("ckpt: the output cannot be written\n");
  return tool::exit_trouble;
} catch (const std::bad_alloc&) {
  tool::complain("ckpt: out of memory\n");
  return tool::exit_trouble;
}
