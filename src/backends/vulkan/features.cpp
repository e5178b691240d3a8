// The features that a device of the program's was made with.
#include "backends/vulkan/physical.h"

namespace vd::vulkan {
namespace {

// All of a struct but its place in a chain.
template <class T>
void copy(T& to, const VkBaseInStructure& from) noexcept {
  void* const next = to.pNext;
  to = reinterpret_cast<const T&>(from);
  to.pNext = next;
}

}  // namespace

void Features::take(const VkPhysicalDeviceFeatures2& enabled) noexcept {
  base.features = enabled.features;
  for (const auto* one = static_cast<const VkBaseInStructure*>(enabled.pNext); one != nullptr; one = one->pNext) {
    switch (one->sType) {
#define VD_STRUCT(type, member) \
  case type:                    \
    copy(member, *one);         \
    break;
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, v11)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, v12)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, v13)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT, atomic_float)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT, atomic_float2)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, clock)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, workgroup_layout)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, executable_properties)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
                uniform_control_flow)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR, cooperative_matrix)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT, pipeline_robustness)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, robustness2)
      VD_STRUCT(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES, subgroup_size)
#undef VD_STRUCT
#define VD_PART(type, Struct, to, member)                                                 \
  case type:                                                                              \
    to.member = reinterpret_cast<const VkPhysicalDevice##Struct##Features&>(*one).member; \
    break;
      VD_PART(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, TimelineSemaphore, v12, timelineSemaphore)
      VD_PART(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, ScalarBlockLayout, v12, scalarBlockLayout)
      VD_PART(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, BufferDeviceAddress, v12,
              bufferDeviceAddress)
      VD_PART(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, HostQueryReset, v12, hostQueryReset)
      VD_PART(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, Maintenance4, v13, maintenance4)
      VD_PART(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, ShaderSubgroupExtendedTypes,
              v12, shaderSubgroupExtendedTypes)
#undef VD_PART
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES: {
        const auto& part = reinterpret_cast<const VkPhysicalDevice16BitStorageFeatures&>(*one);
        v11.storageBuffer16BitAccess = part.storageBuffer16BitAccess;
        v11.uniformAndStorageBuffer16BitAccess = part.uniformAndStorageBuffer16BitAccess;
        v11.storagePushConstant16 = part.storagePushConstant16;
        v11.storageInputOutput16 = part.storageInputOutput16;
        break;
      }
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES: {
        const auto& part = reinterpret_cast<const VkPhysicalDevice8BitStorageFeatures&>(*one);
        v12.storageBuffer8BitAccess = part.storageBuffer8BitAccess;
        v12.uniformAndStorageBuffer8BitAccess = part.uniformAndStorageBuffer8BitAccess;
        v12.storagePushConstant8 = part.storagePushConstant8;
        break;
      }
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES: {
        const auto& part = reinterpret_cast<const VkPhysicalDeviceShaderFloat16Int8Features&>(*one);
        v12.shaderFloat16 = part.shaderFloat16;
        v12.shaderInt8 = part.shaderInt8;
        break;
      }
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES: {
        const auto& part = reinterpret_cast<const VkPhysicalDeviceShaderAtomicInt64Features&>(*one);
        v12.shaderBufferInt64Atomics = part.shaderBufferInt64Atomics;
        v12.shaderSharedInt64Atomics = part.shaderSharedInt64Atomics;
        break;
      }
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES: {
        const auto& part = reinterpret_cast<const VkPhysicalDeviceVulkanMemoryModelFeatures&>(*one);
        v12.vulkanMemoryModel = part.vulkanMemoryModel;
        v12.vulkanMemoryModelDeviceScope = part.vulkanMemoryModelDeviceScope;
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace vd::vulkan
