// The barriers at which the invocations of a workgroup may have diverged, so that not all of them arrive.
//
// Uses values that likely agree (ir/uniformity.h). A barrier that is listed here may still be right (a condition may
// happen to be the same everywhere), but one behind a test of the index is always listed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/kernel.h"

namespace vd::ir {

// The barriers, in program order, for workgroups of this size.
std::vector<ValueId> divergent_barriers(const Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size);

}  // namespace vd::ir
