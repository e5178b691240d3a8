// Correctly rounded division, square root and fused multiply-add of f32, in integers: Vulkan grants the driver's 2.5
// and 4.5 ULP, and does not promise that fma() rounds once. Long division and the digit-by-digit root of the
// schoolbook; the sum as in J. Hauser's SoftFloat. They also keep numbers below the normal ones where a device flushes
// them.
#pragma once

#include "codegen/precise/arithmetic.h"

namespace vd::codegen::precise {

// |x| of a finite number but zero as mantissa * 2^(exponent - 23), the mantissa's top bit being bit 23.
template <class M>
struct Decoded {
  typename M::U mantissa, exponent;  // two's complement
};
template <class M>
Decoded<M> decode(M& m, typename M::U bits) {
  using U = typename M::U;
  const U size = bits & 0x7fffffffu;
  const auto tiny = size < 0x00800000u;
  const U shift = m.leading_zeros(size | 1u) - 8u;
  const U normal = (size & 0x007fffffu) | 0x00800000u;
  return {m.select(tiny, size << (shift & 31u), normal), m.select(tiny, 0u - (shift + 126u), (size >> 23u) - 127u)};
}

template <class M>
typename M::U flag(M& m, typename M::B condition) {
  return m.select(condition, m.u(1), m.u(0));
}

// The float of m * 2^(exponent - 25) rounded to nearest even: the top bit of m is bit 25, its lowest says whether
// anything is below.
template <class M>
typename M::F encode(M& m, typename M::U sign, typename M::U exponent, typename M::U mantissa) {
  using U = typename M::U;
  const U field = exponent + 127u;  // as it is in the float
  const auto below = m.is_negative(field) || field == 0u;
  // Below the normal numbers, bits are lost; they are kept for the rounding.
  const U drop = 1u - field;
  const U shift = m.select(below, m.select(drop > 27u, m.u(27), drop), m.u(0));
  const U kept = mantissa >> shift;
  const U jammed = kept | flag(m, !((kept << shift) == mantissa));
  const U low = jammed & 3u, whole = jammed >> 2u;
  const auto up = low == 3u || (low == 2u && (whole & 1u) != 0u);
  // The mantissa's top bit counts as one in the exponent's field.
  const U result = whole + flag(m, up) + (m.select(below, m.u(0), field - 1u) << 23u);
  const auto above = !m.is_negative(field) && field > 254u;
  return m.value(sign | m.select(above, m.u(0x7f800000u), result));
}

template <class M, class F = typename M::F>
F div(M& m, F a, F b) {
  using U = typename M::U;
  const U x = m.bits(a), y = m.bits(b);
  const U sign = (x ^ y) & 0x80000000u, x_size = x & 0x7fffffffu, y_size = y & 0x7fffffffu;
  const Decoded<M> n = decode(m, x), d = decode(m, y);
  // The first quotient bit is 1, then three times eight more.
  const auto less = n.mantissa < d.mantissa;
  const U divisor = m.select(y_size == 0u, m.u(0x00800000u), d.mantissa);
  U rest = m.select(less, n.mantissa << 1u, n.mantissa) - divisor;
  U quotient = m.u(1);
  for (int i = 0; i < 3; ++i) {
    const U more = rest << 8u, digit = m.quotient(more, divisor);
    rest = more - digit * divisor;
    quotient = (quotient << 8u) | digit;
  }
  const U exponent = n.exponent - d.exponent - flag(m, less);
  F result = encode(m, sign, exponent, (quotient << 1u) | flag(m, rest != 0u));
  const F zero = m.value(sign), infinite = m.value(sign | 0x7f800000u);
  const auto x_zero = x_size == 0u, y_zero = y_size == 0u;
  const auto x_infinite = x_size == 0x7f800000u, y_infinite = y_size == 0x7f800000u;
  result = m.select(x_zero || y_infinite, zero, m.select(y_zero || x_infinite, infinite, result));
  const auto nothing = (x_zero && y_zero) || (x_infinite && y_infinite) || x_size > 0x7f800000u || y_size > 0x7f800000u;
  return m.select(nothing, nan(m), result);
}

template <class M, class F = typename M::F>
F sqrt(M& m, F a) {
  using U = typename M::U;
  const U x = m.bits(a);
  const Decoded<M> d = decode(m, x);
  // An even exponent, and the mantissa as the first bits of a number of 50, two of them for each bit of the root.
  const U odd = d.exponent & 1u;
  const U number = d.mantissa << (odd + 7u);  // bits 31 and 30 come first
  auto left = m.variable(number);
  auto rest = m.variable(m.u(0));
  auto root = m.variable(m.u(0));
  m.repeat(25, [&] {
    const U now = (rest.get() << 2u) | (left.get() >> 30u);
    left.set(left.get() << 2u);
    const U trial = (root.get() << 2u) | 1u;
    const auto fits = !(now < trial);
    rest.set(m.select(fits, now - trial, now));
    root.set((root.get() << 1u) | flag(m, fits));
  });
  const U half = m.shift_right_signed(d.exponent - odd, 1);
  F result = encode(m, m.u(0), half, (root.get() << 1u) | flag(m, rest.get() != 0u));
  // Zeros, infinity and NaN stay; negative numbers have no root.
  result = m.select((x & 0x7fffffffu) == 0u || x == 0x7f800000u, a, result);
  return m.select(((x & 0x7fffffffu) != 0u && x >= 0x80000000u) || is_nan(m, a), nan(m), result);
}

template <class M, class F = typename M::F>
F rsqrt(M& m, F a) {
  // Twice rounded: within 1 ULP.
  return div(m, m.f(1), sqrt(m, a));
}

// 64 bits.
template <class M>
struct Wide {
  typename M::U high, low;
};
// Shift right by n below 64; lost bits leave a mark in the lowest bit.
template <class M>
Wide<M> shift_right_jam(M& m, Wide<M> a, typename M::U n) {
  using U = typename M::U;
  const U k = n & 31u;
  const U high = a.high >> k;
  const U low = (a.low >> k) | ((a.high << 1u) << (31u - k));
  const U lost = (a.low << 1u) << (31u - k);
  const auto far = n > 31u;
  const U jam_near = flag(m, lost != 0u), jam_far = flag(m, (((a.high << 1u) << (31u - k)) | a.low) != 0u);
  return {m.select(far, m.u(0), high), m.select(far, high | jam_far, low | jam_near)};
}

template <class M, class F = typename M::F>
F fma(M& m, F a, F b, F c) {
  using U = typename M::U;
  const U x = m.bits(a), y = m.bits(b), z = m.bits(c);
  const U x_size = x & 0x7fffffffu, y_size = y & 0x7fffffffu, z_size = z & 0x7fffffffu;
  const U product_sign = (x ^ y) & 0x80000000u, z_sign = z & 0x80000000u;
  const Decoded<M> p = decode(m, x), q = decode(m, y), r = decode(m, z);
  // The product has 47 or 48 bits; with the top one at bit 61 both summands leave room for a carry.
  const Pair<U> bits = wide_product<M>(p.mantissa << 7u, q.mantissa << 7u);  // 2^60..2^62
  const auto large = bits.high >= 0x20000000u;
  const Wide<M> product{m.select(large, bits.high, (bits.high << 1u) | (bits.low >> 31u)),
                        m.select(large, bits.low, bits.low << 1u)};
  const U product_exponent = p.exponent + q.exponent + flag(m, large);
  const auto c_zero = z_size == 0u;
  const Wide<M> addend{m.select(c_zero, m.u(0), r.mantissa << 6u), m.u(0)};
  const U addend_exponent = m.select(c_zero, product_exponent, r.exponent);
  // The one with the smaller exponent moves.
  const U gap = product_exponent - addend_exponent;
  const auto addend_larger = m.is_negative(gap);
  const U distance = m.select(addend_larger, 0u - gap, gap);
  const U moved = m.select(distance > 63u, m.u(63), distance);
  const Wide<M> product_there = shift_right_jam(m, product, m.select(addend_larger, moved, m.u(0)));
  const Wide<M> addend_there = shift_right_jam(m, addend, m.select(addend_larger, m.u(0), moved));
  const U exponent = m.select(addend_larger, addend_exponent, product_exponent);
  // The larger plus or minus the smaller.
  const auto product_wins = product_there.high > addend_there.high ||
                            (product_there.high == addend_there.high && !(product_there.low < addend_there.low));
  const auto take = [&](const Wide<M>& yes, const Wide<M>& no) {
    return Wide<M>{m.select(product_wins, yes.high, no.high), m.select(product_wins, yes.low, no.low)};
  };
  const Wide<M> more = take(product_there, addend_there), less = take(addend_there, product_there);
  const auto opposite = (product_sign ^ z_sign) != 0u;
  const U sum_low = more.low + less.low, sum_high = more.high + less.high + flag(m, sum_low < more.low);
  const U difference_low = more.low - less.low;
  const U difference_high = more.high - less.high - flag(m, more.low < less.low);
  const Wide<M> sum{m.select(opposite, difference_high, sum_high), m.select(opposite, difference_low, sum_low)};
  // Its top bit to bit 63, then 26 bits and a mark.
  const auto high_empty = sum.high == 0u;
  const U first = m.select(high_empty, sum.low, sum.high), second = m.select(high_empty, m.u(0), sum.low);
  const U zeros = m.leading_zeros(first | 1u);
  const U top = (first << zeros) | ((second >> 1u) >> (31u - zeros)), under = second << zeros;
  const U mantissa = (top >> 6u) | flag(m, ((top & 63u) | under) != 0u);
  const U total = exponent + 2u - (zeros + m.select(high_empty, m.u(32), m.u(0)));
  const U sign = m.select(product_wins, product_sign, z_sign);
  F result = encode(m, sign, total, mantissa);
  const auto nothing_left = first == 0u;
  // Equal and opposite: plus zero.
  result = m.select(nothing_left, 0.0f, result);

  const auto product_zero = x_size == 0u || y_size == 0u;
  const U both_signs = m.select(c_zero, product_sign & z_sign, z_sign);
  result = m.select(product_zero, m.value(z_size | both_signs), result);
  const auto product_infinite = x_size == 0x7f800000u || y_size == 0x7f800000u;
  const auto c_infinite = z_size == 0x7f800000u;
  result = m.select(c_infinite, c, m.select(product_infinite, m.value(product_sign | 0x7f800000u), result));
  const auto nothing =
      (product_infinite && (product_zero || (c_infinite && opposite))) || is_nan(m, a) || is_nan(m, b) || is_nan(m, c);
  return m.select(nothing, nan(m), result);
}

}  // namespace vd::codegen::precise
