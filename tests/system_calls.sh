#!/bin/sh
# Looks at the system calls of a save and a load: at most 12 move the bytes of a 41.8 MB checkpoint,
# each way; and what is written is on the disk before it gets its name, for one file and for a
# checkpoint of the manager (case A5).
# usage: system_calls.sh INCLUDE_DIR TESTS_DATA_DIR WORK_DIR
set -eu
include=$1 data=$2 work=$(cd "$3" && pwd -P)
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

# What a program makes, writes, syncs and renames in the working directory, a line each, in order.
order_of() {
  strace -f -y -o "$work/order.trace" \
    -e trace='?mkdir,?mkdirat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,?rename,?renameat,?renameat2' "$@"
  sed -nE -e 's/^[0-9]+ +//' -e '/ = -1 /d' -e "s#$work#.#g" \
    -e 's/^mkdir[a-z]*\(.*"([^"]*)".*/make \1/p' \
    -e 's/^p?write[0-9v]*\([0-9]+<([^>]*)>.*/write \1/p' \
    -e 's/^f(data)?sync\([0-9]+<([^>]*)>.*/sync \2/p' \
    -e 's/^rename[a-z0-9]*\(.*"([^"]*)"[^"]*$/rename to \1/p' "$work/order.trace" |
    sed -E 's/\.[0-9]+\.ckpt-tmp/.N.ckpt-tmp/' | uniq
}

order_of "$work/both" save "$work/m.ckpt" >"$work/order"
diff - "$work/order" <<'ORDER'
write ./.m.ckpt.N.ckpt-tmp
sync ./.m.ckpt.N.ckpt-tmp
rename to ./m.ckpt
sync .
ORDER
echo "a save writes, syncs, renames and syncs the directory"

cat >"$work/managed.cpp" <<'SOURCE'
#include "ckpt/store.hpp"
struct small {
  static constexpr auto tensors = ckpt::tensors({{"w", ckpt::dtype::f32, {1000}}});
};
int main(int, char** arguments) {
  ckpt::manager_settings settings;
  settings.directory = arguments[1];
  settings.max_to_keep = 1;
  auto manager = ckpt::checkpoint_manager<small, ckpt::adam>::open(settings);
  const ckpt::state<small, ckpt::adam> state;
  return manager.ok() && manager->save(state).ok() && manager->save(state).ok() ? 0 : 1;
}
SOURCE
c++ -std=c++17 -O2 -I "$include" "$work/managed.cpp" -o "$work/managed" -pthread
rm -rf "$work/run"
order_of "$work/managed" "$work/run" | sed -n '/^make .*checkpoint_1/,$p' >"$work/order"
diff - "$work/order" <<'ORDER'
make ./run/.checkpoint_1.ckpt-tmp
write ./run/.checkpoint_1.ckpt-tmp/model.ckpt
sync ./run/.checkpoint_1.ckpt-tmp/model.ckpt
write ./run/.checkpoint_1.ckpt-tmp/trainer_0
sync ./run/.checkpoint_1.ckpt-tmp/trainer_0
write ./run/.checkpoint_1.ckpt-tmp/_SUCCESS
sync ./run/.checkpoint_1.ckpt-tmp/_SUCCESS
sync ./run/.checkpoint_1.ckpt-tmp
rename to ./run/checkpoint_1
sync ./run/checkpoint_1
sync ./run
rename to ./run/.checkpoint_0.ckpt-tmp
ORDER
echo "a managed save does so for each file, publishes, syncs, and only then removes the old one"
