// The ops for x86-64 with AVX-512.
#if defined(__x86_64__)
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "backends/host/half.h"
#include "backends/host/pure.h"

#if defined(__clang__)
#pragma clang attribute push(                                                                                   \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi,bmi2,popcnt,lzcnt"))), \
    apply_to = function)
#else
#pragma GCC target( \
    "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi,bmi2,popcnt,lzcnt,prefer-vector-width=512")
#endif

namespace vd::host::avx512 {
#include "backends/host/pure.inl"
}  // namespace vd::host::avx512

#if defined(__clang__)
#pragma clang attribute pop
#endif

namespace vd::host {

const OpTable& avx512_table() {
  static const OpTable table = [] {
    OpTable t;
    t.name = "avx512";
    avx512::fill(t);
    add_math(t);
    return t;
  }();
  return table;
}

}  // namespace vd::host
#endif
