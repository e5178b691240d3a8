// Addresses of a kernel's values: bindings of buffers and images, the block of values that travels with a launch, and
// the offsets of shared arrays.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

// Shared arrays without an explicit offset are aligned so that views with 16-byte elements fit.
inline constexpr uint32_t kSharedAlign = 16;

// Number buffers and images and lay out the block of values: fills Argument::binding, Argument::offset and
// Kernel::values. The launch's size is part of the block unless VD_BUILDER_NO_EXEC_BOUNDS is set and nothing reads it.
void assign_values(Kernel& kernel, bool reads_exec_size);

// Give automatic shared arrays their bytes, above all explicit ones, and compute Kernel::shared_size, dynamic bytes
// included.
void assign_shared_offsets(Kernel& kernel);

}  // namespace vd::ir
