// Types that a caller names.
#pragma once

#include "ir/type.h"

namespace vd::api {

// The type of a descriptor's field or a parameter; `types` has the arrays and structs that there are. 0 is left to the
// callee, which knows what it stands for; any other value that is no type is an error.
ir::Type known_type(vd_type type, const char* name, const ir::TypeTable& types = {});

}  // namespace vd::api
