// Give the kernel its workgroup size: GROUP_SIZE becomes a constant, LOCAL_INDEX arithmetic on LOCAL_ID, and components
// of LOCAL_ID that can only be 0 become 0.
#pragma once

#include <array>

#include "ir/kernel.h"

namespace vd::ir {

void fix_workgroup_size(Kernel& kernel, std::array<uint32_t, 3> size);

}  // namespace vd::ir
