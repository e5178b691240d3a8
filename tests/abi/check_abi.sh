#!/bin/bash
# Compares a library's ABI, as libabigail sees it, with a baseline. Any difference fails: a change on purpose rewrites the
# baseline with --update, in the same commit, so that review sees it.
#   check_abi.sh LIBRARY HEADER-FOLDER BASELINE [--update]
# Both sides are made with the same flags and compared without header options: a baseline without locations, compared
# through header options, hides every change of a struct.
set -euo pipefail
library=$1 headers=$2 baseline=$3
new=$library.abi

abidw --headers-dir "$headers" --exported-interfaces-only --drop-private-types --type-id-style hash --no-show-locs --no-corpus-path \
  --no-comp-dir-path --out-file "$new" "$library"
if [ "${4:-}" = --update ]; then
  cp "$new" "$baseline"
else
  abidiff "$baseline" "$new"
  # Control: descriptors of another size are noticed.
  sed "s/\(name='vd_[a-z_]*desc' size-in-bits='\)[0-9]*/\164/" "$new" >"$new.control"
  if abidiff "$new.control" "$new" >/dev/null; then echo "check_abi: abidiff does not notice a changed struct" >&2; exit 1; fi
fi
