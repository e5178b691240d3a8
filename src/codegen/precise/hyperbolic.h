// Hyperbolic functions of f32 and their inverses: polynomials near 0, where exponentials and logarithms would cancel,
// and those elsewhere.
#pragma once

#include "codegen/precise/exponential.h"

namespace vd::codegen::precise {

// e^x / 2 of 0..100, which is in range a little longer than e^x.
template <class M, class F = typename M::F>
F half_exp(M& m, F x) {
  return exp_of(m, m.minimum(x, 100.0f), m.f(0), -1.0f);
}

template <class M, class F = typename M::F>
F sinh(M& m, F x) {
  const F size = m.absolute(x), z = size * size;
  const F near = size + (size * z) * polynomial(z, {0.1666666716337204f, 0.008333349600434303f, 0.0001983615948120132f,
                                                    2.8169511097075883e-06f});
  const F e = half_exp(m, size);
  const F far = e - m.divide(m.f(0.25f), e);
  return keep_nan(m, x, with_sign(m, m.select(size < 1.0f, near, far), x));
}

template <class M, class F = typename M::F>
F cosh(M& m, F x) {
  const F e = half_exp(m, m.absolute(x));
  return keep_nan(m, x, e + m.divide(m.f(0.25f), e));
}

template <class M, class F = typename M::F>
F tanh(M& m, F x) {
  const F size = m.absolute(x), z = size * size;
  const F near = size + (size * z) * polynomial(z, {-0.3333328068256378f, 0.13331441581249237f, -0.05373971536755562f,
                                                    0.0206390880048275f, -0.005704987328499556f});
  const F e = exp_of(m, m.minimum(size, 20.0f) * 2.0f, m.f(0), 0);
  const F far = 1.0f - m.divide(m.f(2), e + 1.0f);
  return keep_nan(m, x, with_sign(m, m.select(size < 0.625f, near, far), x));
}

// log(1 + w) of a positive number.
template <class M, class F = typename M::F>
F log_of_more(M& m, F w) {
  const F u = w + 1.0f;
  const F lost = m.select(w < 1.0f, w - (u - 1.0f), 1.0f - (u - w));
  return log_of(m, u, m.divide(lost, u));
}

template <class M, class F = typename M::F>
F asinh(M& m, F x) {
  const F size = m.absolute(x), z = size * size;
  const F near =
      size + (size * z) * polynomial(z, {-0.1666666567325592f, 0.0749988928437233f, -0.044613249599933624f,
                                         0.0300129521638155f, -0.019979985430836678f, 0.009167713113129139f});
  // asinh(x) = log(1 + x + x^2 / (1 + sqrt(1 + x^2))); for large x log(2 x).
  const F bounded = m.minimum(size, 0x1p30f), square = bounded * bounded;
  const Pair<F> s = square_root(m, square + 1.0f);
  const Pair<F> q = quotient(m, square, s.high + 1.0f);
  const F middle = log_of_more(m, bounded + (q.high + q.low));
  const F large = log_of(m, size, m.f(0)) + 0x1.62e43p-1f;
  const F result = m.select(size < 0.5f, near, m.select(size < 0x1p28f, middle, large));
  return m.select((m.bits(x) & 0x7fffffffu) >= 0x7f800000u, x, with_sign(m, result, x));
}

template <class M, class F = typename M::F>
F acosh(M& m, F x) {
  const auto one = x == 1.0f;
  const F bounded = m.minimum(m.select(one, 2.0f, x), 0x1p30f), t = bounded - 1.0f;
  // acosh(x) = log(1 + t + sqrt(2 t + t^2)); for large x log(2 x).
  const Pair<F> s = square_root(m, t * 2.0f + t * t);
  const F middle = log_of_more(m, t + (s.high + s.low));
  const F large = log_of(m, x, m.f(0)) + 0x1.62e43p-1f;
  F result = m.select(x < 0x1p28f, middle, large);
  result = m.select(one, 0.0f, m.select(m.bits(x) == 0x7f800000u, x, result));
  return m.select(x >= 1.0f, result, nan(m));
}

template <class M, class F = typename M::F>
F atanh(M& m, F x) {
  const F size = m.absolute(x), z = size * size;
  const F near = size + (size * z) * polynomial(z, {0.3333333730697632f, 0.19999727606773376f, 0.14294852316379547f,
                                                    0.10966981622982025f, 0.10282690078020096f, 0.024521905928850174f,
                                                    0.1759425550699234f});
  // atanh(x) = log(1 + 2 x / (1 - x)) / 2.
  const auto inside = size < 1.0f;
  const F bounded = m.select(inside, size, 0.5f);
  const Pair<F> q = quotient(m, bounded * 2.0f, 1.0f - bounded);
  const F far = log_of_more(m, q.high + q.low) * 0.5f;
  const F result = m.select(inside, m.select(size < 0.5f, near, far), m.select(size == 1.0f, infinity(m), nan(m)));
  return with_sign(m, result, x);
}

}  // namespace vd::codegen::precise
