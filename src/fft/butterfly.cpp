#include "fft/butterfly.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "fft/root.h"

namespace vd::fft {
namespace {

using Span = std::span<Complex>;

void two(Code& c, Complex& a, Complex& b) {
  const Complex sum = c.add(a, b);
  b = c.sub(a, b);
  a = sum;
}

void three(Code& c, Span x, int sign) {
  const Complex sum = c.add(x[1], x[2]);
  const Complex side = c.scale(c.sub(x[1], x[2]), root(1, 3).im);
  const Complex middle = c.add(x[0], c.scale(sum, -0.5));
  x[0] = c.add(x[0], sum);
  x[1] = c.add_i(middle, side, sign);
  x[2] = c.add_i(middle, side, -sign);
}

void four(Code& c, Span x, int sign) {
  const Complex even = c.add(x[0], x[2]), even_rest = c.sub(x[0], x[2]);
  const Complex odd = c.add(x[1], x[3]), odd_rest = c.sub(x[1], x[3]);
  x[0] = c.add(even, odd);
  x[1] = c.add_i(even_rest, odd_rest, sign);
  x[2] = c.sub(even, odd);
  x[3] = c.add_i(even_rest, odd_rest, -sign);
}

void five(Code& c, Span x, int sign) {
  const Complex outer = c.add(x[1], x[4]), outer_rest = c.sub(x[1], x[4]);
  const Complex inner = c.add(x[2], x[3]), inner_rest = c.sub(x[2], x[3]);
  const Complex all = c.add(outer, inner);
  const double s1 = root(1, 5).im, s2 = root(2, 5).im;
  const Complex middle = c.add(x[0], c.scale(all, -0.25));
  const Complex spread = c.scale(c.sub(outer, inner), std::sqrt(5.0) / 4);
  const Complex near = c.add(middle, spread), far = c.sub(middle, spread);
  const Complex side1 = c.add(c.scale(outer_rest, s1), c.scale(inner_rest, s2));
  const Complex side2 = c.sub(c.scale(outer_rest, s2), c.scale(inner_rest, s1));
  x[0] = c.add(x[0], all);
  x[1] = c.add_i(near, side1, sign);
  x[2] = c.add_i(far, side2, sign);
  x[3] = c.add_i(far, side2, -sign);
  x[4] = c.add_i(near, side1, -sign);
}

void odd_prime(Code& c, Span x, int sign) {
  const auto p = static_cast<uint32_t>(x.size());
  const uint32_t half = (p - 1) / 2;
  std::array<Complex, 6> sums, rests;
  Complex all = x[0];
  for (uint32_t j = 1; j <= half; ++j) {
    sums[j - 1] = c.add(x[j], x[p - j]);
    rests[j - 1] = c.sub(x[j], x[p - j]);
    all = c.add(all, sums[j - 1]);
  }
  const Complex first = x[0];
  x[0] = all;
  for (uint32_t k = 1; k <= half; ++k) {
    Complex middle = first, side{};
    for (uint32_t j = 1; j <= half; ++j) {
      const Root w = root(uint64_t{j} * k, p);
      middle = c.add(middle, c.scale(sums[j - 1], w.re));
      const Complex part = c.scale(rests[j - 1], w.im);
      side = j == 1 ? part : c.add(side, part);
    }
    x[k] = c.add_i(middle, side, sign);
    x[p - k] = c.add_i(middle, side, -sign);
  }
}

// a and b without a common factor: input n = b * n1 + a * n2, output k by its remainders; no twiddles.
void coprime(Code& c, Span x, uint32_t a, uint32_t b, int sign) {
  const uint32_t n = a * b;
  std::vector<Complex> grid(n), part(std::max(a, b));
  for (uint32_t i = 0; i < a; ++i) {
    for (uint32_t j = 0; j < b; ++j) part[j] = x[(b * i + a * j) % n];
    butterfly(c, Span(part).first(b), sign);
    for (uint32_t j = 0; j < b; ++j) grid[i * b + j] = part[j];
  }
  for (uint32_t j = 0; j < b; ++j) {
    for (uint32_t i = 0; i < a; ++i) part[i] = grid[i * b + j];
    butterfly(c, Span(part).first(a), sign);
    for (uint32_t i = 0; i < a; ++i) grid[i * b + j] = part[i];
  }
  for (uint32_t k = 0; k < n; ++k) x[k] = grid[k % a * b + k % b];
}

// Decimation in time: `a` transforms of length b, roots, b transforms of length a.
void cooley_tukey(Code& c, Span x, uint32_t a, uint32_t b, int sign) {
  const uint32_t n = a * b;
  std::vector<Complex> grid(n), part(std::max(a, b));
  for (uint32_t i = 0; i < a; ++i) {
    for (uint32_t j = 0; j < b; ++j) part[j] = x[a * j + i];
    butterfly(c, Span(part).first(b), sign);
    for (uint32_t j = 0; j < b; ++j) grid[i * b + j] = c.mul_root(part[j], sign * static_cast<int64_t>(i * j), n);
  }
  for (uint32_t j = 0; j < b; ++j) {
    for (uint32_t i = 0; i < a; ++i) part[i] = grid[i * b + j];
    butterfly(c, Span(part).first(a), sign);
    for (uint32_t i = 0; i < a; ++i) x[j + b * i] = part[i];
  }
}

// a + t * b and a - t * b, where t is turned by a quarter first if `turn` is not 0. The difference is 2 a - sum.
void fused_two(Code& c, Complex& a, Complex& b, Complex t, int turn) {
  const auto plus = [&](Value sum, Value p, Value q, bool minus) {
    const Value product = c.real_mul(p, q);
    return minus ? c.real_sub(sum, product) : c.real_add(sum, product);
  };
  Complex sum;
  if (turn == 0) {
    sum.re = plus(plus(a.re, t.im, b.im, true), t.re, b.re, false);
    sum.im = plus(plus(a.im, t.im, b.re, false), t.re, b.im, false);
  } else {
    sum.re = plus(plus(a.re, t.im, b.re, turn > 0), t.re, b.im, turn > 0);
    sum.im = plus(plus(a.im, t.im, b.im, turn > 0), t.re, b.re, turn < 0);
  }
  // Said as one operation: a compiler makes an addition of a product by 2.
  const Value twice = c.constant(2);
  b = {c.emit(VD_OP_FMA, {a.re, twice, c.neg(sum.re)}), c.emit(VD_OP_FMA, {a.im, twice, c.neg(sum.im)})};
  a = sum;
}

// First of the roots for steps that make transforms of length m.
constexpr uint32_t first_root(uint32_t m) { return m == 2 ? 0 : m / 4; }

// Of x[first], x[first + stride], ...
std::vector<Complex> fused(Code& c, std::span<const Complex> x, std::span<const Complex> roots, int sign, size_t first,
                           size_t stride) {
  const auto m = static_cast<uint32_t>(x.size() / stride);
  if (m == 1) return {x[first]};
  const std::vector<Complex> even = fused(c, x, roots, sign, first, 2 * stride);
  const std::vector<Complex> odd = fused(c, x, roots, sign, first + stride, 2 * stride);
  const uint32_t quarter = std::max(1u, m / 4);
  std::vector<Complex> y(m);
  for (uint32_t k = 0; k < m / 2; ++k) {
    y[k] = even[k];
    y[k + m / 2] = odd[k];
    fused_two(c, y[k], y[k + m / 2], roots[first_root(m) + k % quarter], k >= quarter ? sign : 0);
  }
  return y;
}

}  // namespace

std::vector<Complex> fused_roots(Code& c, uint32_t size, std::span<const Complex> powers, int sign) {
  std::vector<Complex> roots;
  for (uint32_t m = 2; m <= size; m *= 2) {
    for (uint32_t k = 0; k < std::max(1u, m / 4); ++k) roots.push_back(c.mul_root(powers[size / m], sign * int(k), m));
  }
  return roots;
}

void fused_butterfly(Code& c, std::span<Complex> x, std::span<const Complex> roots, int sign) {
  const std::vector<Complex> y = fused(c, x, roots, sign, 0, 1);
  std::copy(y.begin(), y.end(), x.begin());
}

void butterfly(Code& c, std::span<Complex> x, int sign) {
  switch (x.size()) {
    case 1:
      return;
    case 2:
      return two(c, x[0], x[1]);
    case 3:
      return three(c, x, sign);
    case 4:
      return four(c, x, sign);
    case 5:
      return five(c, x, sign);
    case 6:
      return coprime(c, x, 2, 3, sign);
    case 7:
    case 11:
    case 13:
      return odd_prime(c, x, sign);
    case 8:
      return cooley_tukey(c, x, 2, 4, sign);
    case 9:
      return cooley_tukey(c, x, 3, 3, sign);
    case 10:
      return coprime(c, x, 2, 5, sign);
    case 12:
      return coprime(c, x, 3, 4, sign);
    case 14:
      return coprime(c, x, 2, 7, sign);
    case 15:
      return coprime(c, x, 3, 5, sign);
    case 16:
      return cooley_tukey(c, x, 4, 4, sign);
    default:
      fail(VD_ERR_INTERNAL, "radix ({}) is none.", x.size());
  }
}

uint32_t butterfly_cost(uint32_t radix) {
  // Additions and products, with a product and an addition that can contract counted as one.
  constexpr std::array<uint32_t, kMaxRadix + 1> cost = {0,  0,  4,   14, 16,  36,  36,  84, 56,
                                                        90, 92, 240, 96, 344, 196, 162, 160};
  return cost[radix];
}

}  // namespace vd::fft
