// Subgroups of devices whose compiler chooses their size for each pipeline, as Intel's does: the flags that a pipeline
// needs, so that its subgroups have the size that vd_device_info reports, with all their lanes.
#pragma once

#include <array>
#include <cstdint>

#include "backends/vulkan/vk.h"

namespace vd::vulkan {

// A device's properties of subgroups.
struct SubgroupLimits {
  bool size_control = false;            // a pipeline may ask for a size
  bool full_subgroups = false;          // a pipeline may ask for all lanes
  uint32_t size = 0;                    // that is reported, and that a pipeline should have which does not ask
  uint32_t min_size = 0, max_size = 0;  // that may be asked for
  uint32_t max_workgroup_subgroups = 0;
  VkShaderStageFlags stages = 0;  // that may ask for a size
};

struct SubgroupWishes {
  uint32_t size = 0;  // 0: the driver's choice
  bool full = false;
  friend bool operator==(const SubgroupWishes&, const SubgroupWishes&) = default;
};

// For a compute pipeline; `uses` says whether its code uses subgroups. Nothing that the device would refuse is asked
// for.
SubgroupWishes choose_subgroups(const SubgroupLimits& limits, bool uses, const std::array<uint32_t, 3>& workgroup_size);

}  // namespace vd::vulkan
