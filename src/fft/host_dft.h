// A transform on the CPU in double precision, for constants of a plan. A long one uses all processors.
#pragma once

#include <vector>

#include "fft/root.h"

namespace vd::fft {

// y[k] = sum over n of x[n] * exp(-2 pi i n k / size); quick where the size has small factors.
std::vector<Root> host_dft(const std::vector<Root>& x);

}  // namespace vd::fft
