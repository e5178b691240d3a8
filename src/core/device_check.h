// The check of a device that a caller describes, rather than the library.
#pragma once

#include <string>

#include "vkdispatch.h"

namespace vd {

enum class DeviceLimits { All, Some };  // Some: a limit of 0 is not given

// Throws VD_ERR_INVALID unless every property is one that a device could have; `name` is the description's in messages.
void check_device(const vd_device_info& device, const std::string& name, DeviceLimits limits);

}  // namespace vd
