// Checks every rule at the top of kernel.h and the op table's. Throws VD_ERR_COMPILE with a message that names the
// kernel, the op and the user's file and line. Any bytes in a Kernel are safe to check.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

void verify(const Kernel& kernel);

}  // namespace vd::ir
