#!/bin/sh
# Counts the system calls that touch a 41.8 MB checkpoint: at most 12 to read it, 12 to write it.
# usage: system_calls.sh INCLUDE_DIR TESTS_DATA_DIR WORK_DIR
set -eu
include=$1 data=$2 work=$3
if ! command -v strace >/dev/null 2>&1 || ! strace -o "$work/probe" true 2>/dev/null; then
  echo "SKIP: strace is not there or may not trace"
  exit 0
fi
cat >"$work/both.cpp" <<'SOURCE'
#include <cstring>
#include "ckpt/ckpt.hpp"
#include "mobilenet_v2.hpp"
int main(int, char** arguments) {
  ckpt::state<mobilenet_v2, ckpt::adam> state;
  const bool saves = std::strcmp(arguments[1], "save") == 0;
  return saves ? !ckpt::save(arguments[2], state).ok() : !ckpt::load(arguments[2], state).ok();
}
SOURCE
c++ -std=c++17 -O2 -I "$include" -I "$data" "$work/both.cpp" -o "$work/both"
calls='read,pread64,readv,preadv,preadv2,write,pwrite64,writev,pwritev,pwritev2'
for verb in save load; do
  strace -f -y -e trace="$calls" -o "$work/$verb.trace" "$work/both" "$verb" "$work/m.ckpt"
  count=$(grep -c 'm\.ckpt' "$work/$verb.trace" || true)
  echo "$verb: $count calls that move bytes"
  [ "$count" -ge 1 ] && [ "$count" -le 12 ]
done
