// A transform in double precision, and random numbers, for comparing.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace bench {

using Exact = std::complex<double>;

// sum over n of x[n] * exp(sign * 2 pi i n k / size), not scaled; by the definition through each prime factor.
std::vector<Exact> exact_dft(const std::vector<Exact>& x, int sign);
// Relative L2 distance.
double distance(const std::vector<Exact>& got, const std::vector<Exact>& want);
// Between -1 and 1, the same for the same place.
float noise(uint64_t place);

// Complex numbers of modulus 1, so that repeated products keep their size.
std::vector<float> unit_numbers(const std::vector<float>& data);

}  // namespace bench
