// The precise math functions of f32 as IR, for languages whose own are not precise.
#pragma once

#include <string>
#include <string_view>

#include "ir/kernel.h"

namespace vd::codegen {

// The function that vd_<op's name> stands for ("vd_sin"); null if there is none by that name. Made once.
const ir::Kernel* precise_function(std::string_view name);

}  // namespace vd::codegen
