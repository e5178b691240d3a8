// Fold constants through the whole kernel, and drop branches that are never taken.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

void fold(Kernel& kernel);

}  // namespace vd::ir
