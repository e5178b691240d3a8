// Discrete transforms of a few values in registers, as straight-line code. Odd primes pair x[k] with x[p - k], which
// halves the products; coprime factors combine without twiddles (I. J. Good, 1958; L. H. Thomas, 1963); 8, 9 and 16
// are Cooley-Tukey with constant roots, of which those of eighths cost two products or none.
#pragma once

#include <cstdint>
#include <span>

#include "fft/code.h"

namespace vd::fft {

inline constexpr uint32_t kMaxRadix = 16;

// 1 to 16 where all prime factors are at most 13.
constexpr bool is_radix(uint32_t n) { return n >= 1 && n <= kMaxRadix; }

// x[k] = sum over n of x[n] * exp(sign * 2 pi i n k / size), in natural order.
void butterfly(Code& c, std::span<Complex> x, int sign);

// Floating-point operations of one butterfly, for choosing between factorisations.
uint32_t butterfly_cost(uint32_t radix);

}  // namespace vd::fft
