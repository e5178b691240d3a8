// For runs that look for mistakes: an assertion before each division of integers that nothing is divided by zero. The
// result is defined (x / 0 is x), so this is no error elsewhere, but hardly ever what was meant.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

inline constexpr const char* kDivisionByZero = "an integer is divided by zero";

// With that text as message, at the place of the division. Call before lowering: what a kernel does past its launch's
// size is no mistake, and the guard for that sees to assertions.
void assert_divisors(Kernel& kernel);

}  // namespace vd::ir
