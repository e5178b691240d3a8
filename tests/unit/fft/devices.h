// Devices as their drivers describe them, to plan for without one.
#pragma once

#include <cstdio>

#include "vkdispatch.h"

namespace vd::fft::test {

// An H200, as a backend reports it; on the host and OpenCL a device of its limits that tells no more.
inline vd_device_info h200(vd_backend backend) {
  vd_device_info info = VD_DEVICE_INFO_INIT;
  info.backend = backend;
  info.vendor_id = 0x10de;
  std::snprintf(info.name, sizeof(info.name), "NVIDIA H200");
  info.max_workgroup_invocations = 1024;
  for (int axis = 0; axis < 3; ++axis) {
    info.max_workgroup_size[axis] = axis == 2 ? 64 : 1024;
    info.max_workgroup_count[axis] = axis == 0 ? 0x7fffffff : 65535;
  }
  info.max_storage_buffer_range = info.max_allocation_size = uint64_t{1} << 40;
  info.max_shared_memory_size = 49152;
  info.subgroup_size = 32;
  const bool cuda = backend == VD_BACKEND_CUDA;
  if (!cuda && backend != VD_BACKEND_VULKAN) return info;
  info.registers_per_multiprocessor = 65536;
  info.multiprocessor_count = 132;
  if (cuda) info.features = VD_FEATURE_CLUSTERS;
  info.max_shared_memory_opt_in = cuda ? 232448 : 0;
  info.shared_memory_per_multiprocessor = cuda ? 233472 : 102400;
  return info;
}

}  // namespace vd::fft::test
