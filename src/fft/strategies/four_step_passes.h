// The passes of a line, one for each factor of its length (D. H. Bailey's four-step, with as many factors as needed), and
// as many again less one around a multiplication. Lines that lie side by side do so in the workspace, too, so that every
// pass takes neighbouring ones together.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/planner.h"

namespace vd::fft {

// Rows of the workspace begin at whole sectors of memory, so that a run of theirs touches no more than it must.
uint64_t whole_sectors(uint64_t elements, ir::Scalar compute);

// Adds the passes; false, with nothing added, if a factor does not fit a workgroup.
bool plan_in_factors(Planner& planner, const Line& line, const std::vector<uint64_t>& factors);

}  // namespace vd::fft
