// The modes of a device's floats that Vulkan leaves open and a shader may choose (VK_KHR_shader_float_controls):
// denormals kept, zeros signed, infinities and NaNs honoured, results rounded to nearest even. Kernels ask for the
// modes that the device has, so that their results equal those of other backends; all modes but denormals are asked for
// only by precise kernels.
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
