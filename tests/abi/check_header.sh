#!/bin/bash
# The public header alone, and twice, in every language version and compiler that we promise, without a warning; then the
# files given, which assert its sizes, offsets and values, as C and as C++20.
#   check_header.sh HEADER MINIMUM-COMPILERS [C-FILE...]
set -euo pipefail
header=$1
wanted=$2
shift 2
flags=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$(dirname "$header")")
name=$(basename "$header")
program="#include \"$name\"
#include \"$name\"
int main(void) { return vd_version() == 0; }"

compilers=0
for pair in gcc:g++ clang-15:clang++-15 clang:clang++; do
  c=${pair%:*} cpp=${pair#*:}
  command -v "$c" >/dev/null && command -v "$cpp" >/dev/null || continue
  for std in c11 c17 c2x; do
    echo "$c -std=$std"
    "$c" -std=$std -x c "${flags[@]}" - <<<"$program"
    for macro in VD_STATIC VD_UNSTABLE; do "$c" -std=$std -x c "${flags[@]}" -D$macro - <<<"$program"; done
    for file in "$@"; do "$c" -std=$std -x c "${flags[@]}" "$file"; done
  done
  for std in c++11 c++17 c++20; do
    echo "$cpp -std=$std"
    "$cpp" -std=$std -x c++ "${flags[@]}" - <<<"$program"
    for macro in VD_STATIC VD_UNSTABLE; do "$cpp" -std=$std -x c++ "${flags[@]}" -D$macro - <<<"$program"; done
  done
  for file in "$@"; do "$cpp" -std=c++20 -x c++ "${flags[@]}" "$file"; done
  compilers=$((compilers + 1))
  [ "$c" = clang-15 ] && break
done
[ "$compilers" -ge "$wanted" ] || { echo "only $compilers of $wanted compilers found"; exit 1; }
