// Execution bounds. Invocations at or past the launch's size (EXEC_SIZE) load zeros from buffers and their stores to
// buffers, atomics, prints and asserts do nothing; barriers and subgroup operations run, so that no invocation waits
// for ever. Stores to shared memory run, too: with the loaded zeros, a tree over the workgroup stays correct.
//
// A kernel without barrier and subgroup operation becomes one `if` around its body.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

// Does nothing with VD_BUILDER_NO_EXEC_BOUNDS and for functions. Call after lowering; sets the flag, so that it is done
// once.
void bounds_guard(Kernel& kernel);

}  // namespace vd::ir
