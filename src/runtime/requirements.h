// Whether a device can run a kernel, and if not, which op at which of the user's lines exceeds its limits.
#pragma once

#include <array>
#include <cstdint>

#include "ir/kernel.h"

namespace vd::runtime {

// Throws VD_ERR_UNSUPPORTED naming kernel, op, line and device.
void check_requirements(const ir::Kernel& kernel, const vd_device_info& device);

// A warning that names the line of a barrier that not all invocations may reach.
void warn_of_divergence(const ir::Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size);

// The workgroup size of a plan: the kernel's own, else `wish`, else one that suits the device. Throws if it exceeds the
// device's limit, or differs from the size that the kernel fixes.
std::array<uint32_t, 3> choose_workgroup_size(const ir::Kernel& kernel, std::array<uint32_t, 3> wish,
                                              const vd_device_info& device);
// `name`: of the size in messages.
void check_workgroup_size(const std::array<uint32_t, 3>& size, const vd_device_info& device, const std::string& name);

}  // namespace vd::runtime
