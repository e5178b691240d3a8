// Equal pure ops, and equal loads that no write, barrier or atomic separates, become one. A load right after a store to
// the same reference becomes the stored value.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

// True if something was shared.
bool share_loads(Kernel& kernel);

}  // namespace vd::ir
