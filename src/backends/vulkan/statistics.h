// Numbers that the driver tells of a compiled pipeline (VK_KHR_pipeline_executable_properties).
#pragma once

#include "backends/backend.h"
#include "backends/vulkan/gpu.h"

namespace vd::vulkan {

bool tells_statistics(const Gpu& gpu);

// Reads what the driver gives under names that are known, of a pipeline that was made with
// VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR. Calls that fail tell nothing.
backends::Statistics read_statistics(const VolkDeviceTable& vk, VkDevice device, VkPipeline pipeline);

}  // namespace vd::vulkan
