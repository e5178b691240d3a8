#!/bin/bash
# What leaves the library and what it needs: only declared vd_ functions, all of them, and only the C and C++ runtimes.
# With the list of symbols (abi/symbols.txt), each stands in the version node of its release.
#   check_symbols.sh LIBRARY HEADER [SYMBOLS]
set -euo pipefail
library=$1 header=$2 symbols=${3:-}
failed=0

# The version nodes are symbols of type A.
exported=$(nm -D --defined-only "$library" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | sort -u)
declared=$(sed -n 's/^VD_API [^(]*\b\(vd_[a-z0-9_]*\)(.*/\1/p' "$header" | sort -u)
[ "$(wc -w <<<"$declared")" = "$(grep -c '^VD_API ' "$header")" ] || { echo "a VD_API line of $header was not understood"; failed=1; }

only_exported=$(comm -23 <(echo "$exported") <(echo "$declared"))
only_declared=$(comm -13 <(echo "$exported") <(echo "$declared"))
[ -z "$only_exported" ] || { echo "exported but not declared:" $only_exported; failed=1; }
[ -z "$only_declared" ] || { echo "declared but not exported:" $only_declared; failed=1; }

unversioned=$(nm -D --defined-only "$library" | awk '$2 != "A" && $3 !~ /@@VKDISPATCH_/ {print $3}')
[ -z "$unversioned" ] || { echo "without a version node:" $unversioned; failed=1; }

if [ -n "$symbols" ]; then
  abi=$(sed -n 's/^#define VD_ABI \+\([0-9]\+\).*/\1/p' "$header")
  listed=$(awk -v abi="$abi" '!/^#/ {split($2, v, "."); print $1 "@@VKDISPATCH_" ($3 == "unstable" ? "UNSTABLE" : abi "." v[2])}' "$symbols" | sort)
  nodes=$(nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sort)
  diff <(echo "$listed") <(echo "$nodes") || { echo "the symbols differ from $symbols (<: listed, >: exported)"; failed=1; }
fi

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
strange=$(grep -vE '^(libc\.so\.6|libm\.so\.6|libstdc\+\+\.so\.6|libgcc_s\.so\.1|ld-linux[-a-z0-9_.]*)$' <<<"$needed" || true)
[ -z "$strange" ] || { echo "needs more than the C and C++ runtimes:" $strange; failed=1; }
echo "$(wc -w <<<"$exported") symbols exported, $(wc -w <<<"$declared") declared; needs" $needed
exit $failed
