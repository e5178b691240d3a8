#include "fft/butterfly.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"
#include "fft/root.h"
#include "fft/short_convolution.h"

namespace vd::fft {
namespace {

using Span = std::span<Complex>;

void two(ComplexWriter& c, Complex& a, Complex& b) {
  const Complex sum = c.add(a, b);
  b = c.sub(a, b);
  a = sum;
}

void three(ComplexWriter& c, Span x, int sign) {
  const Complex sum = c.add(x[1], x[2]);
  const Complex side = c.scale(c.sub(x[1], x[2]), root(1, 3).im);
  const Complex middle = c.add(x[0], c.scale(sum, -0.5));
  x[0] = c.add(x[0], sum);
  x[1] = c.add_i(middle, side, sign);
  x[2] = c.add_i(middle, side, -sign);
}

void four(ComplexWriter& c, Span x, int sign) {
  const Complex even = c.add(x[0], x[2]), even_rest = c.sub(x[0], x[2]);
  const Complex odd = c.add(x[1], x[3]), odd_rest = c.sub(x[1], x[3]);
  x[0] = c.add(even, odd);
  x[1] = c.add_i(even_rest, odd_rest, sign);
  x[2] = c.sub(even, odd);
  x[3] = c.add_i(even_rest, odd_rest, -sign);
}

void fused_prime(ComplexWriter& c, Span x, int sign) {
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

// One convolution of one part of the values after the other: so registers have the pairs, and half a convolution's
// results.
void long_prime(ComplexWriter& c, Span x, int sign) {
  const auto p = static_cast<uint32_t>(x.size());
  const uint32_t half = (p - 1) / 2;
  std::vector<Complex> sums, rests, middles(half), sides(half);
  Complex all = x[0];
  for (uint32_t j = 1; j <= half; ++j) {
    sums.push_back(c.add(x[j], x[p - j]));
    rests.push_back(c.sub(x[j], x[p - j]));
    all = c.add(all, sums.back());
  }
  const auto convolve = [&](Value Complex::*part, const std::vector<Complex>& from, double Root::*known, Value first,
                            std::vector<Complex>& to) {
    for (uint32_t j = 1; j <= half; ++j) {
      for (uint32_t k = 1; k <= half; ++k) {
        const Value product = c.real_mul(from[j - 1].*part, c.constant(root(uint64_t{j} * k, p).*known));
        const Value before = j == 1 ? first : to[k - 1].*part;
        to[k - 1].*part = before == 0 ? product : c.real_add(before, product);
      }
    }
  };
  convolve(&Complex::re, sums, &Root::re, x[0].re, middles);
  convolve(&Complex::im, sums, &Root::re, x[0].im, middles);
  convolve(&Complex::re, rests, &Root::im, 0, sides);
  convolve(&Complex::im, rests, &Root::im, 0, sides);
  x[0] = all;
  for (uint32_t k = 1; k <= half; ++k) {
    x[k] = c.add_i(middles[k - 1], sides[k - 1], sign);
    x[p - k] = c.add_i(middles[k - 1], sides[k - 1], -sign);
  }
}

// ---- By the fewest products

constexpr uint32_t power(uint32_t base, uint32_t exponent, uint32_t modulus) {
  uint32_t result = 1;
  for (; exponent > 0; --exponent) result = result * base % modulus;
  return result;
}

// A number whose smallest power that is 1 modulo n has the exponent `order`, whose prime factors are 2, 3 and 5 at
// most.
uint32_t generator(uint32_t n, uint32_t order) {
  for (uint32_t g = 1;; ++g) {
    bool found = power(g, order, n) == 1;
    for (const uint32_t p : {2, 3, 5}) found = found && (order % p != 0 || power(g, order / p, n) != 1);
    if (found) return g;
  }
}

// The numbers that have an inverse modulo n, one of each pair k and n - k: all products of a power of one number and a
// power of another, to which exponents add up (C. Rader, 1968, for primes). So the sums x[k] + x[n - k] are convolved
// with cosines around both axes, and the differences with sines, whose sign changes after one turn around the first.
struct Units {
  explicit Units(uint32_t n, uint32_t count) : n(n) {  // count: of all, of which n has as many
    uint32_t twos = 1;
    while (count % (2 * twos) == 0) twos *= 2;
    columns = count / twos;
    rows = twos / 2;
    const uint32_t down = generator(n, twos), along = generator(n, columns);
    for (uint32_t a = 0; a < 2 * rows; ++a) {
      for (uint32_t b = 0; b < columns; ++b) all.push_back(power(down, a, n) * power(along, b, n) % n);
    }
  }
  uint32_t n, rows, columns;
  std::vector<uint32_t> all;

  uint32_t count() const { return rows * columns; }
  std::array<ConvolutionAxis, 2> cosine_axes() const { return {{{rows, true}, {columns, true}}}; }
  std::array<ConvolutionAxis, 2> sine_axes() const { return {{{rows, false}, {columns, true}}}; }
  std::vector<long double> cosines() const {
    std::vector<long double> h;
    for (uint32_t i = 0; i < count(); ++i) h.push_back(long_root(all[i], n).re);
    return h;
  }
  std::vector<long double> sines() const {
    std::vector<long double> h;
    for (uint32_t i = 0; i < (2 * rows - 1) * columns; ++i) h.push_back(long_root(all[i], n).im);
    return h;
  }
};

// The transform of p numbers, each of them a row of numbers that `product` multiplies by a constant: itself, or what it
// transforms at the same time (S. Winograd's nesting).
void prime(ComplexWriter& c, std::span<Numbers> x, int sign, const Product& product) {
  const auto p = static_cast<uint32_t>(x.size());
  const Units units(p, p - 1);
  Numbers sums, rests;
  for (uint32_t i = 0; i < units.count(); ++i) {
    const Numbers &a = x[units.all[i]], &b = x[p - units.all[i]];
    for (const Complex& v : add(c, a, b)) sums.push_back(v);
    for (const Complex& v : sub(c, a, b)) rests.push_back(v);
  }
  // A nested transform of x[0] alone would take products of its own: there x[0] comes with the first result, which
  // costs accuracy.
  const auto first = [&](const Numbers& sum, double mean) {
    const Numbers alone = x[0];
    x[0] = product(add(c, x[0], sum), 1);
    return alone.size() == 1 ? add(c, alone, product(sum, mean)) : add(c, x[0], product(sum, mean - 1));
  };
  const Numbers filters = convolve(c, units.cosine_axes(), sums, units.cosines(), product, first);
  const Numbers sides = convolve(c, units.sine_axes(), rests, units.sines(), product, product);
  const size_t row = x[0].size();
  for (uint32_t i = 0; i < units.count(); ++i) {
    for (size_t j = 0; j < row; ++j) {
      x[units.all[i]][j] = c.add_i(filters[i * row + j], sides[i * row + j], sign);
      x[p - units.all[i]][j] = c.add_i(filters[i * row + j], sides[i * row + j], -sign);
    }
  }
}

void fewest_prime(ComplexWriter& c, Span x, int sign) {
  std::vector<Numbers> rows;
  for (const Complex& v : x) rows.push_back({v});
  prime(c, rows, sign, plain_product(c));
  for (size_t i = 0; i < x.size(); ++i) x[i] = rows[i].front();
}

// Transforms of 3 inside one of 5.
void fewest_fifteen(ComplexWriter& c, Span x, int sign) {
  std::vector<Numbers> rows(5, Numbers(3));
  for (uint32_t i = 0; i < 3; ++i) {
    for (uint32_t j = 0; j < 5; ++j) rows[j][i] = x[(5 * i + 3 * j) % 15];
  }
  prime(c, rows, sign, [&](const Numbers& y, double h) {
    const Complex sum = c.add(y[1], y[2]);
    const Complex all = c.scale(c.add(y[0], sum), h);
    const Complex side = c.scale(c.sub(y[1], y[2]), h * root(1, 3).im);
    const Complex middle = c.add(all, c.scale(sum, -1.5 * h));
    return Numbers{all, c.add_i(middle, side, sign), c.add_i(middle, side, -sign)};
  });
  for (uint32_t k = 0; k < 15; ++k) x[k] = rows[k % 5][k % 3];
}

// The units as for a prime, where the cosines' mean is 0 and that of the sines, too; the others make transforms of 3,
// of which one gives the results at multiples of 3, and the other is part of the others' results.
void fewest_nine(ComplexWriter& c, Span x, int sign) {
  const Units units(9, 6);
  const Complex sum = c.add(x[3], x[6]), rest = c.sub(x[3], x[6]);
  const Complex middle = c.add(x[0], c.scale(sum, -0.5)), side = c.scale(rest, root(1, 3).im);
  Numbers sums, rests;
  for (uint32_t i = 0; i < 3; ++i) {
    sums.push_back(c.add(x[units.all[i]], x[9 - units.all[i]]));
    rests.push_back(c.sub(x[units.all[i]], x[9 - units.all[i]]));
  }
  const Complex third_sum = c.add(x[0], sum);
  Complex all, turned;
  const Numbers filters = convolve(c, units.cosine_axes(), sums, units.cosines(), plain_product(c),
                                   [&](const Numbers& of, double) { return all = of.front(), Numbers{middle}; });
  const Numbers sides = convolve(c, units.sine_axes(), rests, units.sines(), plain_product(c),
                                 [&](const Numbers& of, double) { return turned = of.front(), Numbers{side}; });
  const Complex third = c.add(third_sum, c.scale(all, -0.5)), third_side = c.scale(turned, root(1, 3).im);
  x[0] = c.add(third_sum, all);
  x[3] = c.add_i(third, third_side, sign);
  x[6] = c.add_i(third, third_side, -sign);
  for (uint32_t i = 0; i < 3; ++i) {
    x[units.all[i]] = c.add_i(filters[i], sides[i], sign);
    x[9 - units.all[i]] = c.add_i(filters[i], sides[i], -sign);
  }
}

// Even results from sums x[j] + x[j + 8], odd ones from differences: of these, j with 8 - j, odd j make two
// convolutions.
void fewest_sixteen(ComplexWriter& c, Span x, int sign) {
  std::array<Complex, 8> even, odd;
  for (uint32_t j = 0; j < 8; ++j) {
    even[j] = c.add(x[j], x[j + 8]);
    odd[j] = c.sub(x[j], x[j + 8]);
  }
  butterfly(c, even, sign, ButterflyForm::Fewest);
  for (uint32_t k = 0; k < 8; ++k) x[2 * k] = even[k];
  const Complex near = c.scale(c.sub(odd[2], odd[6]), root(1, 8).re);
  const Complex far = c.scale(c.add(odd[2], odd[6]), root(1, 8).re);
  const auto pair = [&](Complex a, Complex b, long double h0, long double h1) {
    const ConvolutionAxis axis{2, false};
    return convolve(c, std::span(&axis, 1), {a, b}, {h0, h1, -h0}, plain_product(c), plain_product(c));
  };
  const LongRoot w = long_root(1, 16);
  const Numbers re = pair(c.sub(odd[1], odd[7]), c.sub(odd[3], odd[5]), w.re, w.im);
  const Numbers im = pair(c.add(odd[1], odd[7]), c.add(odd[3], odd[5]), w.im, w.re);
  const Complex top = c.add(odd[0], near), low = c.sub(odd[0], near);
  const Complex left = c.add(odd[4], far), right = c.sub(odd[4], far);
  const std::array filters{c.add(top, re[0]), c.add(low, re[1]), c.sub(low, re[1]), c.sub(top, re[0])};
  const std::array sides{c.add(left, im[0]), c.sub(im[1], right), c.add(right, im[1]), c.sub(im[0], left)};
  for (uint32_t i = 0; i < 4; ++i) {
    x[2 * i + 1] = c.add_i(filters[i], sides[i], sign);
    x[15 - 2 * i] = c.add_i(filters[i], sides[i], -sign);
  }
}

// ---- Made of others

// a and b without a common factor: input n = b * n1 + a * n2, output k by its remainders; no twiddles.
void coprime(ComplexWriter& c, Span x, uint32_t a, uint32_t b, int sign, ButterflyForm form) {
  const uint32_t n = a * b;
  std::vector<Complex> grid(n), part(std::max(a, b));
  for (uint32_t i = 0; i < a; ++i) {
    for (uint32_t j = 0; j < b; ++j) part[j] = x[(b * i + a * j) % n];
    butterfly(c, Span(part).first(b), sign, form);
    for (uint32_t j = 0; j < b; ++j) grid[i * b + j] = part[j];
  }
  for (uint32_t j = 0; j < b; ++j) {
    for (uint32_t i = 0; i < a; ++i) part[i] = grid[i * b + j];
    butterfly(c, Span(part).first(a), sign, form);
    for (uint32_t i = 0; i < a; ++i) grid[i * b + j] = part[i];
  }
  for (uint32_t k = 0; k < n; ++k) x[k] = grid[k % a * b + k % b];
}

// Decimation in time: `a` transforms of length b, roots, b transforms of length a.
void cooley_tukey(ComplexWriter& c, Span x, uint32_t a, uint32_t b, int sign, ButterflyForm form) {
  const uint32_t n = a * b;
  std::vector<Complex> grid(n), part(std::max(a, b));
  for (uint32_t i = 0; i < a; ++i) {
    for (uint32_t j = 0; j < b; ++j) part[j] = x[a * j + i];
    butterfly(c, Span(part).first(b), sign, form);
    for (uint32_t j = 0; j < b; ++j) grid[i * b + j] = c.mul_root(part[j], sign * static_cast<int64_t>(i * j), n);
  }
  for (uint32_t j = 0; j < b; ++j) {
    for (uint32_t i = 0; i < a; ++i) part[i] = grid[i * b + j];
    butterfly(c, Span(part).first(a), sign, form);
    for (uint32_t i = 0; i < a; ++i) x[j + b * i] = part[i];
  }
}

// a + t * b and a - t * b, where t is first multiplied by i or -i if `turn` is not 0. The difference is 2 a - sum.
void fused_two(ComplexWriter& c, Complex& a, Complex& b, Complex t, int turn) {
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

// Transforms x[first], x[first + stride], ...
std::vector<Complex> fused(ComplexWriter& c, std::span<const Complex> x, std::span<const Complex> roots, int sign,
                           size_t first, size_t stride) {
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

std::vector<Complex> fused_roots(ComplexWriter& c, uint32_t size, std::span<const Complex> powers, int sign) {
  std::vector<Complex> roots;
  for (uint32_t m = 2; m <= size; m *= 2) {
    for (uint32_t k = 0; k < std::max(1u, m / 4); ++k) roots.push_back(c.mul_root(powers[size / m], sign * int(k), m));
  }
  return roots;
}

void fused_butterfly(ComplexWriter& c, std::span<Complex> x, std::span<const Complex> roots, int sign) {
  const std::vector<Complex> y = fused(c, x, roots, sign, 0, 1);
  std::copy(y.begin(), y.end(), x.begin());
}

void butterfly(ComplexWriter& c, std::span<Complex> x, int sign, ButterflyForm form) {
  const bool fewest = form == ButterflyForm::Fewest;
  const auto n = static_cast<uint32_t>(x.size());
  switch (n) {
    case 1:
      return;
    case 2:
      return two(c, x[0], x[1]);
    case 3:
      return three(c, x, sign);
    case 4:
      return four(c, x, sign);
    case 5:
      return fewest_prime(c, x, sign);
    case 6:
    case 10:
    case 14:
    case 18:
    case 22:
    case 26:
    case 30:
      return coprime(c, x, 2, n / 2, sign, form);
    case 7:
    case 11:
    case 13:
      return fewest ? fewest_prime(c, x, sign) : fused_prime(c, x, sign);
    case 8:
      return cooley_tukey(c, x, 2, 4, sign, form);
    case 9:
      return fewest ? fewest_nine(c, x, sign) : cooley_tukey(c, x, 3, 3, sign, form);
    case 12:
    case 21:
    case 24:
      return coprime(c, x, 3, n / 3, sign, form);
    case 15:
      return fewest ? fewest_fifteen(c, x, sign) : coprime(c, x, 3, 5, sign, form);
    case 16:
      return fewest ? fewest_sixteen(c, x, sign) : cooley_tukey(c, x, 4, 4, sign, form);
    case 17:
    case 19:
    case 23:
    case 29:
    case 31:
      return long_prime(c, x, sign);
    case 20:
    case 28:
      return coprime(c, x, 4, n / 4, sign, form);
    case 25:
      return cooley_tukey(c, x, 5, 5, sign, form);
    case 27:
      return cooley_tukey(c, x, 3, 9, sign, form);
    case 32:
      return cooley_tukey(c, x, 4, 8, sign, form);
    default:
      fail(VD_ERR_INTERNAL, "radix ({}) is unknown.", n);
  }
}

uint32_t butterfly_cost(uint32_t radix, ButterflyForm form) {
  constexpr std::array<uint32_t, kMaxRadix + 1> fused{0,   0,   4,   12,  16,  36,  36,  66,  52,  88,   92,
                                                      150, 96,  204, 160, 168, 154, 336, 212, 414, 224,  282,
                                                      344, 594, 252, 424, 460, 436, 376, 924, 396, 1050, 410};
  constexpr std::array<uint32_t, kMaxRadix + 1> fewest{0,   0,   4,   12,  16,  36,  36,  76,  52,  88,   92,
                                                       180, 96,  220, 180, 184, 152, 336, 212, 414, 224,  312,
                                                       404, 594, 252, 424, 492, 436, 416, 924, 428, 1050, 410};
  return form == ButterflyForm::Fewest ? fewest[radix] : fused[radix];
}

}  // namespace vd::fft
