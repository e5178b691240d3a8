// The ops for x86-64 with AVX-2.
#if defined(__x86_64__)
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "backends/host/half.h"
#include "backends/host/pure.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,popcnt,lzcnt")
#endif

namespace vd::host::avx2 {
#include "backends/host/pure.inl"
}  // namespace vd::host::avx2

#if defined(__clang__)
#pragma clang attribute pop
#endif

namespace vd::host {

const OpTable& avx2_table() {
  static const OpTable table = [] {
    OpTable t;
    t.name = "avx2";
    avx2::fill(t);
    add_math(t);
    return t;
  }();
  return table;
}

}  // namespace vd::host
#endif
