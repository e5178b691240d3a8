// Lines that do not fit a workgroup, by a pass for each of several factors.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/planner.h"

namespace vd::fft {

// Adds the passes, and returns the factors that were chosen; none, with nothing added, if the length has none that fit.
std::vector<uint64_t> plan_factors(Planner& planner, const Line& line);

}  // namespace vd::fft
