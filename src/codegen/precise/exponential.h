// Exponentials, logarithms and powers of f32: reduction to a small interval by a power of two, and minimax polynomials
// of our own there. pow works with a logarithm in two floats, of some 36 bits, by the series of atanh((m - 1) / (m +
// 1)), as musl's and FreeBSD's do in double.
#pragma once

#include "codegen/precise/arithmetic.h"

namespace vd::codegen::precise {

// ln 2 in two parts; the first has 15 bits, so that products with exponents are exact.
inline constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f, kLog2E = 0x1.715476p+0f;

// (1 + s) * 2^k, by two factors where one would leave the range.
template <class M, class F = typename M::F>
F scale(M& m, F s, F k) {
  const F half = m.nearest(k * 0.5f);
  return ((1.0f + s) * power_of_two(m, m.whole(half))) * power_of_two(m, m.whole(k - half));
}

// e^(high + low) * 2^extra. `high` must be small enough for the exponent to fit two factors.
template <class M, class F = typename M::F>
F exp_of(M& m, F high, F low, float extra) {
  const F k = m.nearest(high * kLog2E);
  const F a = high - k * kLn2High, b = k * kLn2Low;
  const F r = a - b, lost = ((a - r) - b) + low;
  const F tail = (r * r) * polynomial(r, {0.5f, 0.1666666716337204f, 0.04166625440120697f, 0.008333261124789715f,
                                          0.0013947212137281895f, 0.00019919921760447323f});
  return scale(m, r + (tail + (lost + lost * (r + tail))), k + extra);
}

template <class M, class F = typename M::F>
F keep_nan(M& m, F x, F result) {
  return m.select(is_nan(m, x), x, result);
}

template <class M, class F = typename M::F>
F exp(M& m, F x) {
  return keep_nan(m, x, exp_of(m, m.maximum(m.minimum(x, 90.0f), -110.0f), m.f(0), 0));
}

template <class M, class F = typename M::F>
F exp2(M& m, F x) {
  const F bounded = m.maximum(m.minimum(x, 130.0f), -160.0f);
  const F k = m.nearest(bounded), r = bounded - k;
  const F s = r * 0x1.62e43p-1f +
              (r * -0x1.05c61p-29f +
               (r * r) * polynomial(r, {0.24022650718688965f, 0.05550410971045494f, 0.009618033654987812f,
                                        0.0013333443785086274f, 0.00015468214405700564f, 1.531319685454946e-05f}));
  return keep_nan(m, x, scale(m, s, k));
}

// x = 2^k * (1 + f) with 1 + f in sqrt(1/2)..sqrt(2), of a positive number.
template <class M>
struct Decomposed {
  typename M::F k, f;
};
template <class M, class F = typename M::F>
Decomposed<M> decompose(M& m, F x) {
  using U = typename M::U;
  const U bits = m.bits(x);
  // A number below the normal ones becomes one by a shift.
  const auto tiny = bits < 0x00800000u;
  const U zeros = m.select(tiny, m.leading_zeros(bits | 1u) - 8u, m.u(0));
  const U shifted = (bits << zeros) + (0x3f800000u - 0x3f3504f3u);
  const U k = (shifted >> 23u) - 127u - zeros;
  return {m.to_float(k), m.value((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f};
}

// log(1 + f) = f - f * f / 2 + this.
template <class M, class F = typename M::F>
F log_tail(M&, F f) {
  return (f * (f * f)) * polynomial(f, {0.3333331346511841f, -0.25000008940696716f, 0.20002123713493347f,
                                        -0.16668005287647247f, 0.14219452440738678f, -0.12405340373516083f,
                                        0.11888696253299713f, -0.11677515506744385f, 0.06747730821371078f});
}

// log(x) + correction, of a positive number.
template <class M, class F = typename M::F>
F log_of(M& m, F x, F correction) {
  const Decomposed<M> d = decompose(m, x);
  const F half = (d.f * d.f) * 0.5f;
  return d.k * kLn2High + (d.f - (half - (log_tail(m, d.f) + (d.k * kLn2Low + correction))));
}

// The logarithm of 0, negative numbers, infinity and NaN.
template <class M, class F = typename M::F>
F log_special(M& m, F x, F result) {
  const auto bits = m.bits(x);
  result = m.select(bits >= 0x7f800000u, x, result);  // infinity, NaN; negative ones follow
  result = m.select(bits > 0x80000000u, nan(m), result);
  return m.select((bits & 0x7fffffffu) == 0u, -infinity(m), result);
}

template <class M, class F = typename M::F>
F log(M& m, F x) {
  return log_special(m, x, log_of(m, x, m.f(0)));
}

template <class M, class F = typename M::F>
F log2(M& m, F x) {
  const Decomposed<M> d = decompose(m, x);
  const F half = (d.f * d.f) * 0.5f;
  const Pair<F> first = split(m, d.f - half);
  const F low = ((d.f - first.high) - half) + log_tail(m, d.f);
  // 1 / ln 2 in two parts, the first of 12 bits.
  const F rest = (low + first.high) * -0x1.7135a8p-13f + low * 0x1.716p+0f;
  return log_special(m, x, d.k + (first.high * 0x1.716p+0f + rest));
}

// log(x) in two floats, of a positive number.
template <class M, class F = typename M::F>
Pair<F> log_pair(M& m, F x) {
  const Decomposed<M> d = decompose(m, x);
  // s = f / (2 + f)
  const F divisor = d.f + 2.0f, divisor_low = d.f - (divisor - 2.0f);
  const F s = m.divide(d.f, divisor);
  const Pair<F> back = product(m, s, divisor);
  const F s_low = m.divide(((d.f - back.high) - back.low) - s * divisor_low, divisor);
  // 2 s + 2/3 s^3 + s^5 (...)
  const Pair<F> z = product(m, s, s);
  const F z_low = z.low + (s * s_low) * 2.0f;
  const Pair<F> cube = product(m, z.high, s);
  const F cube_low = cube.low + (z_low * s + z.high * s_low);
  const Pair<F> third = product(m, cube.high, m.f(0x1.555556p-1f));
  const F third_low = third.low + (cube.high * -0x1.555556p-26f + cube_low * 0x1.555556p-1f);
  const F tail = ((z.high * z.high) * (s * 2.0f)) *
                 polynomial(z.high, {0.20000077784061432f, 0.14273428916931152f, 0.11712723970413208f});
  const Pair<F> a = ordered_sum<M>(s * 2.0f, third.high);
  const F a_low = a.low + (s_low * 2.0f + (third_low + tail));
  const Pair<F> b = sum<M>(d.k * kLn2High, a.high);
  return ordered_sum<M>(b.high, b.low + (a_low + d.k * kLn2Low));
}

template <class M, class F = typename M::F>
F pow(M& m, F x, F y) {
  using U = typename M::U;
  const U x_bits = m.bits(x), y_bits = m.bits(y);
  const U x_size = x_bits & 0x7fffffffu, y_size = y_bits & 0x7fffffffu;
  const F size = m.value(x_size);
  const Pair<F> l = log_pair(m, size);
  const Pair<F> p = product(m, y, l.high);
  // Past these, the result has left the range; so have parts of the product, perhaps.
  const auto large = p.high > 100.0f, small = p.high < -110.0f;
  const F high = m.maximum(m.minimum(p.high, 100.0f), -110.0f);
  const F low = m.select(large || small, 0.0f, p.low + y * l.low);
  F result = m.select(large, infinity(m), m.select(small, 0.0f, exp_of(m, high, low, 0)));

  const auto y_is_even = y_size >= 0x4b800000u;  // 2^24
  const U whole = m.whole(m.select(y_is_even, 0.0f, y));
  const auto y_is_whole = y_is_even || m.to_float(whole) == y;
  const auto y_is_odd = y_is_whole && (whole & 1u) != 0u;
  const auto x_is_negative = x_bits >= 0x80000000u;
  const auto y_is_negative = y_bits >= 0x80000000u;
  const F sign = m.value(m.select(x_is_negative && y_is_odd, m.u(0x80000000u), m.u(0)));
  // 0 and infinity, as powers of each other.
  const auto vanishes = (x_size == 0u && !y_is_negative) || (x_size == 0x7f800000u && y_is_negative);
  const auto explodes = (x_size == 0u && y_is_negative) || (x_size == 0x7f800000u && !y_is_negative);
  result = m.select(vanishes, 0.0f, m.select(explodes, infinity(m), result));
  // y infinite: |x| below or above 1 decides.
  const auto grows = x_size > 0x3f800000u;
  const auto shrinks = x_size < 0x3f800000u;
  const F at_infinity =
      m.select(x_size == 0x3f800000u, 1.0f,
               m.select((grows && !y_is_negative) || (shrinks && y_is_negative), infinity(m), m.f(0)));
  result = m.select(y_size == 0x7f800000u, at_infinity, result);
  result = m.value(m.bits(result) | m.bits(sign));
  const auto is_ordinary = x_size > 0u && x_size < 0x7f800000u;
  result = m.select(x_is_negative && is_ordinary && !y_is_whole, nan(m), result);
  result = m.select(is_nan(m, x) || is_nan(m, y), nan(m), result);
  return m.select(y_size == 0u || x_bits == 0x3f800000u, 1.0f, result);
}

}  // namespace vd::codegen::precise
