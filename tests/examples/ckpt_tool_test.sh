#!/bin/sh
# Runs the tool `ckpt` as a person would: exit status, streams and text. JSON is checked by
# ckpt_tool_test.py beside it.
#
#   ckpt_tool_test.sh TOOL GOLDEN_DIRECTORY
#
# Fixtures and faults are FX-... and B1 to B13 of the cases drawn from public bug reports.

set -u
LC_ALL=C
export LC_ALL

[ $# -eq 2 ] || { echo "usage: $0 TOOL GOLDEN_DIRECTORY" >&2; exit 2; }
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
golden=$(cd "$2" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/ckpt_tool.XXXXXX") || exit 2
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
trap 'exit 2' HUP INT TERM
cd "$work" || exit 2

checks=0
failures=0

fault() {
  failures=$((failures + 1))
  echo "FAILED: $*" >&2
  sed 's/^/  out: /' out >&2
  sed 's/^/  err: /' err >&2
}

# expect STATUS ARGUMENTS...: runs the tool; what it prints goes to `out` and `err`.
expect() {
  wanted=$1
  shift
  checks=$((checks + 1))
  "$tool" "$@" >out 2>err
  got=$?
  [ "$got" -eq "$wanted" ] || fault "ckpt $* gave $got instead of $wanted"
  if grep -q -e 'Sanitizer' -e 'runtime error' err; then fault "ckpt $*: sanitizer report"; fi
  told="ckpt $*"
}

# says PATTERN: the output of the last run has a line like this.
says() {
  checks=$((checks + 1))
  grep -q -e "$1" out || fault "$told does not print: $1"
}
complains() {
  checks=$((checks + 1))
  grep -q -e "$1" err || fault "$told does not complain: $1"
}
is_silent() {
  checks=$((checks + 1))
  [ ! -s "$1" ] || fault "$told prints to $1"
}

# bytes HEX: writes the bytes that pairs of hexadecimal digits stand for.
bytes() {
  # The format consists of octal escapes.
  # shellcheck disable=SC2059
  printf "$(echo "$1" | tr -d ' \n' | awk '{
    for (i = 1; i < length($0); i += 2) {
      value = 16 * (index(d, substr($0, i, 1)) - 1) + index(d, substr($0, i + 1, 1)) - 1
      printf "\\%03o", value
    }
  }' d=0123456789abcdef -)"
}

# patched NAME OFFSET HEX: a copy of FX-ADAM with other bytes from OFFSET on.
patched() {
  { head -c "$2" adam; bytes "$3"; tail -c +$(($2 + ${#3} / 2 + 1)) adam; } >"$1"
}

# ---- Fixtures

bytes 'ad0101003c000000640000008c00000003000000200000003000000038000000
1010101010101010101010101010101011111111111111111212121248000000
5800000060000000202020202020202020202020202020202121212121212121
2222222270000000800000008800000030303030303030303030303030303030
313131313131313132323232d204000007000000' >adam
bytes 'ad01010000000000000000003c00000003000000200000003000000038000000
10101010101010101010101010101010111111111111111112121212d2040000
07000000' >plain
bytes 'ad0101003c000000000000003c00000003000000200000003000000038000000
10101010101010101010101010101010111111111111111112121212d2040000
00000000' >sgd_o
bytes 'ad01010000000000000000004000000005000000000000003000000000000000
2800000000000000131313131313131311111111111111111111111111111111
3700000002000000' >sparse
bytes 'ad0101003c0000005c0000007c00000003000000200000003000000038000000
1010101010101010101010101010101011111111111111111212121248000000
5800000058000000202020202020202020202020202020202222222268000000
7800000078000000303030303030303030303030303030303232323209000000
00000000' >frozen
bytes 'ad010100000000000000000014000000000000000000000000000000' >empty_model
set -- adam 148 plain 68 sgd_o 68 sparse 72 frozen 132 empty_model 28
while [ $# -gt 0 ]; do
  [ "$(wc -c <"$1")" -eq "$2" ] || { echo "FAILED: fixture $1 has the wrong size" >&2; exit 1; }
  shift 2
done

# ---- Usage

for arguments in '' 'inspect' 'verify' 'frobnicate adam' 'inspect adam plain' \
  'inspect adam --frobnicate' 'inspect adam --slots' 'inspect adam --slots none' \
  'verify --json' 'verify -x adam' '--json'; do
  # Words on purpose.
  # shellcheck disable=SC2086
  expect 2 $arguments
  complains '^ckpt: '
  complains '^usage: ckpt inspect FILE'
  is_silent out
done
for arguments in '--help' '-h' 'inspect --help' 'verify adam --help'; do
  # shellcheck disable=SC2086
  expect 0 $arguments
  says '^usage: ckpt inspect FILE'
  is_silent err
done
expect 0 --version
says '^ckpt [0-9][0-9]*\.[0-9][0-9]*\.[0-9][0-9]*$'

# ---- Valid fixtures

expect 0 verify adam plain sgd_o sparse frozen empty_model
says '^adam: valid (onert, 3 tensors, 2 slots, step 1,234)$'
says '^plain: valid (onert, 3 tensors, 0 slots, step 1,234)$'
says '^sgd_o: valid (onert, 3 tensors, 0 slots, step 1,234)$'
says '^sparse: valid (onert-micro, 5 tensors, 0 slots, step 55)$'
says '^frozen: valid (onert, 3 tensors, 2 slots, step 9)$'
says '^empty_model: valid (onert-v0, 0 tensors, 0 slots, step 0)$'
is_silent err

expect 0 inspect adam
says '^file      adam$'
says '^dialect   onert: '
says '^size      148 bytes$'
says '^tensors   3$'
says '^slots     2 (m, v)$'
says '^step      1,234$'
says '^epoch     7$'
says '^gaps      none$'
says '^index  weight offset  bytes  m offset  v offset$'
says '^    0             32     16        72       112$'
says '^    1             48      8        88       128$'
says '^    2             56      4        96       136$'
says '^total                    28                      m 28, v 28$'
expect 0 inspect sparse
says '^dialect   onert-micro: '
says '^    0              -      -$'
says '^    1             48     16$'
says '^    3             40      8$'
expect 0 inspect frozen
says '^    1             48      8     empty     empty$'

printf 'trick' >"$(printf 'na\033me\n')"
expect 1 verify "$(printf 'na\033me\n')"
says '^na\\x1bme: invalid: not_a_checkpoint: '

# A file named like an option.
cp adam ./--json
expect 0 verify -- --json
says '^--json: valid '

# ---- Slots that are not as large as their weights: sizes 16, 8, 4 with slots of 8, 16, 4

patched own_sizes 60 480000005000000060000000
expect 1 inspect own_sizes
says 'slot_size_mismatch'
says '^where     m, tensor 0, byte 60$'
says '^expected  16$'
says '^found     8$'
expect 0 inspect own_sizes --slots any
says '^index  weight offset  bytes  m offset  m bytes  v offset  v bytes$'
says '^    0             32     16        72        8       112       16$'
says '^    1             48      8        80       16       128        8$'
expect 0 verify --slots=any own_sizes

# ---- What the system says

mkdir directory
mkfifo fifo
expect 2 verify missing
complains "'missing': not_found: "
is_silent out
expect 2 verify missing/adam
complains "'missing/adam': not_found: "
expect 2 inspect directory
complains "'directory': not_a_regular_file: "
expect 2 inspect ''
complains "'': empty_path: "
expect 2 inspect /dev/zero
complains "'/dev/zero': not_a_regular_file: "
if command -v timeout >/dev/null; then
  told='ckpt inspect fifo'
  timeout 10 "$tool" inspect fifo >out 2>err
  [ $? -eq 2 ] || fault 'ckpt inspect fifo does not give 2'
  complains "'fifo': not_a_regular_file: "
else
  echo 'SKIPPED: FIFO (no timeout command)'
fi
if [ "$(id -u)" -ne 0 ]; then
  cp adam secret
  chmod 000 secret
  expect 2 inspect secret
  complains "'secret': permission_denied: "
else
  echo 'SKIPPED: permission (running as root)'
fi
if [ -c /dev/full ]; then
  "$tool" verify adam >/dev/full 2>err
  [ $? -eq 2 ] || fault 'a full disk goes unnoticed'
fi

: >nothing
expect 1 inspect nothing
says '^kind      empty_file$'
expect 1 verify adam nothing
says '^adam: valid '
says '^nothing: invalid: empty_file: '
# All are checked, and the worst counts.
expect 2 verify missing nothing adam
says '^adam: valid '
says '^nothing: invalid: '

# ---- B1: every cut

size=0
set --
while [ "$size" -lt 148 ]; do
  head -c "$size" adam >"cut$size"
  set -- "$@" "cut$size"
  size=$((size + 1))
done
expect 1 verify "$@"
checks=$((checks + 1))
cuts=$(grep -c -e ': invalid: truncated: ' -e ': invalid: empty_file: ' out)
[ "$cuts" -eq 148 ] || fault "$cuts of 148 cuts are called truncated"
expect 1 inspect cut139
says '^INVALID   .*expected 148 bytes, found 139 bytes'
says '^where     header, byte 12$'
says '^    2             56      4        96       136$'
expect 1 inspect cut140
says '^dialect   draft-d2: an Adam file without its last 8 bytes (draft of the format, or a cut file)$'
says '^step      unknown$'
says '^where     footer, byte 140$'

# ---- B2, B3: counts that the file cannot hold

patched faulty 16 ffffffff
expect 1 inspect faulty
says '^tensors   4,294,967,295$'
says '^kind      truncated$'
says '^where     header, byte 16$'
says '^expected  17,179,869,200$'
says '^found     148$'
patched faulty 16 00000040
expect 1 inspect faulty
says '^kind      truncated$'
says '^expected  4,294,967,316$'

# ---- B4: each table entry outside of the file

for place in weights:0:20 weights:1:24 weights:2:28 m:0:60 m:1:64 m:2:68 v:0:100 v:1:104 v:2:108; do
  part=${place%%:*}
  offset=${place##*:}
  tensor=${place#*:}
  tensor=${tensor%%:*}
  for value in 94000000:148 95000000:149 ffffffff:4,294,967,295; do
    patched faulty "$offset" "${value%%:*}"
    expect 1 inspect faulty
    says '^kind      offset_out_of_range$'
    says "^where     $part, tensor $tensor, byte $offset\$"
    says "^found     ${value##*:}\$"
    says "^ *$tensor .*  <- $part\$"
  done
done

# ---- B6: ends before begins

patched faulty 20 200000003800000030000000
expect 1 inspect faulty
says '^kind      bad_order$'
says '^where     weights, tensor 2, byte 28$'
says '^expected  56$'
says '^found     48$'
patched faulty 20 380000003000000020000000
expect 1 inspect faulty
says '^kind      bad_order$'
says '^where     weights, tensor 1, byte 24$'

# ---- B8: the place of the footer

for other in f8ffffff:12:4,294,967,296 ffffff7f:12:2,147,483,655 8d000000:12:149; do
  patched faulty 12 "${other%%:*}"
  expect 1 inspect faulty
  says '^kind      truncated$'
  says '^where     header, byte 12$'
  says "^expected  ${other##*:}\$"
  says '^step      unknown$'
done
patched faulty 12 94000000
expect 1 inspect faulty
says '^dialect   draft-d2: '
says '^where     footer, byte 148$'
says '^step      unknown$'

# ---- B10: another format, another version

patched faulty 0 01ad
expect 1 inspect faulty
says '^kind      not_a_checkpoint$'
says '^where     header, byte 0$'
says '^tensors   unknown$'
for schema in 00:0 03:3 ff:255; do
  patched faulty 2 "${schema%%:*}"
  expect 1 inspect faulty
  says '^kind      unsupported_version$'
  says '^where     header, byte 2$'
  says '^expected  2$'
  says "^found     ${schema##*:}\$"
done
patched faulty 3 01
expect 1 inspect faulty
says '^kind      bad_header$'
says '^where     header, byte 3$'

# ---- Golden files

for file in "$golden"/*/*; do
  case $file in
    */wof/* | */d2_* | */d3_* | */header-only/*) wanted=1 ;;
    *) wanted=0 ;;
  esac
  case $file in
    */header-only/*) dialect=unknown ;;
    */wof/*) dialect=wof: ;;
    */onert-merged/*) dialect=onert: ;;
    */onert-merged-v0/*) dialect=onert-v0: ;;
    */onert-micro/*) dialect=onert-micro: ;;
    */d1_*) dialect=draft-d1: ;;
    */d2_*) dialect=draft-d2: ;;
    */d3_*) dialect=draft-d3: ;;
  esac
  expect "$wanted" verify "$file"
  expect "$wanted" inspect "$file"
  says "^dialect   $dialect"
done
expect 0 inspect "$golden/onert-micro/sgd_shared.ckpt"
says '^gaps      80 at byte 40 (weights) belong to no tensor$'
expect 0 inspect "$golden/onert-draft/d1_adam_2t.ckpt"
says '^step      not stored$'

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
