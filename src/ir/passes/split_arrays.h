// Private arrays that are only indexed by constants become variables, one an element, which compilers keep in
// registers.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

void split_arrays(Kernel& kernel);

}  // namespace vd::ir
