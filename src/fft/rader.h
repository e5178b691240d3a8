// Stages of a prime radix beyond butterflies (C. Rader, 1968): modulo a prime p all numbers but 0 are powers of one,
// and exponents add up: so all results but the first are a cyclic convolution of p - 1 numbers with known ones. That is
// a transform of p - 1 numbers, a product and a transform back, by stages of their own between the others.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/radix_plan.h"
#include "fft/root.h"
#include "ir/type.h"

namespace vd::fft {

// Places in a line are computed in 32 bits, as products of two numbers below the prime.
constexpr uint32_t kLargestRader = 65521;

// The most convolutions that a line has.
constexpr size_t kMostConvolutions = 2;

// The prime factors of n that take such stages, the smallest first; none if n is smooth, or no length for this: the primes
// less one, and the rest of n, are smooth.
std::vector<uint32_t> rader_primes(uint64_t n);
// The largest prime that is a radix of n's stages; 0 if n has none.
uint64_t largest_radix(uint64_t n);
// Whether there are stages for all of n in this type. In half precision a prime is at most 2048, since a convolution's
// powers are numbers of the type.
bool has_stages(uint64_t n, ir::Scalar compute);
// The powers 0 to p - 2 of a number, which are all numbers below p but 0.
std::vector<uint32_t> generator_powers(uint32_t p);
// The spectrum of the known numbers, which are the roots of the first transform's results (for the sign -1), divided by
// p - 1.
std::vector<Root> rader_filter(uint32_t p);

// A prime, and the radices of its convolution: their product is the prime less one.
struct PrimeRadices {
  uint32_t prime;
  std::vector<uint32_t> inner;
};

// Whether a line of this length may have these convolutions, and these radices for the rest of it.
bool makes_rader(uint64_t n, const std::vector<PrimeRadices>& primes, const std::vector<uint32_t>& outer);
// The plan with them; at least 2 invocations.
RadixPlan make_rader(uint32_t n, const std::vector<PrimeRadices>& primes, const std::vector<uint32_t>& outer,
                     uint32_t invocations, ButterflyForm form);
// The cheapest plans whose first stages are those of n's primes, in the order of their costs; none if nothing fits the limits.
std::vector<RadixPlan> cheapest_rader(uint32_t n, const RadixLimits& limits, size_t count);
// The first of them; one without stages if there is none.
RadixPlan choose_rader(uint32_t n, const RadixLimits& limits);
// Lines of a workgroup, if each has `invocations`: as few as leave the fewest lanes of its warps idle. All but the last
// doubling stay within `workgroup` invocations.
uint32_t lines_within(uint32_t workgroup, uint32_t invocations);
// The same plan, whose values are read in order, or written in order where those stages are the last: as if by a stage
// of radix 1, because the convolution wants them out of order.
RadixPlan in_order(const RadixPlan& plan, bool read, bool written);

}  // namespace vd::fft
