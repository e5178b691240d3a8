// The precise math functions of f32 as IR, for languages whose own are not precise.
#pragma once

#include <string>
#include <string_view>

#include "ir/kernel.h"

namespace vd::codegen {

// The function named vd_<the op's name> ("vd_sin"); null if there is none. Made once.
const ir::Kernel* precise_function(std::string_view name);

}  // namespace vd::codegen
