// A device that isn't there: it has whatever limits the user gives it, prints source for them and runs nothing.
#pragma once

#include "backends/backend.h"

namespace vd::dummy {

// What the device reports from now on; null restores the default. Throws VD_ERR_INVALID for limits no device can have.
// Devices that were made before keep what they had.
void set_device(const vd_device_info* info);

}  // namespace vd::dummy
