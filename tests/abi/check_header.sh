#!/bin/bash
# The public header alone, and twice, in every language version and compiler that we promise, without a warning.
#   check_header.sh HEADER [MINIMUM-COMPILERS]
set -euo pipefail
header=$1
wanted=${2:-2}
flags=(-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$(dirname "$header")")
program='#include "vkdispatch.h"
#include "vkdispatch.h"
int main(void) { return vd_version() == 0; }'

compilers=0
for pair in gcc:g++ clang-15:clang++-15 clang:clang++; do
  c=${pair%:*} cpp=${pair#*:}
  command -v "$c" >/dev/null && command -v "$cpp" >/dev/null || continue
  for std in c11 c17 c2x; do
    echo "$c -std=$std"
    "$c" -std=$std -x c "${flags[@]}" - <<<"$program"
  done
  for std in c++11 c++17 c++20; do
    echo "$cpp -std=$std"
    "$cpp" -std=$std -x c++ "${flags[@]}" - <<<"$program"
  done
  compilers=$((compilers + 1))
  [ "$c" = clang-15 ] && break
done
[ "$compilers" -ge "$wanted" ] || { echo "only $compilers of $wanted compilers found"; exit 1; }
