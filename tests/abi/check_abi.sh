#!/bin/bash
# Compares the library's ABI, as libabigail sees it, with abi/vkdispatch.abi. Any difference fails: a change on purpose
# rewrites the file with --update, in the same commit, so that review sees it.
#   check_abi.sh BUILD-TREE [--update]
# Both sides are made with the same flags and compared without header options: a baseline without locations compared
# through header options hides every change of a struct.
set -euo pipefail
build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
baseline=$root/abi/vkdispatch.abi
new=$build/vkdispatch.abi

abidw --headers-dir "$root/include" --drop-private-types --type-id-style hash --no-show-locs --no-corpus-path \
  --no-comp-dir-path --out-file "$new" "$build/libvkdispatch.so"
if [ "${2:-}" = --update ]; then
  cp "$new" "$baseline"
  echo "rewrote abi/vkdispatch.abi"
else
  abidiff "$baseline" "$new"
fi
