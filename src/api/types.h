// Types that a caller names.
#pragma once

#include "ir/type.h"

namespace vd::api {

// The type of a descriptor's field or a parameter; `types` has the declared arrays and structs. 0 is left to the
// callee, which has a default; any other value that is not a type is an error.
ir::Type known_type(vd_type type, const char* name, const ir::TypeTable& types = {});

}  // namespace vd::api
