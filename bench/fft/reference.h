// A transform in extended precision, and random numbers, for comparing.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace bench {

// More precise than the double precision that is compared with it.
using Exact = std::complex<long double>;

// exp(2 pi i / n) to the power of `i`.
Exact exact_root(uint64_t i, uint64_t n);
// Without the questions about infinities that the library's product asks: they take most of its time.
Exact product(const Exact& a, const Exact& b);
// sum over n of x[n] * exp(sign * 2 pi i n k / size), not scaled; by the definition through each prime factor.
std::vector<Exact> exact_dft(const std::vector<Exact>& x, int sign);
// Relative L2 distance.
double distance(const std::vector<Exact>& got, const std::vector<Exact>& want);
// Between -1 and 1, the same for the same place.
double noise(uint64_t place);

}  // namespace bench
