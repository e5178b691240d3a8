// For runs that look for mistakes: an assertion before each division of integers that the divisor is not zero. The
// result is defined (x / 0 is x), so this is no error elsewhere, but it is hardly ever intended.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

inline constexpr const char* kDivisionByZero = "an integer is divided by zero";

// With that text as message, at the place of the division. Call before lowering: divisions past the launch's size are
// no mistakes, and the bounds guard skips their assertions.
void assert_divisors(Kernel& kernel);

}  // namespace vd::ir
