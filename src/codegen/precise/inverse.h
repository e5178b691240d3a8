// Arc functions of f32: minimax polynomials of our own on the middle of the range, and the identities of the textbook
// outside, with quotients and roots in two floats.
#pragma once

#include "codegen/precise/arithmetic.h"

namespace vd::codegen::precise {

inline constexpr float kHalfPiHigh = 0x1.921fb6p+0f, kHalfPiLow = -0x1.777a5cp-25f;
inline constexpr float kPiHigh = 0x1.921fb6p+1f, kPiLow = -0x1.777a5cp-24f;

// atan(high + low) on 0..1.
template <class M, class F = typename M::F>
Pair<F> atan_part(M&, F high, F low) {
  const F z = high * high;
  const F rest = (high * z) * polynomial(z, {-0.33333298563957214f, 0.19998548924922943f, -0.14264242351055145f,
                                             0.10952185839414597f, -0.0840345099568367f, 0.05795760080218315f,
                                             -0.031177852302789688f, 0.010914608836174011f, -0.0017936223885044456f});
  return {high, rest + low};
}

template <class M, class F = typename M::F>
F atan(M& m, F x) {
  const F size = m.absolute(x);
  const auto outside = size > 1.0f;
  // atan(x) = pi/2 - atan(1/x). Past 2^26 that is pi/2.
  const F bounded = m.minimum(size, 0x1p26f);
  const Pair<F> inverse = quotient(m, m.f(1), m.select(outside, bounded, 1.0f));
  const Pair<F> part = atan_part(m, m.select(outside, inverse.high, size), m.select(outside, inverse.low, 0.0f));
  const F result = m.select(outside, kHalfPiHigh - (part.high - (kHalfPiLow - part.low)), part.high + part.low);
  return m.select(is_nan(m, x), x, with_sign(m, result, x));
}

template <class M, class F = typename M::F>
F atan2(M& m, F y, F x) {
  const F ax = m.absolute(x), ay = m.absolute(y);
  const auto steep = ay > ax;
  F large = m.select(steep, ay, ax), small = m.select(steep, ax, ay);
  // Two infinities count as two ones; one infinity makes the other argument zero.
  const auto x_infinite = m.bits(ax) == 0x7f800000u, y_infinite = m.bits(ay) == 0x7f800000u;
  const auto both = x_infinite && y_infinite;
  small = m.select(both, 1.0f, m.select(x_infinite || y_infinite, 0.0f, small));
  large = m.select(x_infinite || y_infinite, 1.0f, large);
  // Away from both ends of the range, where parts of the quotient would vanish.
  const F factor = m.select(large > 0x1p100f, m.f(0x1p-62f),
                            m.select(large < 0x1p-60f, m.f(0x1p120f), m.select(large < 0x1p20f, m.f(0x1p64f), m.f(1))));
  large = large * factor;
  small = small * factor;
  const auto nothing = large == 0.0f;
  // A quotient below 2^-60 is right to the driver's error, and vanishes beside anything but zero.
  const Pair<F> q = quotient(m, small, m.select(nothing, 1.0f, large));
  const auto faint = q.high < 0x1p-60f;
  const Pair<F> part = atan_part(m, m.select(faint, m.divide(small, m.select(nothing, 1.0f, large)), q.high),
                                 m.select(faint, 0.0f, q.low));
  const auto left = m.bits(x) >= 0x80000000u;
  // pi/2 - part, pi/2 + part, pi - part or part.
  const F turned = m.select(left, kHalfPiHigh + (part.high + (kHalfPiLow + part.low)),
                            kHalfPiHigh - (part.high - (kHalfPiLow - part.low)));
  const F flat = m.select(left, kPiHigh - (part.high - (kPiLow - part.low)), part.high + part.low);
  const F result = with_sign(m, m.select(steep, turned, flat), y);
  return m.select(is_nan(m, x) || is_nan(m, y), nan(m), result);
}

// asin(x) = x + this, on 0..1/2; z is x * x.
template <class M, class F = typename M::F>
F asin_tail(M&, F x, F z) {
  return (x * z) * polynomial(z, {0.16666659712791443f, 0.07500503957271576f, 0.04451695457100868f,
                                  0.03180772438645363f, 0.014438587240874767f, 0.037516478449106216f});
}

template <class M, class F = typename M::F>
F asin(M& m, F x) {
  const F size = m.absolute(x);
  const auto inner = size < 0.5f;
  // Outside, asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
  const F z = m.select(inner, size * size, (1.0f - m.minimum(size, 1.0f)) * 0.5f);
  const auto edge = z == 0.0f;
  const Pair<F> s = square_root(m, m.select(edge || inner, 1.0f, z));
  const F base = m.select(inner, size, m.select(edge, 0.0f, s.high));
  const F tail = asin_tail(m, base, z);
  const F low = m.select(edge, 0.0f, s.low);
  const F outer = kHalfPiHigh - (base * 2.0f - (kHalfPiLow - (low + tail) * 2.0f));
  const F result = with_sign(m, m.select(inner, base + tail, outer), x);
  return m.select(size <= 1.0f, result, nan(m));
}

template <class M, class F = typename M::F>
F acos(M& m, F x) {
  const F size = m.absolute(x);
  const auto inner = size < 0.5f;
  const auto left = x < 0.0f;
  const F z = m.select(inner, x * x, (1.0f - m.minimum(size, 1.0f)) * 0.5f);
  const auto edge = z == 0.0f;
  const Pair<F> s = square_root(m, m.select(edge || inner, 1.0f, z));
  const F base = m.select(inner, x, m.select(edge, 0.0f, s.high));
  const F tail = asin_tail(m, base, z);
  const F low = m.select(edge, 0.0f, s.low);
  const F middle = kHalfPiHigh - (base - (kHalfPiLow - tail));
  const F doubled = (base + (low + tail)) * 2.0f;
  const F far = kPiHigh - (base * 2.0f - (kPiLow - (low + tail) * 2.0f));
  const F result = m.select(inner, middle, m.select(left, far, doubled));
  return m.select(size <= 1.0f, result, nan(m));
}

}  // namespace vd::codegen::precise
