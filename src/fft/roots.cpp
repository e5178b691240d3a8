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

// exp(-2 pi i t), for t from 0 up to `limit`, at most half a turn.
Complex computed(ComplexWriter& c, Value t, double limit) {
  const bool turned = limit > 0.25;  // then of t less a quarter, of which t's is -i times
  if (turned) t = c.real_sub(t, c.constant(0.25));
  const Value square = c.real_mul(t, t);
  const Value sine = c.real_add(c.real_mul(t, c.constant(kTurn)), c.real_mul(t, polynomial(c, kSine, square)));
  const Value cosine = c.real_add(c.real_mul(polynomial(c, kCosine, square), square), c.constant(1));
  return turned ? Complex{c.neg(sine), c.neg(cosine)} : Complex{cosine, c.neg(sine)};
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
  const auto n = static_cast<double>(uint64_t{radix} * span);
  const Value number = single.convert(j, ir::Scalar::F32);
  std::vector<Complex> roots;
  for (const uint32_t power : stage_powers(radix, c.real().scalar())) {
    const Value turns = single.real_mul(number, single.constant(power / n));
    Complex w = computed(single, turns, static_cast<double>(power) / radix);
    if (c.real() != ir::kF32) w = {c.convert(w.re, c.real().scalar()), c.convert(w.im, c.real().scalar())};
    roots.push_back(w);
  }
  return roots;
}

}  // namespace vd::fft
