// Facts derived from a kernel's code: what it does to its arguments, what a device must have, what it needs of memory.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

// Fill Argument::use, binding and offset, SharedArray::offset, and the derived members of Kernel. The layout of the
// value block follows from the code, so passes that a backend runs on its copy must not call this, but analyse_code().
void analyse(Kernel& kernel);

// Only requirements, uses_barrier and uses_convergent.
void analyse_code(Kernel& kernel);

// What an argument asks of a device: its scalars, as numbers and where they lie.
vd_features argument_features(const TypeTable& types, const Argument& argument);

// What one instruction asks of a device, its types included.
vd_features inst_features(const Kernel& kernel, const Inst& inst);

}  // namespace vd::ir
