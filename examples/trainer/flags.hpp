#ifndef CKPT_EXAMPLES_TRAINER_FLAGS_HPP
#define CKPT_EXAMPLES_TRAINER_FLAGS_HPP

// Flags: what they are called, what they take and what they set.

#include <cstddef>
#include <cstdint>

#include "flag_values.hpp"
#include "settings.hpp"

namespace trainer {

struct flag {
  const char* name;
  const char* value;  // null: takes none
  const char* meaning;
  void (*apply)(settings& chosen, text value);
};

inline std::uint64_t count(text value) {
  return static_cast<std::uint64_t>(whole_number(value, 1, most_steps));
}

/// Where a flag goes that needs a directory.
inline directory_settings& for_directory(settings& chosen, const char* flag_name) {
  chosen.directory.flag_given = flag_name;
  return chosen.directory;
}

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
    {"--epoch", "N", "epochs to train: more with --checkpoint, in all with --resume; default 5",
     [](settings& s, text v) { s.epochs = up_to(most_epochs, v); }},
    {"--batch_size", "N", "samples of a step; default 10",
     [](settings& s, text v) { s.batch_size = up_to(most_batch, v); }},
    {"--learning_rate", "X", "default 0.1 for SGD, 0.001 for Adam, 0.01 for momentum",
     [](settings& s, text v) { s.learning_rate = positive_number(v); }},
    {"--lr_schedule", "NAME", "constant, or warmup_cosine: up to the rate, then down to 0",
     [](settings& s, text v) { s.schedule = schedule_name(v); }},
    {"--warmup_steps", "N", "steps on the way up; default 0",
     [](settings& s, text v) {
       s.warmup_steps = static_cast<std::uint64_t>(whole_number(v, 0, most_steps));
     }},
    {"--total_steps", "N", "steps up and down, from step 0 on; default: all of this run",
     [](settings& s, text v) { s.total_steps = count(v); }},
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
    {"--checkpoint_dir", "DIR", "save into this directory, made if absent, while it trains",
     [](settings& s, text v) { s.directory.name = file_name(v); }},
    {"--resume", nullptr, "go on from the newest good one in it; --epoch is then the total",
     [](settings& s, text) { for_directory(s, "--resume").resume = true; }},
    {"--step_interval", "N", "save after every N-th step; default 10",
     [](settings& s, text v) { for_directory(s, "--step_interval").step_interval = count(v); }},
    {"--epoch_interval", "N", "but only in every N-th epoch, counted from 0; default 1",
     [](settings& s, text v) { for_directory(s, "--epoch_interval").epoch_interval = count(v); }},
    {"--max_to_keep", "N", "newest checkpoints that stay; default 3",
     [](settings& s, text v) {
       for_directory(s, "--max_to_keep").max_to_keep = up_to(most_kept, v);
     }},
    {"--keep_every", "N", "the first of every N steps also stays; default: none",
     [](settings& s, text v) { for_directory(s, "--keep_every").keep_every = count(v); }},
    {"--keep_best", "METRIC", "so does the one with the lowest loss, or val_loss",
     [](settings& s, text v) { for_directory(s, "--keep_best").best_metric = metric_name(v); }},
    {"--checkpoint_dir_format", "NAME", "onert, onert_plus, v2: files that go there; default v2",
     [](settings& s, text v) {
       for_directory(s, "--checkpoint_dir_format").format = format_name(v);
     }},
    {"--async", nullptr, "save in the background",
     [](settings& s, text) { for_directory(s, "--async").async = true; }},
    {"--clean_on_success", nullptr, "remove these checkpoints at the normal end",
     [](settings& s, text) { for_directory(s, "--clean_on_success").clean_on_success = true; }},
    {"--rollback", "N", "go back when the loss is NaN or rose N steps in a row; default: no",
     [](settings& s, text v) { for_directory(s, "--rollback").rises_to_go_back = count(v); }},
    {"--verbose_level", "N",
     "0 results, 1 also samples and saves, 2 also tensors and steps; default 0",
     [](settings& s, text v) { s.verbose_level = static_cast<int>(whole_number(v, 0, 2)); }},
    {"--directory", "DIR", "run the demo in DIR and leave its checkpoints there",
     [](settings& s, text v) { s.demo_directory = file_name(v); }},
    {"--version", nullptr, "print the version", [](settings& s, text) { s.wants_version = true; }},
    {"--help", nullptr, "print this", [](settings& s, text) { s.wants_help = true; }},
};

}  // namespace trainer

#endif  // CKPT_EXAMPLES_TRAINER_FLAGS_HPP
