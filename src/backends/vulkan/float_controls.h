// How a device treats floats, where Vulkan leaves it open and a shader may say (VK_KHR_shader_float_controls):
// denormals kept, zeros signed, infinities and NaNs honoured, results rounded to nearest even. Kernels ask for what of
// it the device has, so that they give what the other backends give; for all but denormals where they are precise.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/vulkan/vk.h"

namespace vd::vulkan {

// Sets of the widths 16, 32 and 64, as the sum of the widths.
struct FloatControls {
  uint32_t keep_denormals = 0;
  uint32_t keep_special = 0;  // signed zeros, infinities, NaNs
  uint32_t round_to_even = 0;
  friend bool operator==(const FloatControls&, const FloatControls&) = default;
};

// Modes that may be used together: some devices have no mode for one width alone.
FloatControls choose_float_controls(const VkPhysicalDeviceFloatControlsProperties& properties);

// Adds the execution modes to every entry point of a module of glslang's, with their capabilities.
void add_float_controls(std::vector<uint32_t>& words, const FloatControls& controls);

}  // namespace vd::vulkan
