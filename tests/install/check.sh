#!/bin/bash
# Installs a build tree into an empty prefix, moves it, and builds a program of an outside project against it: once with
# the CMake package, once with pkg-config.
#   check.sh BUILD-TREE
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/first" >"$scratch/log"
mv "$scratch/first" "$scratch/prefix"  # nothing may depend on where it was installed
(cd "$scratch/prefix" && find . -type f -o -type l | sort)
if grep -rl "$scratch/first\|$build" "$scratch/prefix"; then echo "an installed file names the build tree"; exit 1; fi

echo "== CMake package"
cmake -S "$here/cmake" -B "$scratch/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
cmake --build "$scratch/cmake" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
"$scratch/cmake/outside"

echo "== pkg-config"
config=$(find "$scratch/prefix" -name vkdispatch.pc)
export PKG_CONFIG_PATH=${config%/*}
cc -Wall -Werror "$here/main.c" -o "$scratch/outside" $(pkg-config --cflags --libs vkdispatch)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir vkdispatch) "$scratch/outside"
