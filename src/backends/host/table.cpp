// Selects the instruction set whose functions run.
#include <cstring>

#include "backends/host/pure.h"
#include "core/log.h"
#include "core/name.h"
#include "core/options.h"

namespace vd::host {

Cell cell_of(ir::Scalar s) {
  if (s == ir::Scalar::F16) return Cell::Half;
  if (s == ir::Scalar::Bool) return Cell::Bool;
  switch (ir::scalar_size(s)) {
    case 1:
      return Cell::Bytes1;
    case 2:
      return Cell::Bytes2;
    case 8:
      return Cell::Bytes8;
    default:
      return Cell::Bytes4;
  }
}

const OpTable* find_table(const char* name) {
  if (std::strcmp(name, "base") == 0) return &base_table();
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
  if (std::strcmp(name, "avx2") == 0) return avx2 ? &avx2_table() : nullptr;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  if (std::strcmp(name, "avx512") == 0) return avx512 ? &avx512_table() : nullptr;
#endif
  return nullptr;
}

const OpTable& op_table() {
  static const OpTable& table = []() -> const OpTable& {
    if (const auto wish = option("host_isa")) {
      if (const OpTable* t = find_table(wish->c_str())) return *t;
      log_warning("VKDISPATCH_HOST_ISA ({}) is not one of base, avx2, avx512 that this processor runs.",
                  shown_name(*wish));
    }
    for (const char* name : {"avx512", "avx2"}) {
      if (const OpTable* t = find_table(name)) return *t;
    }
    return base_table();
  }();
  return table;
}

}  // namespace vd::host
