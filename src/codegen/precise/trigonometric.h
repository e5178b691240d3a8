// Sine, cosine and tangent of f32. The argument is reduced to -pi/4..pi/4: below 200 by W. J. Cody and W. Waite's
// method ("Software Manual for the Elementary Functions", 1980) with pi/2 in four parts, above by that of M. Payne and
// R. Hanek ("Radian reduction for trigonometric functions", SIGNUM 1983) in integers. The polynomials are minimax fits
// of our own.
#pragma once

#include "codegen/precise/arithmetic.h"

namespace vd::codegen::precise {

template <class M>
struct Reduced {
  typename M::F rest;      // -pi/4..pi/4
  typename M::U quadrant;  // how many right angles were taken away; only the two lowest bits count
};

template <class M>
Reduced<M> reduce_large(M& m, typename M::F x) {
  using U = typename M::U;
  using F = typename M::F;
  // 2/pi in words, after 32 zero bits. Of its bits, only those matter that neither give a multiple of 4 nor vanish.
  constexpr uint32_t kTwoOverPi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                     0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  const U bits = m.bits(x) & 0x7fffffffu;
  const U mantissa = (bits << 8u) | 0x80000000u;
  // |x| = mantissa * 2^(e - 31) with e the exponent; the window begins e + 1 - 2 bits into the words.
  const U shift = (bits >> 23u) - 128u;  // e - 1, at least 1 here
  const U word = shift >> 5u, offset = shift & 31u;
  const auto pick = [&](uint32_t n) {
    U result = m.u(kTwoOverPi[n + 3]);
    for (uint32_t w = 4; w-- > 0;) {
      if (w == 3) continue;
      result = m.select(word == w, m.u(kTwoOverPi[n + w]), result);
    }
    return result;
  };
  const U w0 = pick(0), w1 = pick(1), w2 = pick(2), w3 = pick(3);
  const U back = 31u - offset;  // a shift by 32 is not one
  const U high = (w0 << offset) | ((w1 >> 1u) >> back);
  const U middle = (w1 << offset) | ((w2 >> 1u) >> back);
  const U low = (w2 << offset) | ((w3 >> 1u) >> back);
  const U p0 = wide_product<M>(mantissa, low).high;
  const Pair<U> p1 = wide_product<M>(mantissa, middle);
  const U lower = p1.low + p0;
  const U carry = m.select(lower < p0, m.u(1), m.u(0));
  const U upper = mantissa * high + p1.high + carry;
  // upper:lower is |x| * 2/pi modulo 4 with 62 bits behind the point. The nearest whole number is the quadrant.
  const U quadrant = upper >> 30u;
  const U f1 = (upper << 2u) | (lower >> 30u), f0 = lower << 2u;
  const auto negative = f1 >= 0x80000000u;
  const U n0 = 0u - f0, n1 = ~f1 + m.select(f0 == 0u, m.u(1), m.u(0));
  const U g1 = m.select(negative, n1, f1), g0 = m.select(negative, n0, f0);
  const U zeros = m.leading_zeros(g1 | 1u);
  const U h1 = (g1 << zeros) | ((g0 >> 1u) >> (31u - zeros)), h0 = g0 << zeros;
  const F a = m.to_float(h1 >> 8u) * 0x1p-24f, b = m.to_float(((h1 & 0xffu) << 16u) | (h0 >> 16u)) * 0x1p-48f;
  const Pair<F> p = product(m, a, m.f(0x1.921fb6p+0f));
  const F r = (p.high + (p.low + (a * -0x1.777a5cp-25f + b * 0x1.921fb6p+0f))) * m.value((127u - zeros) << 23u);
  const auto below_zero = m.bits(x) >= 0x80000000u;
  const auto flips = (negative && !below_zero) || (!negative && below_zero);
  const U turned = quadrant + m.select(negative, m.u(1), m.u(0));
  return {m.select(flips, -r, r), m.select(below_zero, 0u - turned, turned)};
}

template <class M>
Reduced<M> reduce(M& m, typename M::F x) {
  using F = typename M::F;
  auto rest = m.variable(x);
  auto quadrant = m.variable(m.u(0));
  const auto size = m.bits(x) & 0x7fffffffu;
  m.when(size > 0x3f490fdau, [&] {  // pi/4
    m.when(
        size < 0x43480000u,  // 200: 7 bits of k, so that products with 17 bits are exact
        [&] {
          const F k = m.nearest(x * 0x1.45f306p-1f);
          const F t = x - k * 0x1.921fp+0f, b = k * 0x1.6a88p-17f;
          const F r = t - b, lost = (t - r) - b;
          rest.set(r - (k * 0x1.0b46p-34f + (k * 0x1.1a6264p-54f - lost)));
          quadrant.set(m.whole(k));
        },
        [&] {
          const Reduced<M> large = reduce_large(m, x);
          rest.set(large.rest);
          quadrant.set(large.quadrant);
        });
  });
  return {rest.get(), quadrant.get()};
}

// On -pi/4..pi/4.
template <class M, class F = typename M::F>
F sine_part(M&, F r) {
  const F z = r * r;
  return r + (r * z) * polynomial(z, {-0.1666666716337204f, 0.008333329111337662f, -0.0001983930415008217f,
                                      2.718046516747563e-06f});
}
template <class M, class F = typename M::F>
F cosine_part(M&, F r) {
  const F z = r * r, half = z * 0.5f;
  const F rest = (z * z) * polynomial(z, {0.0416666679084301f, -0.0013888883404433727f, 2.479951217537746e-05f,
                                          -2.7209549102735764e-07f});
  const F first = 1.0f - half;
  return first + (((1.0f - first) - half) + rest);
}

// Infinities have no sine.
template <class M, class F = typename M::F>
F only_finite(M& m, F x, F result) {
  return m.select((m.bits(x) & 0x7fffffffu) >= 0x7f800000u, nan(m), result);
}
// Arguments for which sin(x) and tan(x) are x; keeps the sign of zero.
template <class M, class F = typename M::F>
F keep_tiny(M& m, F x, F result) {
  return m.select((m.bits(x) & 0x7fffffffu) < 0x39800000u, x, result);  // 2^-12
}

template <class M, class F = typename M::F>
F sin(M& m, F x) {
  const Reduced<M> a = reduce(m, x);
  const F part = m.select((a.quadrant & 1u) != 0u, cosine_part(m, a.rest), sine_part(m, a.rest));
  return only_finite(m, x, keep_tiny(m, x, m.select((a.quadrant & 2u) != 0u, -part, part)));
}

template <class M, class F = typename M::F>
F cos(M& m, F x) {
  const Reduced<M> a = reduce(m, x);
  const F part = m.select((a.quadrant & 1u) != 0u, sine_part(m, a.rest), cosine_part(m, a.rest));
  return only_finite(m, x, m.select(((a.quadrant + 1u) & 2u) != 0u, -part, part));
}

template <class M, class F = typename M::F>
F tan(M& m, F x) {
  const Reduced<M> a = reduce(m, x);
  const F s = sine_part(m, a.rest), c = cosine_part(m, a.rest);
  const auto odd = (a.quadrant & 1u) != 0u;
  const Pair<F> q = quotient(m, m.select(odd, -c, s), m.select(odd, s, c));
  return only_finite(m, x, keep_tiny(m, x, q.high + q.low));
}

}  // namespace vd::codegen::precise
