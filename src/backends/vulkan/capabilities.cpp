#include "backends/vulkan/capabilities.h"

namespace vd::vulkan {

std::string_view missing_capability(std::span<const uint32_t> words, const Features& features,
                                    VkSubgroupFeatureFlags subgroups) {
  const auto& core = features.base.features;
  const auto& v11 = features.v11;
  const auto& v12 = features.v12;
  const auto subgroup = [&](VkSubgroupFeatureFlags needed) { return VkBool32{(subgroups & needed) != 0}; };
  const struct {
    uint32_t number;
    std::string_view name;
    VkBool32 enabled;
  } table[] = {
      {9, "Float16", v12.shaderFloat16},
      {10, "Float64", core.shaderFloat64},
      {11, "Int64", core.shaderInt64},
      {12, "Int64Atomics", v12.shaderBufferInt64Atomics | v12.shaderSharedInt64Atomics},
      {22, "Int16", core.shaderInt16},
      {39, "Int8", v12.shaderInt8},
      {61, "GroupNonUniform", subgroup(VK_SUBGROUP_FEATURE_BASIC_BIT)},
      {62, "GroupNonUniformVote", subgroup(VK_SUBGROUP_FEATURE_VOTE_BIT)},
      {63, "GroupNonUniformArithmetic", subgroup(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT)},
      {64, "GroupNonUniformBallot", subgroup(VK_SUBGROUP_FEATURE_BALLOT_BIT)},
      {65, "GroupNonUniformShuffle", subgroup(VK_SUBGROUP_FEATURE_SHUFFLE_BIT)},
      {66, "GroupNonUniformShuffleRelative", subgroup(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT)},
      {67, "GroupNonUniformClustered", subgroup(VK_SUBGROUP_FEATURE_CLUSTERED_BIT)},
      {68, "GroupNonUniformQuad", subgroup(VK_SUBGROUP_FEATURE_QUAD_BIT)},
      {4428, "WorkgroupMemoryExplicitLayoutKHR", features.workgroup_layout.workgroupMemoryExplicitLayout},
      {4433, "StorageBuffer16BitAccess", v11.storageBuffer16BitAccess},
      {4434, "UniformAndStorageBuffer16BitAccess", v11.uniformAndStorageBuffer16BitAccess},
      {4435, "StoragePushConstant16", v11.storagePushConstant16},
      {4441, "VariablePointersStorageBuffer", v11.variablePointersStorageBuffer},
      {4442, "VariablePointers", v11.variablePointers},
      {4448, "StorageBuffer8BitAccess", v12.storageBuffer8BitAccess},
      {4449, "UniformAndStorageBuffer8BitAccess", v12.uniformAndStorageBuffer8BitAccess},
      {4450, "StoragePushConstant8", v12.storagePushConstant8},
      {5055, "ShaderClockKHR", features.clock.shaderSubgroupClock | features.clock.shaderDeviceClock},
      {5345, "VulkanMemoryModel", v12.vulkanMemoryModel},
      {5346, "VulkanMemoryModelDeviceScope", v12.vulkanMemoryModelDeviceScope},
      {5347, "PhysicalStorageBufferAddresses", v12.bufferDeviceAddress},
      {6033, "AtomicFloat32AddEXT",
       features.atomic_float.shaderBufferFloat32AtomicAdd | features.atomic_float.shaderSharedFloat32AtomicAdd},
      {6034, "AtomicFloat64AddEXT",
       features.atomic_float.shaderBufferFloat64AtomicAdd | features.atomic_float.shaderSharedFloat64AtomicAdd},
  };
  constexpr size_t kHeaderWords = 5;
  constexpr uint32_t kOpCapability = 2u << 16 | 17;  // a module begins with them
  for (size_t at = kHeaderWords; at + 1 < words.size() && words[at] == kOpCapability; at += 2)
    for (const auto& row : table)
      if (row.number == words[at + 1] && row.enabled == VK_FALSE) return row.name;
  return {};
}

}  // namespace vd::vulkan
