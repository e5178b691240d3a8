#include "fft/roots.h"

#include <bit>

namespace vd::fft {
namespace {

// Longer arrays of constants are split in two: CUDA has 64 KiB of constants, and each is written out in the source.
constexpr uint32_t kLongestArray = 64;

// Element `at` of the array of conj(root(i * step, n)) for i below `count`.
Complex element(Code& c, uint64_t step, uint64_t n, uint32_t count, Value at) {
  Table values;
  values.add("", count, [&](uint64_t i) {
    const Root w = root(i * step, n);
    return Root{w.re, -w.im};
  });
  const std::vector<std::byte> bytes = values.bytes(c.real().scalar());
  const Value array = c.builder().constant(c.builder().array_type(c.complex(), count), bytes.data(), bytes.size());
  return c.split(c.emit(VD_OP_INDEX, {array, at}));
}

}  // namespace

std::vector<Complex> TableRoots::stage(Code& c, uint32_t radix, uint32_t span, Value j) {
  const uint32_t first = table_.add_stage(radix, span);
  std::vector<Complex> roots;
  for (uint32_t i = 0; i < stage_powers(radix).size(); ++i) {
    roots.push_back(c.split(c.load(c.at(buffer_, c.offset(j, first + i * span)))));
  }
  return roots;
}

std::vector<Complex> ConstantRoots::stage(Code& c, uint32_t radix, uint32_t span, Value j) {
  const uint64_t n = uint64_t{radix} * span;
  std::vector<Complex> roots;
  for (const uint32_t power : stage_powers(radix)) {
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

}  // namespace vd::fft
