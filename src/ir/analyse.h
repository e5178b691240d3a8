// Facts derived from a kernel's code: its accesses to arguments, and the device features and memory that it needs.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

// Fill Argument::use, binding and offset, SharedArray::offset, and the derived members of Kernel. The layout of the
// value block follows from the code, so passes that a backend runs on its copy must not call this, but analyse_code().
void analyse(Kernel& kernel);

// Only requirements, uses_barrier and uses_convergent.
void analyse_code(Kernel& kernel);

// Device features that an argument needs: for its scalars, as numbers and in memory.
vd_features argument_features(const TypeTable& types, const Argument& argument);

// Device features that one instruction needs, its types included.
vd_features inst_features(const Kernel& kernel, const Inst& inst);

}  // namespace vd::ir
