#ifndef CKPT_TOOL_HELP_HPP
#define CKPT_TOOL_HELP_HPP

#include <string_view>

namespace tool {

inline constexpr std::string_view usage =
    "usage: ckpt inspect FILE [--stats] [--model-text] [--model FILE] [--optimizer NAME]\n"
    "                    [--slots any] [--from KIND] [--json]\n"
    "       ckpt verify FILE... [--slots any] [--from KIND] [--json]\n"
    "       ckpt convert IN OUT [--to FORMAT] [--from KIND] [--model FILE] [--map FILE]\n"
    "                    [--optimizer NAME] [--slots keep|drop|zero] [--drop-training-state]\n"
    "                    [--force] [--json]\n"
    "       ckpt diff A B [--model FILE] [--optimizer NAME] [--json]\n"
    "       ckpt extract FILE NAME [--slot NAME] --npy OUT.npy [--model FILE]\n"
    "                    [--optimizer NAME] [--from KIND] [--force] [--json]\n"
    "       ckpt --help | --version\n";

inline constexpr std::string_view help =
    R"(
Looks into training checkpoints, converts and compares them. A FILE is a checkpoint of onert,
onert-micro or ckpt, a safetensors file, an array of NumPy (.npy), a directory of OneFlow, or a
directory or variable file of PaddlePaddle. Which of them is seen from its bytes, or said by
--from ckpt|safetensors|npy|oneflow|paddle.

inspect: show what a file holds, tensor by tensor, or its first fault
  --stats        least, most, mean and norm (root of the sum of squares) of the finite elements of
                 each tensor, and how many are NaN and infinite
  --model-text   print the model file that --model reads, and nothing else
  --slots any    take slots that are not as large as their weights
  --model FILE, --optimizer NAME
                 what the tensors and slots of a file without names are, as for convert; diff and
                 extract take them, too

verify: check files and say one line for each

convert: write IN in another format to OUT
  --to FORMAT    onert, onert_micro, onert_plus, onert_micro_plus, v2, safetensors, oneflow, paddle
                 or npy. May be left out where OUT ends in .safetensors or .npy. oneflow and paddle
                 make a directory; so does npy, with one file a weight, unless OUT ends in .npy:
                 then IN must have one weight.
  --model FILE   where IN has no names: what its tensors are. Where it has: which of them OUT has,
                 and in which order; dtypes and shapes must agree.
  --map FILE     other names, or other indices (see below)
  --optimizer NAME
                 where IN has no names and this optimizer has as many slots: whose slots they are.
                 Otherwise: which optimizer OUT is for. One of sgd, momentum, adam, adamw, adagrad,
                 rmsprop, rmsprop_centred, amsgrad, lamb, adafactor, adam8bit.
  --slots drop   leave out the slots that the optimizer of OUT does not have (without --optimizer:
                 all), as from Adam to SGD
  --slots zero   slots that IN does not have are zero in OUT, as from SGD to Adam
  --slots drop,zero
                 both; --slots keep, the default, is neither
  --drop-training-state
                 leave out what most formats have no place for: all but step and epoch; for oneflow
                 and paddle all but the step, for npy all
  --force        replace OUT if it is a file. A directory is never replaced, and OUT never is IN.

diff: compare two files: structure, then every element. Tensors and slots meet by name, whatever
their order and the formats; where a file has no names, by position. Elements are equal when their
bits are. A relative difference is one to the larger of both.

extract: write one tensor, or a slot of it, as an array of NumPy; bfloat16 as |V2

  --json         print one JSON document (verify: one a file). Numbers that JSON does not have are
                 the strings "nan", "inf", "-inf"; integers may have 64 bits.
  --             what follows are files

A model file has a line for each tensor: name dtype shape [trainable|frozen|absent]. Words with
spaces stand in quotes as in JSON; a # begins a comment; `visits 2 1 3` is the order in which
onert-micro stores the tensors:
  input      f32  1x784   absent
  fc.weight  f32  784x10
  fc.bias    f32  10

A map file is of one of two kinds. Each line of the first gives a tensor another name: new_name
old_name. Each line of the second says which tensor of IN is where in OUT: target_index
source_index. `5 -` is a tensor of OUT of which nothing is stored; so are indices below the largest
that no line has. `visits ...` is the order of OUT. Names that are numbers stand in quotes.

exit status: 0 valid, done or equal; 1 not valid, refused or different (diff: only different);
2 wrong usage, a file that cannot be read or written (diff: any trouble). Of several files the
worst counts.
)";

}  // namespace tool

#endif  // CKPT_TOOL_HELP_HPP
