#ifndef CKPT_EXAMPLES_TRAINER_COMMAND_LINE_HPP
#define CKPT_EXAMPLES_TRAINER_COMMAND_LINE_HPP

// The command line: the words of it as settings, and the help.

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "flags.hpp"
#include "settings.hpp"

namespace trainer {

inline constexpr const char* help_on_resuming = R"(
Steps and epochs are counted when they are completed: a checkpoint of step 3 goes on with the
fourth. There are two ways to go on:
  --checkpoint FILE          --epoch is how many more: 2, then 3 from its file, are 5 in all.
  --checkpoint_dir DIR --resume
                             --epoch is the total: a run of 5 that ended in its third does the rest
                             of that and two more. The first step is the one behind the last that
                             was saved, and no batch is read only to be skipped. Where DIR has no
                             checkpoint a new run begins, so one command serves for both.
What a flag does not say comes from the checkpoint (learning rate, its schedule and its length,
seed of the shuffle), then from the default. With --checkpoint that needs a v2 file, and a
schedule is to be given again.
--checkpoint_dir saves v2 files, which have all of the state; of onert and onert_plus files the rest
is in the file of arguments beside them, so those resume as exactly. --keep_best loss means the mean
of the epoch so far; val_loss is known at the end of an epoch only, so a run that keeps the best of
it saves there too. At the end there is a checkpoint, unless --clean_on_success takes all away.
SIGINT and SIGTERM save and stop (exit code 128 and the signal), SIGHUP saves and goes on.
--rollback goes back to the newest good checkpoint when the loss is not finite, or rose N steps in a
row behind the first checkpoint; each time with half of the learning rate. It gives up (exit code 1,
checkpoints stay) when 3 times in a row led to no better one, when there is none to go back to, and
after 10 times in all.
)";

inline void print_help() {
  print("train [flags]: trains a multilayer perceptron with checkpoints.");
  print("Without data it learns two spirals; without any flag it shows that it resumes exactly.\n");
  for (const flag& known : flags) {
    const std::string value = known.value == nullptr ? "" : known.value;
    const std::string left = known.name + (" " + value);
    std::printf("  %-31s %s\n", left.c_str(), known.meaning);
  }
  std::printf("%s", help_on_resuming);
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

#endif  // CKPT_EXAMPLES_TRAINER_COMMAND_LINE_HPP
