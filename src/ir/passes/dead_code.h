// Drop what nobody sees: unused values, private variables that are never read (but those that the user named), and
// blocks without effect.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

void dead_code(Kernel& kernel);

}  // namespace vd::ir
