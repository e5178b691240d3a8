// Discrete transforms of a few values in registers, as straight-line code. Odd primes pair x[k] with x[p - k]: two real
// convolutions remain, by the definition or by few products (short_convolution.h). Coprime factors combine without
// twiddles (I. J. Good, 1958; L. H. Thomas, 1963); 8, 9, 16, 25, 27 and 32 are Cooley-Tukey with constant roots, of which
// those of eighths cost two products or none, and 9 and 16 convolutions as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fft/complex_writer.h"

namespace vd::fft {

// Larger ones take the registers of two invocations: they are for lines that would take many invocations or stages.
inline constexpr uint32_t kUsualRadix = 16, kMaxRadix = 32;

constexpr bool is_radix(uint32_t n) { return n >= 1 && n <= kMaxRadix; }
// Primes above the usual radices: a length with such a factor has no other stage for it.
constexpr bool is_long_prime(uint32_t n) { return n == 17 || n == 19 || n == 23 || n == 29 || n == 31; }

// The algorithm for 7, 9, 11, 13, 16 and what has them as factors; the other lengths have one (primes above 13: Fused).
// Fused: nearly every product contracts with an addition. Fewest: the fewest products by known constants, with more
// operations, a longer way to the first result, or (15) more rounding. docs/performance.md has the measurements.
enum class ButterflyForm : uint8_t { Fused, Fewest };

// x[k] = sum over n of x[n] * exp(sign * 2 pi i n k / size), in natural order.
void butterfly(ComplexWriter& c, std::span<Complex> x, int sign, ButterflyForm form);

// The same of x[n] * w^n, for a size that is a power of two: radix-2 steps in which root, sum and difference are six
// products that contract with an addition (E. Linzer, E. Feig, 1993). `powers` holds w^1, w^2, w^4 ... at their index;
// constants of the steps are computed once, by the first function.
std::vector<Complex> fused_roots(ComplexWriter& c, uint32_t size, std::span<const Complex> powers, int sign);
void fused_butterfly(ComplexWriter& c, std::span<Complex> x, std::span<const Complex> roots, int sign);
constexpr bool is_fused(uint32_t size) { return size == 2 || size == 4 || size == 8 || size == 16 || size == 32; }

// Above the usual radices, and composed of several primes, or of one other than 2.
constexpr bool is_mixed(uint32_t n) { return n > kUsualRadix && !is_long_prime(n) && !is_fused(n); }

// Operations of one butterfly, for choosing between factorisations: additions and products, where a product that is but
// added to something is one operation with that.
uint32_t butterfly_cost(uint32_t radix, ButterflyForm form);

}  // namespace vd::fft
