// Lengths of the passes of a line that does not fit a workgroup.
#pragma once

#include <cstdint>
#include <vector>

namespace vd::fft {

// Factors of n, the smallest first, of which the largest is as small as it can be; none if that is above `most`. n is
// smooth.
std::vector<uint64_t> split_length(uint64_t n, uint64_t most, uint32_t parts);

}  // namespace vd::fft
