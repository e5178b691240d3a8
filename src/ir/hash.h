// The identity of a kernel's code: 128 bits that neither names nor places nor comments enter.
#pragma once

#include "core/hash.h"
#include "ir/kernel.h"

namespace vd::ir {

Hash128 hash_kernel(const Kernel& kernel);

}  // namespace vd::ir
