#!/bin/sh
# Tests of examples/finetune.cpp.
#
#     sh tests/examples/finetune_test.sh path/to/finetune
#
# One line a check; stops with exit code 1 at the first that fails.
set -u

[ $# -eq 1 ] || { echo "usage: $0 path/to/finetune" >&2; exit 2; }
case $1 in
  /*) finetune=$1 ;;
  *) finetune=$PWD/$1 ;;
esac

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/here" && cd "$work/here" || exit 2
passed=0

check() {
  name=$1
  shift
  if ! "$@"; then
    echo "FAILED: $name"
    sed 's/^/  stdout: /' ../out
    echo "$passed passed, 1 failed"
    exit 1
  fi
  echo "ok: $name"
  passed=$((passed + 1))
}
same_text() { [ "$1" = "$2" ]; }

"$finetune" > ../out 2>&1
check "exits with 0" [ $? -eq 0 ]
cat > ../expected << 'END'
loaded      dense1.weight  f32 [32, 2]
loaded      dense1.bias    f32 [32]
loaded      dense2.weight  f32 [32, 32]
loaded      dense2.bias    f32 [32]
loaded      head.weight    f32 [2, 32]
loaded      head.bias      f32 [2]
missing     dense3.weight  f32 [32, 32]
missing     dense3.bias    f32 [32]
6 loaded, 2 missing, 0 unexpected, 0 mismatched, 0 excluded
OK: 6 tensors of the base network are loaded
OK: they have its bits, wherever they stand
OK: the report says that the new layer is missing in the file
OK: it keeps its initial values, bit for bit
OK: step and epoch start at 0
END
sed -n '/^Loading/,/^$/p' ../out | sed '1d; $d' > ../found
check "the report" diff ../expected ../found
check "trains both networks" same_text "$(grep -c '^Epoch 10/10 - ' ../out)" 2
check "the accuracy grows" awk '
  /^OK: accuracy/ { good = $10 + 0 > $5 + 0 && $10 + 0 > $7 + 0 && $10 + 0 > 0.95 }
  END { exit !good }' ../out
check "every claim holds" same_text "$(grep -c '^OK: ' ../out) $(grep -c FAILED ../out)" "8 0"
check "leaves nothing behind" same_text "$(ls -A)" ""

mkdir -p finetune_base.ckpt/in_the_way
"$finetune" > ../out 2>&1
check "exits with 1 where it cannot save" [ $? -eq 1 ]
check "and says why" grep -qF "cannot save 'finetune_base.ckpt'" ../out

echo "$passed passed, 0 failed"
