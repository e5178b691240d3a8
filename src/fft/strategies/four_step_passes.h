// The passes of a line, one for each factor of its length (D. H. Bailey's four-step, with as many factors as needed), and
// as many again less one around a multiplication. Lines that lie side by side do so in the workspace, too, so that every
// pass takes neighbouring ones together.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/planner.h"

namespace vd::fft {

// Adds the passes; false, with nothing added, if a factor does not fit a workgroup.
bool plan_in_factors(Planner& planner, const Line& line, const std::vector<uint64_t>& factors);

}  // namespace vd::fft
