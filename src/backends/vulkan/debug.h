// Messages of the validation layer: sent to the log and counted, so that tests can require silence.
#pragma once

#include <cstdint>
#include <string>

#include "backends/vulkan/vk.h"

namespace vd::vulkan {

// Messages of this process so far, of all instances.
struct ValidationCounts {
  uint64_t errors = 0;
  uint64_t warnings = 0;
  uint64_t races = 0;  // those of the errors that are about work on two queues
};
ValidationCounts validation_counts() noexcept;

// The text of the last error or warning; "" before any.
std::string last_validation_message();

// The description of our debug messenger.
VkDebugUtilsMessengerCreateInfoEXT messenger_info() noexcept;

}  // namespace vd::vulkan
