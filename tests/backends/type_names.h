// Types by the names that recorded kernels and drawn programs give them.
#pragma once

#include <string>

#include "vkdispatch.h"

namespace vdc {

const char* type_name(vd_type type);
// VD_TYPE_NONE if no type has the name.
vd_type type_named(const std::string& name);

}  // namespace vdc
