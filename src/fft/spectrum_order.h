// The order of a long line's spectrum that takes no transposition: the digits of an element's number stay where the
// passes, one for each digit, have written them. Plans agree on it by the line's length alone, whatever else they do.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/layout.h"

namespace vd::fft {

struct SpectrumOrder {
  enum class Of : uint8_t { Input, Output, Filter };
  Of of = Of::Output;
  // Factors of the length, one for each pass. Number k has the digits k[0] (the lowest) to k[p - 1], and lies at the
  // number in which k[0] is the highest.
  std::vector<uint64_t> factors;
};

// The factors of lines of this length; none where the natural order takes no more: in a workgroup or a cluster, or along
// lengths with a prime factor that no stage takes.
std::vector<uint64_t> order_factors(uint64_t n, ir::Scalar compute, const Limits& limits);

}  // namespace vd::fft
