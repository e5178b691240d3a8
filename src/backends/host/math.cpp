// Math that goes through the C library: in double, then rounded, so that f16 and f32 are as good as correctly rounded;
// f64 has the library's own accuracy (below 1 ULP in glibc). Only active lanes are computed.
#include <cmath>

#include "backends/host/half.h"
#include "backends/host/pure.h"

namespace vd::host {
namespace {

using ir::Scalar;

template <Scalar S>
lane_t<S> rounded(double x) {
  if constexpr (S == Scalar::F16)
    return round_to_half(x);
  else
    return static_cast<lane_t<S>>(x);
}

template <Scalar S, double (*F)(double)>
const Insn* run1(Machine& m, const Insn* i) {
  using T = lane_t<S>;
  T* d = m.at<T>(i->d);
  const T* a = m.at<T>(i->a);
  if (i->varying == 0) {
    const T x = rounded<S>(F(double(a[0])));
    for (uint32_t l = 0; l < kBlock; ++l) d[l] = x;
  } else {
    m.mask.each([&](uint32_t l) { d[l] = rounded<S>(F(double(a[l]))); });
  }
  return i + 1;
}

template <Scalar S, double (*F)(double, double)>
const Insn* run2(Machine& m, const Insn* i) {
  using T = lane_t<S>;
  T* d = m.at<T>(i->d);
  const T* a = m.at<T>(i->a);
  const T* b = m.at<T>(i->b);
  if (i->varying == 0) {
    const T x = rounded<S>(F(double(a[0]), double(b[0])));
    for (uint32_t l = 0; l < kBlock; ++l) d[l] = x;
  } else {
    const bool va = i->sa != 0, vb = i->sb != 0;
    m.mask.each([&](uint32_t l) { d[l] = rounded<S>(F(double(a[va ? l : 0]), double(b[vb ? l : 0]))); });
  }
  return i + 1;
}

template <double (*F)(double)>
void add1(OpTable& t, vd_op op) {
  t.pure[op][static_cast<size_t>(Scalar::F16)] = run1<Scalar::F16, F>;
  t.pure[op][static_cast<size_t>(Scalar::F32)] = run1<Scalar::F32, F>;
  t.pure[op][static_cast<size_t>(Scalar::F64)] = run1<Scalar::F64, F>;
}
template <double (*F)(double, double)>
void add2(OpTable& t, vd_op op) {
  t.pure[op][static_cast<size_t>(Scalar::F16)] = run2<Scalar::F16, F>;
  t.pure[op][static_cast<size_t>(Scalar::F32)] = run2<Scalar::F32, F>;
  t.pure[op][static_cast<size_t>(Scalar::F64)] = run2<Scalar::F64, F>;
}

}  // namespace

void add_math(OpTable& t) {
  add1<std::exp>(t, VD_OP_EXP);
  add1<std::exp2>(t, VD_OP_EXP2);
  add1<std::log>(t, VD_OP_LOG);
  add1<std::log2>(t, VD_OP_LOG2);
  add2<std::pow>(t, VD_OP_POW);
  add1<std::sin>(t, VD_OP_SIN);
  add1<std::cos>(t, VD_OP_COS);
  add1<std::tan>(t, VD_OP_TAN);
  add1<std::asin>(t, VD_OP_ASIN);
  add1<std::acos>(t, VD_OP_ACOS);
  add1<std::atan>(t, VD_OP_ATAN);
  add2<std::atan2>(t, VD_OP_ATAN2);
  add1<std::sinh>(t, VD_OP_SINH);
  add1<std::cosh>(t, VD_OP_COSH);
  add1<std::tanh>(t, VD_OP_TANH);
  add1<std::asinh>(t, VD_OP_ASINH);
  add1<std::acosh>(t, VD_OP_ACOSH);
  add1<std::atanh>(t, VD_OP_ATANH);
}

}  // namespace vd::host
