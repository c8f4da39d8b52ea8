#!/bin/sh
# What a generated model of 1,000 and of 10,000 tensors with Adam costs the compiler, as a ratio to
# a file that only includes ckpt/ckpt.hpp. Medians of several interleaved rounds, each compiler
# beside itself in one run.
# usage: compile_time.sh INCLUDE_DIR [ROUNDS]
set -eu
include=$1
rounds=${2:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A model of $1 tensors, as a generator would write it, and the use of its layout in format $2.
generate() {
  echo '#include "ckpt/ckpt.hpp"'
  echo 'struct model { static constexpr auto tensors = ckpt::tensors({'
  awk -v n="$1" 'BEGIN { for (i = 0; i < n; ++i)
    printf "{\"block_%d/layer_%d/kernel\", ckpt::dtype::f32, {%d, 3, %d}},\n", i / 7, i % 7,
           1 + i % 5, 1 + i % 3 }' | sed '$ s/,$//'
  echo '}); };'
  echo "using layout = ckpt::layout<model, ckpt::adam, ckpt::$2>;"
  echo 'static_assert(layout::file_bytes > 0);'
  echo 'const std::byte* table() { return layout::view().head(0).data(); }'
}
echo '#include "ckpt/ckpt.hpp"' >"$work/0.cpp"
generate 1000 onert >"$work/1000.cpp"
generate 10000 onert >"$work/10000.cpp"
generate 1000 onert_plus >"$work/plus.cpp"
generate 1000 v2 >"$work/v2.cpp"

milliseconds() {
  begin=$(date +%s%N)
  "$@"
  end=$(date +%s%N)
  echo $(((end - begin) / 1000000))
}
median() { sort -n "$1" | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

printf '%-9s %13s %17s %18s %17s %17s\n' compiler 'include only' '1,000 tensors' '10,000 tensors' \
  '1,000 onert_plus' '1,000 v2'
for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null 2>&1 || { echo "$compiler: SKIP, not found"; continue; }
  round=0
  rm -f "$work"/*.ms
  while [ "$round" -lt "$rounds" ]; do
    for size in 0 1000 10000 plus v2; do
      milliseconds "$compiler" -std=c++17 -O1 -I "$include" -c "$work/$size.cpp" \
        -o "$work/object.o" >>"$work/$size.ms"
    done
    round=$((round + 1))
  done
  base=$(median "$work/0.ms")
  awk -v c="$compiler" -v b="$base" -v k="$(median "$work/1000.ms")" \
    -v t="$(median "$work/10000.ms")" -v p="$(median "$work/plus.ms")" \
    -v v="$(median "$work/v2.ms")" 'BEGIN {
      printf "%-9s %10d ms %8d ms %.2fx %9d ms %.2fx %8d ms %.2fx %8d ms %.2fx\n", c, b, k, k / b,
             t, t / b, p, p / b, v, v / b }'
done
echo "bars: 1,000 tensors at most 1.5x, 10,000 at most 6x"
