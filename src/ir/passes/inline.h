// Copies a function's code into a kernel, with its early returns made structured.
#pragma once

#include <span>

#include "ir/kernel.h"

namespace vd::ir {

// Append the code of `function` to `region`. `arguments` are values, or references for reference and buffer parameters;
// a reference may be of any space, and the copied code takes it over. Gives the function's value, or kNoValue. Throws
// VD_ERR_INVALID where an argument does not fit.
ValueId inline_function(Kernel& kernel, RegionId region, const Kernel& function, std::span<const ValueId> arguments,
                        uint32_t location);

}  // namespace vd::ir
