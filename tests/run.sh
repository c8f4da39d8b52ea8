#!/bin/sh
# Installs what the tests need where it can (Debian), configures, builds and runs every test.
# usage: tests/run.sh [PRESET]     default (the default), release or sanitize
set -eu
cd "$(dirname "$0")/.."
preset=${1:-default}

# Debian packages by name, only those that are missing.
missing=
command -v cmake >/dev/null 2>&1 || missing="$missing cmake"
command -v c++ >/dev/null 2>&1 || missing="$missing g++"
command -v ninja >/dev/null 2>&1 || missing="$missing ninja-build"
command -v python3 >/dev/null 2>&1 || missing="$missing python3"
[ -e /usr/include/doctest/doctest.h ] || missing="$missing doctest-dev"
if [ -n "$missing" ]; then
  if command -v apt-get >/dev/null 2>&1; then
    root=
    [ "$(id -u)" = 0 ] || root=sudo
    $root apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends $missing
  else
    echo "not found and no apt-get to install them:$missing" >&2
  fi
fi

# A tree that is configured already keeps its generator.
build=build-$preset
[ "$preset" != default ] || build=build
generator=
[ -e "$build/CMakeCache.txt" ] || ! command -v ninja >/dev/null 2>&1 || generator='-G Ninja'
# shellcheck disable=SC2086
cmake --preset "$preset" $generator
cmake --build --preset "$preset"
ctest --preset "$preset"
