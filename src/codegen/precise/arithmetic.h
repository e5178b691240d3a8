// Pairs of floats whose sum is a more exact number (T. J. Dekker, "A floating-point technique for extending the
// available precision", 1971), without fused multiply-add, which Vulkan does not promise; and division and square root
// by it.
#pragma once

#include "codegen/precise/number.h"

namespace vd::codegen::precise {

template <class F>
struct Pair {
  F high, low;
};

template <class M>
using FloatOf = typename M::F;

// a + b exactly.
template <class M, class F = typename M::F>
Pair<F> sum(F a, F b) {
  const F s = a + b, part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}
// The same where |a| >= |b| or a is 0.
template <class M, class F = typename M::F>
Pair<F> ordered_sum(F a, F b) {
  const F s = a + b;
  return {s, b - (s - a)};
}
// The upper 12 bits, and the rest, which has no more.
template <class M, class F = typename M::F>
Pair<F> split(M& m, F a) {
  const F high = m.value(m.bits(a) & 0xfffff000u);
  return {high, a - high};
}
// a * b exactly, unless it leaves the range.
template <class M, class F = typename M::F>
Pair<F> product(M& m, F a, F b) {
  const Pair<F> x = split(m, a), y = split(m, b);
  const F p = a * b;
  return {p, ((x.high * y.high - p) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

// 32 by 32 bits: the upper and lower half of the product.
template <class M, class U = typename M::U>
Pair<U> wide_product(U a, U b) {
  const U al = a & 0xffffu, ah = a >> 16u, bl = b & 0xffffu, bh = b >> 16u;
  const U low = al * bl, middle = ah * bl + (low >> 16u), cross = al * bh + (middle & 0xffffu);
  return {ah * bh + (middle >> 16u) + (cross >> 16u), a * b};
}

// a / b as a pair: the driver's quotient, and its remainder.
template <class M, class F = typename M::F>
Pair<F> quotient(M& m, F a, F b) {
  const F q = m.divide(a, b);
  const Pair<F> p = product(m, q, b);
  const F rest = (a - p.high) - p.low;
  const Pair<F> result = ordered_sum<M>(q, m.divide(rest, b));
  return result;
}
// The square root of a normal number as a pair.
template <class M, class F = typename M::F>
Pair<F> square_root(M& m, F a) {
  const F s = m.root(a);
  const Pair<F> p = product(m, s, s);
  const F rest = (a - p.high) - p.low;
  return ordered_sum<M>(s, m.divide(rest, s + s));
}

// c0 + x * (c1 + x * (...)).
template <class F>
F polynomial(F x, std::initializer_list<float> coefficients) {
  const float* c = coefficients.end() - 2;
  F result = x * c[1] + c[0];
  while (c != coefficients.begin()) result = result * x + *--c;
  return result;
}

// NaN stays NaN.
template <class M, class F = typename M::F>
typename M::B is_nan(M& m, F x) {
  return (m.bits(x) & 0x7fffffffu) > 0x7f800000u;
}
template <class M>
typename M::F nan(M& m) {
  return m.value(m.u(0x7fc00000u));
}
template <class M>
typename M::F infinity(M& m) {
  return m.value(m.u(0x7f800000u));
}
// |x| with the sign of y.
template <class M, class F = typename M::F>
F with_sign(M& m, F x, F y) {
  return m.value((m.bits(x) & 0x7fffffffu) | (m.bits(y) & 0x80000000u));
}
// 2 to the n, for n in -126..127, in two's complement.
template <class M>
typename M::F power_of_two(M& m, typename M::U n) {
  return m.value((n + 127u) << 23u);
}

}  // namespace vd::codegen::precise
