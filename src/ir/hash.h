// The identity of a kernel's code: 128 bits that do not depend on names, locations or comments.
#pragma once

#include "core/hash.h"
#include "ir/kernel.h"

namespace vd::ir {

Hash128 hash_kernel(const Kernel& kernel);

}  // namespace vd::ir
