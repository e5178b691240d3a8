// Limits lower than a device's own, and numbers that it does not tell, by which programs and tests reach what other
// devices do: the option "vulkan_limits" (VKDISPATCH_VULKAN_LIMITS), a list such as "buffer_range=4096,buffer_addresses=0".
#pragma once

#include <cstdint>
#include <string>

#include "vkdispatch.h"

namespace vd::vulkan {

struct ToldLimits {
  uint64_t buffer_range = UINT64_MAX;  // bytes that a descriptor binds
  bool buffer_addresses = true;        // false: the device has none
  uint32_t registers = 0;              // of a multiprocessor; 0: as the device tells
  uint32_t multiprocessors = 0;        // the same
  bool spin = false;                   // true: threads that wait spin, as on a GPU, also where the device is the CPU

  // Throws VD_ERR_INVALID with the word that it does not know. `source` names the text in messages.
  static ToldLimits parse(const std::string& text, const std::string& source);
  static ToldLimits read();
  void apply(vd_device_info& info) const;
};

}  // namespace vd::vulkan
