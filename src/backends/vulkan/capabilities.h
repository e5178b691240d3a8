// Capabilities that SPIR-V declares, beside those of the opened device. A driver need not check them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "backends/vulkan/physical.h"

namespace vd::vulkan {

// The name of the first capability whose feature or subgroup operation the device lacks; "" if there is none.
// Capabilities that are not in the table (of graphics, of vendors) are left to the driver. `words` begin with a header.
std::string_view missing_capability(std::span<const uint32_t> words, const Features& features,
                                    VkSubgroupFeatureFlags subgroups);

}  // namespace vd::vulkan
