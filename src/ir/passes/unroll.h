// Unrolls FOR loops of constants that ask for it (VD_LOOP_FULL, or a factor), and those that turn only once.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

// Loops whose unrolled bodies would be more than `limit` instructions in all stay as they are.
void unroll(Kernel& kernel, uint32_t limit = 20000);

}  // namespace vd::ir
