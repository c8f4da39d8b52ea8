#!/bin/sh
# Tests of examples/train.cpp.
#
#     sh tests/examples/train_test.sh path/to/train [path/to/version.hpp]
#
# One line a check; stops with exit code 1 at the first that fails.
set -u

[ $# -ge 1 ] || { echo "usage: $0 path/to/train [path/to/version.hpp]" >&2; exit 2; }
case $1 in
  /*) train=$1 ;;
  *) train=$PWD/$1 ;;
esac
version_header=${2:-$(dirname "$0")/../../include/ckpt/version.hpp}
version=$(sed -n 's/.*CKPT_VERSION_STRING "\(.*\)".*/\1/p' "$version_header")

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 2
passed=0

fail() {
  echo "FAILED: $1"
  [ ! -s out ] || sed 's/^/  stdout: /' out
  [ ! -s err ] || sed 's/^/  stderr: /' err
  echo "$passed passed, 1 failed"
  exit 1
}

pass() {
  echo "ok: $1"
  passed=$((passed + 1))
}

# check NAME COMMAND...: the command must succeed.
check() {
  name=$1
  shift
  "$@" || fail "$name"
  pass "$name"
}

# run ARGUMENT...: train must succeed; what it printed is in out and err.
run() { "$train" "$@" > out 2> err || fail "train $* exits with 0"; }

# refuses NAME "TEXT" ARGUMENT...: train must exit with 1, and stderr must hold TEXT.
refuses() {
  name=$1
  text=$2
  shift 2
  "$train" "$@" > out 2> err
  code=$?
  [ $code -eq 1 ] || fail "$name (exit code $code, not 1)"
  grep -qF -e "$text" err || fail "$name (stderr does not say: $text)"
  [ "$(wc -l < err)" -eq 1 ] || fail "$name (stderr is not one line)"
  pass "$name"
}

# The figures of the epoch lines, without number and time.
figures() { sed -n 's/^Epoch .* - time: [0-9.]*ms\/step - //p' "$1"; }
last_epochs() { figures "$1" | tail -n "$2"; }
differ() { ! cmp -s "$1" "$2"; }
same_text() { [ "$1" = "$2" ]; }
says() { grep -qE -e "$2" "$1"; }
bytes() { wc -c < "$1" | tr -d ' '; }
# word FILE OFFSET: a little-endian u32.
word() {
  od -An -v -tu1 -j "$2" -N 4 "$1" |
    awk '{ print $1 + 256 * ($2 + 256 * ($3 + 256 * $4)) }'
}
# part FILE FIRST END
part() { tail -c +$(($2 + 1)) "$1" | head -c $(($3 - $2)); }

# ---- Resumed runs are exact --------------------------------------------------------------------

# resumes NAME OPTIMIZER FIRST [ARGUMENT...]: 5 epochs equal FIRST epochs, saved, and the rest.
resumes() {
  what=$1
  optimizer=$2
  first=$3
  shift 3
  run --optimizer "$optimizer" --epoch 5 --export_checkpoint a.ckpt "$@"
  mv out whole
  run --optimizer "$optimizer" --epoch "$first" --export_checkpoint b.ckpt "$@"
  steps=$(word b.ckpt $(($(bytes b.ckpt) - 8)))
  run --optimizer "$optimizer" --epoch $((5 - first)) --checkpoint b.ckpt \
    --export_checkpoint c.ckpt "$@"
  check "$what: says what it restored" \
    says out "^Restored checkpoint b\.ckpt: step $steps, epoch $first\$"
  check "$what: numbering restarts at 1" says out "^Epoch 1/$((5 - first)) - "
  check "$what: losses equal those of one run" \
    same_text "$(last_epochs out $((5 - first)))" "$(last_epochs whole $((5 - first)))"
  check "$what: checkpoints equal byte for byte" cmp a.ckpt c.ckpt
}

resumes "SGD 2 + 3" 1 2
check "SGD: the file has no slot bytes" same_text "$(bytes a.ckpt)" 4924
check "SGD: 5 losses are printed" same_text "$(figures whole | wc -l | tr -d ' ')" 5
figures whole > sgd.losses
check "SGD: the loss falls" awk 'NR == 1 { first = $3 } END { exit !($3 < first) }' sgd.losses
check "the footer counts completed steps" same_text "$(word a.ckpt 4916)" 500
check "the footer counts completed epochs" same_text "$(word a.ckpt 4920)" 5

resumes "momentum 2 + 3" 3 2
check "momentum: the file has one slot" same_text "$(bytes a.ckpt)" 9820

resumes "Adam with mean squared error and a split 3 + 2" 2 3 --loss 1 --loss_reduction_type 2 \
  --metric 0 --validation_split 0.25 --batch_size 7 --learning_rate 0.0005 --hidden 9,5

resumes "Adam 1 + 4" 2 1
check "Adam: the file has two slots" same_text "$(bytes a.ckpt)" 14716

cp b.ckpt no_step.ckpt
dd if=/dev/zero of=no_step.ckpt bs=1 seek=$(($(bytes b.ckpt) - 8)) count=4 conv=notrunc 2> /dev/null
run --epoch 4 --checkpoint no_step.ckpt --export_checkpoint d.ckpt
check "control: the step is gone" says out '^Restored checkpoint no_step\.ckpt: step 0, epoch 1$'
part a.ckpt 0 14708 > a.tensors
part d.ckpt 0 14708 > d.tensors
check "control: Adam without its step ends elsewhere" differ a.tensors d.tensors
last_epochs whole 4 > whole.losses
last_epochs out 4 > out.losses
check "control: and prints other losses" differ whole.losses out.losses

run --epoch 2 --export_checkpoint same.ckpt
run --epoch 3 --checkpoint same.ckpt --export_checkpoint same.ckpt
check "a checkpoint may be resumed onto itself" cmp a.ckpt same.ckpt
run --epoch=5 --optimizer=2 --export_checkpoint=equals.ckpt
check "--flag=value is --flag value" cmp a.ckpt equals.ckpt
run --epoch 3 --export_checkpoint every.ckpt --verbose_level 1
check "saves at the end of every epoch" \
  same_text "$(grep -c '^Saved checkpoint every\.ckpt: step ' out)" 3
mkdir alone
run --epoch 2 --export_checkpoint alone/every.ckpt
check "leaves nothing beside the checkpoint" same_text "$(ls -A alone)" every.ckpt

# ---- Learning, metric, split -------------------------------------------------------------------

run --optimizer 2 --epoch 25 --metric 0
check "Adam at its defaults knows more than 95 % of the spirals" \
  awk '/^Epoch 25\/25/ { good = $NF > 0.95 } END { exit !good }' out
number='[0-9]+\.[0-9]{4}'
both="loss: \[0\] $number - categorical_accuracy: \[0\] $number"
check "the epoch line with metric" \
  says out "^Epoch 1/25 - time: [0-9]+\.[0-9]{3}ms/step - $both\$"
for line in '- learning_rate        = 0.001' '- batch_size           = 10' \
  '- loss_info            = {loss = categorical crossentropy, reduction = sum over batch size}' \
  '- optimizer            = adam' '- num_of_trainable_ops = -1'; do
  check "prints '$line'" grep -qxF -e "$line" out
done
check "no progress bar where stdout is no terminal" \
  same_text "$(tr -dc '\r' < out | wc -c | tr -d ' ')" 0

for percent in 10 20 29 30 40 57 58 70 80 90 99; do
  run --epoch 1 --validation_split 0.$percent --metric 0 --verbose_level 1
  left=$((100 - percent))
  grep -qxF "training: ${left}0 samples, $left steps" out || fail "0.$percent leaves ${left}0"
  grep -qxF "validation: ${percent}0 samples, $percent steps" out || fail "0.$percent of 1000"
done
pass "a split is exact"
check "the epoch line with split and metric" \
  says out "ms/step - $both - val_$(echo "$both" | sed 's/- c/- val_c/')\$"
run --epoch 1 --validation_split 0.29
check "the epoch line with split" says out " - loss: \[0\] $number - val_loss: \[0\] $number\$"
run --epoch 1 --metric -1 --verbose_level 2
check "the epoch line alone" says out "^Epoch 1/1 - time: [0-9.]+ms/step - loss: \[0\] $number\$"
check "lists the tensors" grep -qxF '  layer2.weight: 1024 floats' out
run --epoch 1 --batch_size 300 --verbose_level 1
check "steps are whole batches" grep -qxF 'training: 1000 samples, 3 steps' out

run --epoch 1 --loss_reduction_type 1 --learning_rate 1e-20 --optimizer 1
mean=$(figures out | sed 's/.* //')
run --epoch 1 --loss_reduction_type 2 --learning_rate 1e-20 --optimizer 1
sum=$(figures out | sed 's/.* //')
check "the sum of 10 samples is 10 times their mean ($sum, $mean)" \
  awk "BEGIN { d = $sum - 10 * $mean; exit !(d > -0.001 && d < 0.001) }"

# ---- Frozen layers -----------------------------------------------------------------------------

run --optimizer 1 --epoch 1 --num_of_trainable_ops 0 --export_checkpoint start.ckpt
run --optimizer 1 --epoch 1 --num_of_trainable_ops 1 --export_checkpoint last.ckpt
run --optimizer 1 --epoch 1 --num_of_trainable_ops 3 --export_checkpoint all.ckpt
third=$(word start.ckpt $((20 + 4 * 4)))  # offset of layer3.weight: two layers are before it
for name in start last all; do
  part $name.ckpt 0 "$third" > $name.frozen
  part $name.ckpt "$third" 4916 > $name.trained
done
check "--num_of_trainable_ops 1 leaves the first two layers as they were" \
  cmp start.frozen last.frozen
check "--num_of_trainable_ops 1 trains the last layer" differ start.trained last.trained
check "--num_of_trainable_ops 3 trains the first layers" differ start.frozen all.frozen
run --optimizer 1 --epoch 1 --export_checkpoint default.ckpt
check "all layers are trained by default" cmp all.ckpt default.ckpt

resumes "Adam with frozen layers 2 + 3" 2 2 --num_of_trainable_ops 1
check "frozen layers have no slots" same_text "$(bytes a.ckpt)" $((4924 + 2 * (4 * 6 + 4 * 66)))
part a.ckpt 0 "$third" | tail -c +45 > adam.frozen
tail -c +45 start.frozen > start.weights
check "Adam leaves frozen layers as they were" cmp start.weights adam.frozen

# ---- Raw data ----------------------------------------------------------------------------------

zero='\0000\0000\0000\0000'
one='\0000\0000\0200\0077'
# 64 samples of exclusive or; what is expected, as a class and as a number.
repeat() {  # COUNT BYTES
  left=$1
  while [ "$left" -gt 0 ]; do
    printf '%b' "$2"
    left=$((left - 1))
  done
}
repeat 16 "$zero$zero$zero$one$one$zero$one$one" > xor.input
repeat 16 "$one$zero$zero$one$zero$one$one$zero" > xor.class
repeat 16 "$zero$one$one$zero" > xor.number

xor() { run --load_input:raw xor.input --load_expected:raw "$@"; }
xor xor.class --input_size 2 --output_size 2 --hidden 8 --batch_size 4 --epoch 200 --metric 0 \
  --learning_rate 0.01
check "raw data: learns exclusive or" \
  says out '^Epoch 200/200 .*categorical_accuracy: \[0\] 1\.0000$'
xor xor.number --output_size 1 --hidden 8,8 --batch_size 4 --epoch 200 --loss 1 \
  --learning_rate 0.01 --export_checkpoint number.ckpt
check "raw data: learns a number" \
  awk '/^Epoch 200\/200/ { good = $NF < 0.01 } END { exit !good }' out
check "raw data: the widths are those of the flags" \
  same_text "$(word number.ckpt 16) $(word number.ckpt 24)" "6 $((20 + 6 * 4 + 8 * 2 * 4))"
resumes "raw data 2 + 3" 2 2 --load_input:raw xor.input --load_expected:raw xor.class \
  --batch_size 5 --validation_split 0.5 --metric 0 --hidden 6
check "raw data: nothing on stderr" [ ! -s err ]

# Inputs of zero make every output zero, so every figure is known: 20 samples of class 0, then 20 of
# class 1.
{
  repeat 20 "$one$zero"
  repeat 20 "$zero$one"
} > zeros.class
head -c 320 /dev/zero > zeros.input
zeros() {
  run --load_input:raw zeros.input --load_expected:raw zeros.class --metric 0 \
    --validation_split 0.5 --epoch 1 "$@"
  figures out
}
known() {
  printf '%s' "loss: [0] $1 - categorical_accuracy: [0] 1.0000 - "
  echo "val_loss: [0] $1 - val_categorical_accuracy: [0] 0.0000"
}
check "crossentropy is the mean of the steps, and the tail validates" \
  same_text "$(zeros --num_of_trainable_ops 0)" "$(known 0.6931)"
check "crossentropy as a sum" \
  same_text "$(zeros --num_of_trainable_ops 0 --loss_reduction_type 2)" "$(known 6.9315)"
check "mean squared error" same_text "$(zeros --num_of_trainable_ops 0 --loss 1)" "$(known 0.5000)"
check "mean squared error as a sum" \
  same_text "$(zeros --num_of_trainable_ops 0 --loss 1 --loss_reduction_type 2)" "$(known 5.0000)"
# The gradient of the two output biases is -0.5 and 0.5 in the first step.
biases() {
  run --load_input:raw zeros.input --load_expected:raw zeros.class --validation_split 0.5 \
    --batch_size 20 --epoch 1 --export_checkpoint bias.ckpt "$@"
  od -An -v -tf4 -j 4908 -N 8 bias.ckpt
}
close_to() {  # "A B" X: A is about X, B about -X
  awk "BEGIN { split(\"$1\", b); exit !(b[1] > 0.99 * $2 && b[1] < 1.01 * $2 && b[1] == -b[2]) }"
}
check "a step of SGD" close_to "$(biases --optimizer 1 --learning_rate 1)" 0.5
check "a step of momentum" close_to "$(biases --optimizer 3 --learning_rate 1)" 0.5
run --load_input:raw zeros.input --load_expected:raw zeros.class --validation_split 0.5 \
  --batch_size 10 --epoch 1 --optimizer 3 --learning_rate 0.001 --export_checkpoint bias.ckpt
check "two steps of momentum: the second is 1.9 times the first" \
  close_to "$(od -An -v -tf4 -j 4908 -N 8 bias.ckpt)" "(0.001 * 0.5 * 2.9)"
check "the first step of Adam is its learning rate" \
  close_to "$(biases --optimizer 2 --learning_rate 0.01 --export_checkpoint bias.ckpt)" 0.01

printf '\001\002\003' | cat xor.input - > trailing.input
run --load_input:raw trailing.input --load_expected:raw xor.class --epoch 1 --verbose_level 1
check "raw data: trailing bytes are reported" \
  grep -qF -e '--load_input:raw trailing.input: the last 3 bytes' err
check "raw data: and the samples are used" grep -q '^training: 64 samples, 6 steps$' out

head -c 496 xor.input > short.input
head -c 8 xor.class > one.class
: > empty
refuses "raw data: counts must agree" \
  '--load_input:raw holds 62 samples, --load_expected:raw holds 64: both must' \
  --load_input:raw short.input --load_expected:raw xor.class
refuses "raw data: fewer samples than a batch" '--batch_size 65: must be at most the training' \
  --load_input:raw xor.input --load_expected:raw xor.class --batch_size 65
refuses "raw data: fewer validation samples than a batch" \
  '--batch_size 10: must be at most the validation samples, here 6' \
  --load_input:raw xor.input --load_expected:raw xor.class --validation_split 0.1
refuses "raw data: nothing left to train" '--batch_size 10: must be at most the training' \
  --validation_split 1
refuses "raw data: an empty file" '--batch_size 10' --load_input:raw empty --load_expected:raw empty
refuses "raw data: a file that does not exist" '--load_input:raw nowhere: must be a file' \
  --load_input:raw nowhere --load_expected:raw xor.class
refuses "raw data: a directory" '--load_expected:raw .: must be a file' \
  --load_input:raw xor.input --load_expected:raw .
refuses "raw data: inputs alone" '--load_expected:raw' --load_input:raw xor.input
refuses "raw data: expected outputs alone" '--load_input:raw' --load_expected:raw xor.class
refuses "raw data: a size without data" '--input_size' --input_size 3
refuses "raw data: one class is none" '--output_size 1: must be at least 2' \
  --load_input:raw xor.input --load_expected:raw xor.number --output_size 1

# ---- Flags that are wrong ----------------------------------------------------------------------

refuses "an unknown flag" '--epochs: unknown' --epochs 3
refuses "a word that is no flag" 'model.circle: unknown' model.circle
# flag, then values that it does not take
while read -r flag values; do
  for value in $values; do
    refuses "$flag $value" "$flag $value: must be" "$flag" "$value"
  done
  refuses "$flag with nothing behind it" "$flag: needs a value" --epoch 1 "$flag"
  refuses "$flag with a flag behind it" "$flag: needs a value" "$flag" --metric
  refuses "$flag= without a value" "$flag : must be" "$flag="
done << 'END'
--input_size 0 -1 x 65537
--output_size 0 -1 1.5 99999999999999999999
--hidden 0 8,0 8, ,8 8;8 x 8,,8 -3
--epoch 0 -1 two 1.5 4294967296 0x10 5x 1e3
--batch_size 0 -1 x 2.0
--learning_rate 0 -0.1 x nan inf 0x1p-3 1e-60 1e60 0.1.2 0,1
--loss 0 3 mse
--loss_reduction_type 0 3 sum
--optimizer 0 4 adam 7
--metric -2 1 accuracy
--validation_split -0.1 1.1 1.000000001 x . nan 2e-1 0.0000000001 1.5.2
--num_of_trainable_ops -2 4 all
--verbose_level -1 3 high
--shuffle 0 -1 x
--rename a a= =b a*=b a=b* a*c=b a*b*=c*
--export_checkpoint_format ONERT v1 2 onert_micro
--checkpoint_dir_format ONERT v1 2 onert_micro
--lr_schedule cosine 1
--keep_best accuracy
END
refuses "--exclude= without a value" '--exclude : must be a name' --exclude=
for flag in --load_input:raw --load_expected:raw --checkpoint --export_checkpoint --directory \
  --init_from --init_model --checkpoint_dir; do
  refuses "$flag with nothing behind it" "$flag: needs a value" "$flag"
  refuses "$flag= without a value" "$flag : must be a name" "$flag="
done
refuses "--version with a value" '--version=1: takes no value' --version=1
refuses "--directory with another flag" '--directory belongs to the demo' --directory d --epoch 2
refuses "a checkpoint that cannot be written" '--export_checkpoint nowhere/a.ckpt' \
  --export_checkpoint nowhere/a.ckpt --epoch 1
mkdir directory.ckpt
refuses "a checkpoint that is a directory" "--export_checkpoint: cannot save 'directory.ckpt'" \
  --export_checkpoint directory.ckpt --epoch 1

# ---- Checkpoints that do not fit ---------------------------------------------------------------

run --optimizer 1 --epoch 1 --export_checkpoint sgd.ckpt
run --optimizer 3 --epoch 1 --export_checkpoint momentum.ckpt
run --optimizer 2 --epoch 1 --export_checkpoint adam.ckpt
other="the file was written by another optimizer"
refuses "an Adam file in an SGD run" "cannot load 'adam.ckpt': $other" \
  --optimizer 1 --checkpoint adam.ckpt
refuses "an Adam file in a momentum run" "cannot load 'adam.ckpt': $other" \
  --optimizer 3 --checkpoint adam.ckpt
refuses "an SGD file in an Adam run" "cannot load 'sgd.ckpt': the file has no optimizer state" \
  --optimizer 2 --checkpoint sgd.ckpt
refuses "a momentum file in an Adam run" "cannot load 'momentum.ckpt': $other" \
  --optimizer 2 --checkpoint momentum.ckpt
refuses "a checkpoint of other widths" "cannot load 'adam.ckpt'" \
  --checkpoint adam.ckpt --hidden 16,16
refuses "a checkpoint of another depth" "cannot load 'adam.ckpt'" \
  --checkpoint adam.ckpt --hidden 32
refuses "no checkpoint" "--checkpoint: cannot load 'nowhere.ckpt': not found" \
  --checkpoint nowhere.ckpt
refuses "an empty file" "cannot load 'empty'" --checkpoint empty
refuses "something else" "cannot load 'xor.class': not a checkpoint" --checkpoint xor.class
for size in 1 19 20 43 44 4000 14707 14708 14715; do
  head -c $size adam.ckpt > cut.ckpt
  refuses "a checkpoint cut at byte $size" "cannot load 'cut.ckpt'" --checkpoint cut.ckpt
done
cp adam.ckpt kept.ckpt
head -c 14000 adam.ckpt > cut.ckpt
refuses "a run that cannot resume" "cannot load 'cut.ckpt': the file is truncated" \
  --checkpoint cut.ckpt --export_checkpoint kept.ckpt
check "a run that cannot resume leaves the exported file alone" cmp adam.ckpt kept.ckpt

# ---- Formats -----------------------------------------------------------------------------------

for optimizer in 1 2 3; do
  run --optimizer $optimizer --epoch 5 --export_checkpoint plain.ckpt
  for format in onert onert_plus v2; do
    as="--optimizer $optimizer --export_checkpoint_format $format"
    what="$format, optimizer $optimizer"
    # shellcheck disable=SC2086
    {
      run $as --epoch 5 --export_checkpoint a.ckpt
      run $as --epoch 2 --export_checkpoint b.ckpt
      run $as --epoch 3 --export_checkpoint c.ckpt --checkpoint b.ckpt
    }
    check "$what: says what it restored" \
      says out '^Restored checkpoint b\.ckpt: step 200, epoch 2$'
    check "$what: checkpoints equal byte for byte" cmp a.ckpt c.ckpt
    run --optimizer $optimizer --epoch 3 --checkpoint b.ckpt --export_checkpoint d.ckpt
    check "$what: goes on as onert" cmp d.ckpt plain.ckpt
  done
done

# Learning rate and shuffle are part of the training state: v2 keeps them, the others are told.
odd='--learning_rate 0.0005 --shuffle 7'
for format in onert_plus v2; do
  again=$odd
  [ $format = v2 ] && again=
  # shellcheck disable=SC2086
  {
    run $odd --epoch 5 --export_checkpoint a.ckpt --export_checkpoint_format $format
    run $odd --epoch 2 --export_checkpoint b.ckpt --export_checkpoint_format $format
    run $again --epoch 3 --checkpoint b.ckpt --export_checkpoint c.ckpt \
      --export_checkpoint_format $format
  }
  check "$format: learning rate and shuffle of a resumed run" cmp a.ckpt c.ckpt
  check "$format: says the learning rate" grep -qxF -e '- learning_rate        = 0.0005' out
done
run --epoch 3 --checkpoint b.ckpt --export_checkpoint d.ckpt --export_checkpoint_format v2 \
  --shuffle 8
check "a flag counts more than the checkpoint: shuffle" differ a.ckpt d.ckpt
run --epoch 3 --checkpoint b.ckpt --export_checkpoint d.ckpt --export_checkpoint_format v2 \
  --learning_rate 0.001
check "a flag counts more than the checkpoint: learning rate" \
  grep -qxF -e '- learning_rate        = 0.001' out
run --epoch 5 --shuffle 7 --metric 0
figures out > mixed
run --epoch 5 --metric 0
figures out > straight
check "--shuffle changes the order" differ mixed straight
run --epoch 3 --shuffle 7 --batch_size 300 --optimizer 1 --learning_rate 1e-20
check "--shuffle mixes anew in each epoch" same_text "$(figures out | sort -u | wc -l | tr -d ' ')" 3
refuses "a format without a file" '--export_checkpoint_format says how to save' \
  --export_checkpoint_format v2

# ---- Fine-tuning -------------------------------------------------------------------------------

run --epoch 5 --export_checkpoint base.ckpt --export_checkpoint_format onert_plus
run --epoch 5 --export_checkpoint base.v2 --export_checkpoint_format v2
run --epoch 5 --export_checkpoint nameless.ckpt
# The report of a run: its lines, and the summary.
report() { sed -n '/^[a-z]* .* f32 \[/p; /^[0-9]* loaded, /p' out; }
# reports NAME < EXPECTED
reports() {
  cat > expected
  report > found
  check "$1" diff expected found
}
# A run in which all layers are frozen shows the values that it begins with.
first_values() { run --optimizer 1 --num_of_trainable_ops 0 --epoch 1 --export_checkpoint "$@"; }
# values FILE TENSOR: the bytes of a weight of a file of eight tensors
values() {
  at=$(word "$1" $((20 + 4 * $2)))
  next=$(word "$1" $((24 + 4 * $2)))
  [ "$2" -lt 7 ] || next=$(word "$1" 12)
  part "$1" "$at" "$next"
}
same_values() {  # FILE TENSOR FILE TENSOR
  values "$1" "$2" > left
  values "$3" "$4" > right
  cmp left right
}
# The same for a file of six tensors: the base, saved without names.
base_values() {
  at=$(word nameless.ckpt $((20 + 4 * $1)))
  next=$(word nameless.ckpt $((24 + 4 * $1)))
  [ "$1" -lt 5 ] || next=$(word nameless.ckpt 4)
  part nameless.ckpt "$at" "$next"
}
from_base() {  # FILE TENSOR BASE_TENSOR
  values "$1" "$2" > left
  base_values "$3" > right
  cmp left right
}
all_from_base() {  # FILE "TENSOR:BASE_TENSOR ..."
  for pair in $2; do from_base "$1" "${pair%:*}" "${pair#*:}" || return 1; done
}

first_values fresh.ckpt --hidden 32,32,2
for file in base.ckpt base.v2; do
  first_values tuned.ckpt --hidden 32,32,2 --init_from $file
  reports "missing: a layer more, from $file" << 'END'
loaded      layer1.weight  f32 [32, 2]
loaded      layer1.bias    f32 [32]
loaded      layer2.weight  f32 [32, 32]
loaded      layer2.bias    f32 [32]
loaded      layer3.weight  f32 [2, 32]
loaded      layer3.bias    f32 [2]
missing     layer4.weight  f32 [2, 2]
missing     layer4.bias    f32 [2]
6 loaded, 2 missing, 0 unexpected, 0 mismatched, 0 excluded
END
  check "missing: says so" grep -qxF \
    "Initialized 6 of 8 tensors from $file; step and epoch start at 0" out
  check "missing: what is loaded has the bits of the base" \
    all_from_base tuned.ckpt '0:0 1:1 2:2 3:3 4:4 5:5'
  check "missing: the new layer keeps its initial values" same_values tuned.ckpt 6 fresh.ckpt 6
  check "missing: step and epoch start at 0" \
    same_text "$(word tuned.ckpt $(($(bytes tuned.ckpt) - 8)))" 100
done
run --hidden 32,32,2 --epoch 25 --metric 0 --init_from base.ckpt --export_checkpoint tuned.v2 \
  --export_checkpoint_format v2
check "the extended network learns" \
  awk '/^Epoch 25\/25/ { good = $NF > 0.95 } END { exit !good }' out
run --hidden 32,32,2 --epoch 1 --checkpoint tuned.v2
check "and resumes" says out '^Restored checkpoint tuned\.v2: step 2500, epoch 25$'

first_values slotless.ckpt --init_from base.ckpt --export_checkpoint_format onert_plus
for file in base slotless; do
  run --hidden 32,32,2 --epoch 1 --init_from $file.ckpt --export_checkpoint from_$file.ckpt
done
check "missing: slots start at zero, whatever the file has" cmp from_base.ckpt from_slotless.ckpt

misfit='layer3.weight (f32 [2, 32] in the file, f32 [32, 32] in the model), layer3.bias (f32 [2]'
cp tuned.ckpt kept.ckpt
refuses "mismatched" "--init_from: cannot load 'base.ckpt' by name" \
  --hidden 32,32,32 --init_from base.ckpt --export_checkpoint kept.ckpt --epoch 1
check "mismatched: with found and expected" grep -qF "mismatched: $misfit" err
check "mismatched: nothing is trained" [ -z "$(figures out)" ]
check "mismatched: nothing is saved" cmp tuned.ckpt kept.ckpt
reports "mismatched: the report" << 'END'
loaded      layer1.weight  f32 [32, 2]
loaded      layer1.bias    f32 [32]
loaded      layer2.weight  f32 [32, 32]
loaded      layer2.bias    f32 [32]
missing     layer4.weight  f32 [2, 32]
missing     layer4.bias    f32 [2]
mismatched  layer3.weight  f32 [2, 32] in the file, f32 [32, 32] in the model
mismatched  layer3.bias    f32 [2] in the file, f32 [32] in the model
4 loaded, 2 missing, 0 unexpected, 2 mismatched, 0 excluded
END

first_values fresh.ckpt --hidden 32,32,32
first_values tuned.ckpt --hidden 32,32,32 --init_from base.ckpt --exclude 'layer3.*'
reports "exclude" << 'END'
loaded      layer1.weight  f32 [32, 2]
loaded      layer1.bias    f32 [32]
loaded      layer2.weight  f32 [32, 32]
loaded      layer2.bias    f32 [32]
missing     layer4.weight  f32 [2, 32]
missing     layer4.bias    f32 [2]
excluded    layer3.weight  f32 [32, 32]
excluded    layer3.bias    f32 [32]
4 loaded, 2 missing, 0 unexpected, 0 mismatched, 2 excluded
END
check "exclude: what is left out keeps its initial values" same_values tuned.ckpt 4 fresh.ckpt 4
check "exclude: the rest is loaded" all_from_base tuned.ckpt '0:0 1:1 2:2 3:3'

first_values tuned.ckpt --hidden 32,32,32 --init_from base.ckpt --rename 'layer3.*=layer4.*'
reports "rename of a prefix" << 'END'
loaded      layer1.weight  f32 [32, 2]
loaded      layer1.bias    f32 [32]
loaded      layer2.weight  f32 [32, 32]
loaded      layer2.bias    f32 [32]
loaded      layer4.weight  f32 [2, 32], called layer3.weight in the file
loaded      layer4.bias    f32 [2], called layer3.bias in the file
missing     layer3.weight  f32 [32, 32]
missing     layer3.bias    f32 [32]
6 loaded, 2 missing, 0 unexpected, 0 mismatched, 0 excluded
END
check "rename of a prefix: layer 3 of the base is layer 4" \
  all_from_base tuned.ckpt '0:0 1:1 2:2 3:3 6:4 7:5'
check "rename of a prefix: layer 3 is new" same_values tuned.ckpt 4 fresh.ckpt 4
first_values tuned.ckpt --hidden 32,32,32 --init_from base.ckpt --exclude 'layer3.*' \
  --rename layer3.weight=layer4.weight --rename=layer3.bias=layer4.bias
check "rename of whole names" all_from_base tuned.ckpt '0:0 1:1 2:2 3:3 6:4 7:5'
check "rename and exclude together: patterns are for names of the network" \
  grep -qxF '6 loaded, 0 missing, 0 unexpected, 0 mismatched, 2 excluded' out
run --hidden 32,32,32 --epoch 1 --init_from base.ckpt --rename 'layer*=layer*' \
  --rename 'layer3.*=layer4.*'
check "the longest prefix counts" says out '^loaded +layer4\.weight .*called layer3\.weight'
run --hidden 32,32,2 --epoch 1 --init_from base.ckpt --rename 'layer*=layer*' \
  --rename 'layer3.*=head.*' --exclude 'head.*'
check "and is what a pattern sees" says out '^excluded +layer3\.weight '
run --hidden 32,32,2 --epoch 1 --init_from base.ckpt --rename layer3.weight=head.weight \
  --exclude head.weight
check "so is a whole name" says out '^5 loaded, 3 missing, 0 unexpected, 0 mismatched, 1 excluded$'

run --hidden 32 --epoch 1 --init_from base.ckpt --exclude 'layer2.*'
reports "unexpected: a layer less" << 'END'
loaded      layer1.weight  f32 [32, 2]
loaded      layer1.bias    f32 [32]
unexpected  layer3.weight  f32 [2, 32]
unexpected  layer3.bias    f32 [2]
excluded    layer2.weight  f32 [2, 32]
excluded    layer2.bias    f32 [2]
2 loaded, 0 missing, 2 unexpected, 0 mismatched, 2 excluded
END

# Everything is there: the run goes on where the file ends.
for file in base.ckpt base.v2; do
  run --epoch 3 --init_from $file --export_checkpoint a.ckpt
  check "all loaded, from $file: says so" \
    grep -qxF "Initialized 6 of 6 tensors from $file; goes on at step 500, epoch 5" out
  run --epoch 3 --checkpoint $file --export_checkpoint b.ckpt
  check "all loaded, from $file: as --checkpoint" cmp a.ckpt b.ckpt
done
run --epoch 1 --optimizer 1 --init_from base.ckpt --export_checkpoint a.ckpt
check "all loaded, another optimizer: says so" grep -qxF \
  'Initialized 6 of 6 tensors from base.ckpt; step and epoch start at 0' out
check "all loaded, another optimizer: starts at 0" same_text "$(word a.ckpt 4916)" 100
run --epoch 1 --num_of_trainable_ops 1 --init_from base.ckpt --export_checkpoint a.ckpt
check "all loaded, frozen layers: says so" says out 'goes on at step 500, epoch 5$'

# Files without names.
{
  echo '# the base network'
  echo 'layer1.weight f32 32x2'
  echo 'layer1.bias f32 32'
  echo 'layer2.weight f32 32x32'
  echo 'layer2.bias f32 32'
  echo 'layer3.weight f32 2x32'
  echo 'layer3.bias f32 2'
} > base.model
refuses "a file without names" \
  '--init_from nameless.ckpt: the file has no names; say what its tensors are with --init_model' \
  --hidden 32,32,2 --init_from nameless.ckpt
first_values a.ckpt --hidden 32,32,2 --init_from base.ckpt
first_values b.ckpt --hidden 32,32,2 --init_from nameless.ckpt --init_model base.model
check "a file without names, and its model" cmp a.ckpt b.ckpt
for optimizer in 1 2 3; do
  run --epoch 2 --optimizer $optimizer --export_checkpoint b.ckpt
  run --epoch 3 --optimizer $optimizer --init_from b.ckpt --init_model base.model
  check "a file without names, optimizer $optimizer: all" \
    grep -qxF 'Initialized 6 of 6 tensors from b.ckpt; goes on at step 200, epoch 2' out
done
sed 's/layer[12]/backbone.&/; s/layer3/head/' base.model > backbone.model
first_values fresh.ckpt --hidden 32,32,2
first_values tuned.ckpt --hidden 32,32,2 --init_from nameless.ckpt --init_model backbone.model \
  --rename 'backbone.*=*' --exclude 'head.*'
reports "everything but the head, under other names" << 'END'
loaded      layer1.weight  f32 [32, 2], called backbone.layer1.weight in the file
loaded      layer1.bias    f32 [32], called backbone.layer1.bias in the file
loaded      layer2.weight  f32 [32, 32], called backbone.layer2.weight in the file
loaded      layer2.bias    f32 [32], called backbone.layer2.bias in the file
missing     layer3.weight  f32 [2, 32]
missing     layer3.bias    f32 [2]
missing     layer4.weight  f32 [2, 2]
missing     layer4.bias    f32 [2]
excluded    head.weight    f32 [2, 32]
excluded    head.bias      f32 [2]
4 loaded, 4 missing, 0 unexpected, 0 mismatched, 2 excluded
END
check "everything but the head: the bits of the base" all_from_base tuned.ckpt '0:0 1:1 2:2 3:3'
check "everything but the head: the head keeps its initial bits" \
  same_values tuned.ckpt 4 fresh.ckpt 4
refuses "names twice" '--init_from base.ckpt: the file has names of its own' \
  --init_from base.ckpt --init_model base.model
sed 's/32x32/32x33/' base.model > other.model
refuses "a model of another size" "cannot open 'nameless.ckpt'" \
  --init_from nameless.ckpt --init_model other.model
check "a model of another size: names the tensor" grep -qF "layer2.weight" err
sed 's/f32/float/' base.model > other.model
refuses "a model that is none" '--init_model: cannot read' \
  --init_from nameless.ckpt --init_model other.model
refuses "a model that is not there" '--init_model: cannot read' \
  --init_from nameless.ckpt --init_model nowhere.model

# Files that are damaged, or are not there.
flip() {  # FROM TO BYTE: one bit
  cp "$1" "$2"
  old=$(od -An -tu1 -j "$3" -N 1 "$1" | tr -d ' ')
  printf '%b' "\\0$(printf %03o $((old ^ 16)))" |
    dd of="$2" bs=1 seek="$3" conv=notrunc 2> /dev/null
}
for file in base.ckpt base.v2; do
  size=$(bytes $file)
  # 45 and 65: the table; 300: the manifest; then weights, slots, the footer.
  for at in 3 9 45 65 300 3000 5000 8000 12000 $((size - 8)); do
    flip $file damaged.ckpt "$at"
    refuses "$file with a bit changed at byte $at" "'damaged.ckpt'" --init_from damaged.ckpt
    check "$file with a bit changed at byte $at: nothing is trained" [ -z "$(figures out)" ]
  done
  head -c $((size - 1)) $file > cut.ckpt
  refuses "$file, cut" "'cut.ckpt'" --init_from cut.ckpt
done
refuses "init_from a wrong path" "cannot open 'nowhere.ckpt': not found" --init_from nowhere.ckpt
refuses "init_from a directory" "cannot open '.'" --init_from .
refuses "init_from something else" "cannot open 'xor.class': not a checkpoint" \
  --init_from xor.class

# Rules that cannot be meant.
refuses "an exclude that fits nothing" \
  '--exclude haed.*: neither the network nor base.ckpt has such a tensor' \
  --init_from base.ckpt --exclude 'haed.*'
refuses "a rename that fits nothing" '--rename backbone.*=layer.*: base.ckpt has no such tensor' \
  --init_from base.ckpt --rename 'backbone.*=layer.*'
refuses "nothing fits" '--init_from base.ckpt: no tensor of it is one of the network' \
  --init_from base.ckpt --rename 'layer*=encoder*'
refuses "everything excluded" '--init_from base.ckpt: no tensor of it is one of the network' \
  --init_from base.ckpt --exclude '*'
refuses "two renames of one name" 'only one name for each' \
  --init_from base.ckpt --rename 'layer1.*=a*' --rename 'layer1.*=b*'
refuses "two names become one" "the same name" \
  --init_from base.ckpt --rename layer1.bias=layer2.bias
refuses "--init_from and --checkpoint" '--checkpoint resumes a run, --init_from begins one' \
  --init_from base.ckpt --checkpoint base.ckpt
for rule in --exclude=a --rename=a=b --init_model=base.model; do
  refuses "$rule alone" 'give --init_from too' "$rule"
done

# ---- Words about itself ------------------------------------------------------------------------

run --version
check "--version prints $version" grep -qF "ckpt $version" out
check "the header has a version" [ -n "$version" ]
run --help
for flag in --load_input:raw --load_expected:raw --input_size --output_size --hidden --epoch \
  --batch_size --learning_rate --loss --loss_reduction_type --optimizer --metric \
  --validation_split --num_of_trainable_ops --checkpoint --export_checkpoint --verbose_level \
  --directory --version --help --shuffle --init_from --exclude --rename --init_model \
  --export_checkpoint_format --checkpoint_dir --resume --step_interval --epoch_interval \
  --max_to_keep --keep_every --keep_best --checkpoint_dir_format --async --clean_on_success \
  --rollback --lr_schedule --warmup_steps --total_steps; do
  check "--help lists $flag" grep -q -e "^  $flag " out
done

# ---- The demo ----------------------------------------------------------------------------------

mkdir temporary
TMPDIR=$work/temporary "$train" > out 2> err || fail "the demo exits with 0"
check "the demo: both ways agree for SGD and for Adam" \
  same_text "$(grep -c '^OK: resumed and uninterrupted runs are equal bit for bit' out)" 2
check "the demo: the control differs" says out '^OK: dropping the step makes the result differ'
check "the demo: the accuracy" says out '^OK: training accuracy (0\.9[5-9]|1\.0)'
check "the demo: nothing failed" same_text "$(grep -c FAILED out)" 0
check "the demo: cleans up" same_text "$(ls -A temporary)" ""
"$train" --directory kept/here > out 2> err || fail "the demo in a directory exits with 0"
check "the demo: leaves its files where it is told to" [ -s kept/here/sgd-resumed.ckpt ]
run --optimizer 2 --epoch 5 --export_checkpoint dynamic.ckpt
check "static and run-time models give the same file" cmp kept/here/adam-whole.ckpt dynamic.ckpt
run --optimizer 1 --epoch 5 --export_checkpoint dynamic.ckpt
check "static and run-time models give the same file, SGD" \
  cmp kept/here/sgd-whole.ckpt dynamic.ckpt

echo "$passed passed, 0 failed"
