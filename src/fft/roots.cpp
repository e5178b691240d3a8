#include "fft/roots.h"

#include <array>
#include <bit>

namespace vd::fft {
namespace {

// Longer arrays of constants are split in two: CUDA has 64 KiB of constants, and each is written out in the source.
constexpr uint32_t kLongestArray = 64;

Complex constant(ComplexWriter& c, uint32_t count, const std::function<Root(uint64_t)>& value, Value at) {
  Table values;
  values.add("", count, value);
  const std::vector<std::byte> bytes = values.constants(c.real().scalar()).parts.front().bytes;
  const Value array = c.builder().constant(c.builder().array_type(c.complex(), count), bytes.data(), bytes.size());
  return c.split(c.emit(VD_OP_INDEX, {array, at}));
}

// Element `at` of the array of conj(root(i * step, n)) for i below `count`.
Complex element(ComplexWriter& c, uint64_t step, uint64_t n, uint32_t count, Value at) {
  const auto value = [&](uint64_t i) {
    const Root w = root(i * step, n);
    return Root{w.re, -w.im};
  };
  return constant(c, count, value, at);
}

std::vector<Complex> from_constants(ComplexWriter& c, uint32_t radix, uint32_t span, Value j) {
  const uint64_t n = uint64_t{radix} * span;
  std::vector<Complex> roots;
  for (const uint32_t power : stage_powers(radix, c.real().scalar())) {
    if (span <= kLongestArray) {
      roots.push_back(element(c, power, n, span, j));
      continue;
    }
    const uint32_t steps = uint32_t{1} << std::bit_width(span) / 2;
    const Complex fine = element(c, power, n, steps, c.rem(j, steps));
    const Complex coarse = element(c, uint64_t{power} * steps, n, (span + steps - 1) / steps, c.div(j, steps));
    roots.push_back(c.mul(fine, coarse));
  }
  return roots;
}

// Polynomials of t, in turns, with the least largest error for |t| up to a quarter, by Lawson's weights (1961): of
// sin(2 pi t) / t without kTurn, and of (cos(2 pi t) - 1) / t^2; so sines are right to 6e-9 of themselves, cosines to
// 6e-10. In t^2, lowest first.
constexpr double kTurn = 6.2831854820251465;  // 2 pi as a float; the first number is the rest of it, and more
constexpr std::array kSine = {-2.08237382e-07, -41.3416775, 81.6022312, -76.5749911, 39.7109100};
constexpr std::array kCosine = {-19.73920862, 64.9393536, -85.4538307, 60.14820469, -25.00679474};

Value polynomial(ComplexWriter& c, const std::array<double, 5>& factors, Value square) {
  Value sum = c.constant(factors.back());
  for (size_t i = factors.size() - 1; i-- > 0;) sum = c.real_add(c.real_mul(sum, square), c.constant(factors[i]));
  return sum;
}

// exp(-2 pi i t), for |t| up to a quarter.
Complex near_one(ComplexWriter& c, Value t) {
  const Value square = c.real_mul(t, t);
  const Value sine = c.real_add(c.real_mul(t, c.constant(kTurn)), c.real_mul(t, polynomial(c, kSine, square)));
  const Value cosine = c.real_add(c.real_mul(polynomial(c, kCosine, square), square), c.constant(1));
  return {cosine, c.neg(sine)};
}

// exp(-2 pi i number * power / n). `number` is whole, and number * power is below n.
Complex computed(ComplexWriter& c, Value number, uint32_t power, uint64_t n, uint32_t radix) {
  if (2 * power <= radix) {  // at most half a turn
    const Value turns = c.real_mul(c.convert(number, ir::Scalar::F32), c.constant(power / static_cast<double>(n)));
    if (4 * power <= radix) return near_one(c, turns);
    const Complex w = near_one(c, c.real_sub(turns, c.constant(0.25)));  // -i times that
    return {w.im, c.neg(w.re)};
  }
  // Less the nearest half turns, as whole numbers of 1 / 2n turns, and half a turn more, since they have no sign: below
  // 1.5 n, which a float has exactly.
  const Value at = c.mul(number, 2 * uint64_t{power});
  const Value halves = c.div(c.offset(c.mul(at, 2), n), 2 * n);
  const Value rest = c.emit(VD_OP_SUB, {c.offset(at, n), c.mul(halves, n)});
  const Value turns = c.real_mul(c.real_sub(c.convert(rest, ir::Scalar::F32), c.constant(static_cast<double>(n))),
                                 c.constant(0.5 / static_cast<double>(n)));
  const Value odd = c.convert(c.rem(halves, 2), ir::Scalar::F32);
  return c.scale(near_one(c, turns), c.real_sub(c.constant(1), c.real_mul(odd, c.constant(2))));
}

}  // namespace

std::vector<Complex> TableRoots::stage(ComplexWriter& c, uint32_t radix, uint32_t span, Value j) {
  const uint64_t first = table_.add_stage(radix, span, c.real().scalar());
  std::vector<Complex> roots;
  const size_t count = stage_powers(radix, c.real().scalar()).size();
  for (size_t i = 0; i < count; ++i) roots.push_back(load_constant(c, buffer_, j, first + i * span));
  return roots;
}

Complex TableRoots::element(ComplexWriter& c, const std::string& key, uint32_t count,
                            const std::function<Root(uint64_t)>& value, Value at) {
  return load_constant(c, buffer_, at, table_.add(key, count, value));
}

Complex OwnRoots::element(ComplexWriter& c, const std::string&, uint32_t count,
                          const std::function<Root(uint64_t)>& value, Value at) {
  return constant(c, count, value, at);
}

std::vector<Complex> OwnRoots::stage(ComplexWriter& c, uint32_t radix, uint32_t span, Value j) {
  if (c.real() == ir::kF64) return from_constants(c, radix, span, j);
  ComplexWriter single(c.builder(), ir::Scalar::F32);
  std::vector<Complex> roots;
  for (const uint32_t power : stage_powers(radix, c.real().scalar())) {
    Complex w = computed(single, j, power, uint64_t{radix} * span, radix);
    if (c.real() != ir::kF32) w = {c.convert(w.re, c.real().scalar()), c.convert(w.im, c.real().scalar())};
    roots.push_back(w);
  }
  return roots;
}

}  // namespace vd::fft
