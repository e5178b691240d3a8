// Removes code without visible effect: unused values, private variables that are never read (except those that the user
// named), and blocks without effect.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

void dead_code(Kernel& kernel);

}  // namespace vd::ir
