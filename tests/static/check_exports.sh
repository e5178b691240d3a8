#!/bin/bash
# A shared object with the static library inside exports its own functions and nothing else: no entry of the library, nor
# anything of the archives that come with it.
#   check_exports.sh PLUGIN
set -euo pipefail
exported=$(nm -D --defined-only "$1" | awk '{print $3}' | sort)
diff <(printf 'plugin_begin\nplugin_end\nplugin_objects\n') <(echo "$exported") | head -n 40 ||
  { echo "$1 exports $(wc -l <<<"$exported") symbols (<: its own, >: exported)"; exit 1; }
