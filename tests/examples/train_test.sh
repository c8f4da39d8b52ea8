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
END
for flag in --load_input:raw --load_expected:raw --checkpoint --export_checkpoint --directory; do
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

# ---- Words about itself ------------------------------------------------------------------------

run --version
check "--version prints $version" grep -qF "ckpt $version" out
check "the header has a version" [ -n "$version" ]
run --help
for flag in --load_input:raw --load_expected:raw --input_size --output_size --hidden --epoch \
  --batch_size --learning_rate --loss --loss_reduction_type --optimizer --metric \
  --validation_split --num_of_trainable_ops --checkpoint --export_checkpoint --verbose_level \
  --directory --version --help; do
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
