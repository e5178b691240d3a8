#include "backends/vulkan/subgroups.h"

#include <bit>

namespace vd::vulkan {

SubgroupWishes choose_subgroups(const SubgroupLimits& limits, bool uses,
                                const std::array<uint32_t, 3>& workgroup_size) {
  SubgroupWishes wishes;
  if (!uses || limits.size == 0) return wishes;
  const uint64_t invocations = uint64_t{workgroup_size[0]} * workgroup_size[1] * workgroup_size[2];
  if (limits.size_control && (limits.stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 && std::has_single_bit(limits.size) &&
      limits.min_size <= limits.size && limits.size <= limits.max_size &&
      invocations <= uint64_t{limits.size} * limits.max_workgroup_subgroups)
    wishes.size = limits.size;
  // Code of SPIR-V 1.6 may get any size, where none is asked for, and full subgroups of the largest must fit.
  const uint32_t lanes = wishes.size != 0 ? wishes.size : limits.max_size;
  wishes.full = limits.full_subgroups && lanes != 0 && workgroup_size[0] % lanes == 0;
  return wishes;
}

}  // namespace vd::vulkan
