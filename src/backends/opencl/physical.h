// A device of a platform: its properties and limits, before it is opened.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/opencl/api.h"
#include "vkdispatch.h"

namespace vd::opencl {

constexpr cl_uint kVendorNvidia = 0x10de;  // PCI's number

class Physical {
 public:
  Physical(const Api& api, cl_platform_id platform, cl_device_id device, uint32_t index);

  cl_platform_id platform;
  cl_device_id device;
  vd_device_info info VD_DEVICE_INFO_INIT;
  std::string platform_name;
  std::string platform_version;
  std::string driver_version;
  std::string extensions;  // with a blank before and after each
  uint32_t opencl_c = 0;   // 102, 300: the newest version of the language
  uint32_t sub_buffer_alignment = 1;
  bool unified = false;  // kernels and the host use one memory
  bool native_subgroups = false;
  bool command_buffers = false;       // cl_khr_command_buffer, with several runs of one at once
  bool images = false;                // kernels sample images
  uint64_t image_extents[3][3] = {};  // the longest width, height and depth, by the number of dimensions
  uint64_t image_layers = 0;
  bool exact_division = false;  // knows -cl-fp32-correctly-rounded-divide-sqrt

  bool has_extension(std::string_view name) const;
  // The required property that the device lacks, in words; "" if it is usable.
  const std::string& missing() const { return missing_; }

 private:
  void read_identity(const Api& api);
  void read_limits(const Api& api);
  void read_features(const Api& api);
  void read_images(const Api& api);

  std::string missing_;
};

// The devices of all platforms, one platform after the other; a broken driver beside a good one is logged. Throws
// VD_ERR_UNAVAILABLE, with advice, if there are no devices.
std::vector<Physical> list_devices(const Api& api);

}  // namespace vd::opencl
