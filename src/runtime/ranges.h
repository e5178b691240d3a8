// Launches over ranges, where a device binds fewer bytes than a buffer has and the buffer has no address: several launches
// in a row, each over some of the invocations and their elements.
#pragma once

#include "runtime/arguments.h"

namespace vd::runtime {

// A plan of steps that do what the launch asks for. Throws VD_ERR_INVALID, with the limit, for one that is not divided.
Ref<vd_plan> divide_launch(vd_plan& plan, const Extent& extent, const Bound* bounds);

}  // namespace vd::runtime
