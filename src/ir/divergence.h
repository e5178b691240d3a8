// Which barriers stand where the invocations of a workgroup may have parted, so that not all of them arrive.
//
// Rests on values that likely agree (ir/uniformity.h). So a barrier that is named here may still be right (a condition may happen to be the same
// everywhere), but one that stands behind a test of the index is found.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/kernel.h"

namespace vd::ir {

// The barriers, in the order in which they stand, for workgroups of this size.
std::vector<ValueId> divergent_barriers(const Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size);

}  // namespace vd::ir
