// A device as the driver lists it, before anybody opens it.
#pragma once

#include "backends/cuda/driver.h"
#include "vkdispatch.h"

namespace vd::cuda {

// The driver's number of a device, and its index in our list, which leaves out devices that do not answer.
struct DeviceIndex {
  int ordinal = 0;
  uint32_t index = 0;
};

struct Physical {
  // Throws VD_ERR_UNAVAILABLE if the driver does not answer.
  Physical(const Driver& driver, const DeviceIndex& place);

  CUdevice handle = 0;
  vd_device_info info = VD_DEVICE_INFO_INIT;
  bool memory_pools = false;  // stream-ordered allocation
  bool write_values = false;  // a stream can write 64 bits to host memory

  // 90 for compute capability 9.0.
  uint32_t architecture() const noexcept { return info.api_version[1] * 10 + info.api_version[2]; }
};

int device_count(const Driver& driver);

}  // namespace vd::cuda
