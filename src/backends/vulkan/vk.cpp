#include "backends/vulkan/vk.h"

namespace vd::vulkan {

std::string result_name(VkResult result) {
  switch (result) {
#define VD_RESULT(name) \
  case name:            \
    return #name;
    VD_RESULT(VK_SUCCESS)
    VD_RESULT(VK_NOT_READY)
    VD_RESULT(VK_TIMEOUT)
    VD_RESULT(VK_INCOMPLETE)
    VD_RESULT(VK_ERROR_OUT_OF_HOST_MEMORY)
    VD_RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    VD_RESULT(VK_ERROR_INITIALIZATION_FAILED)
    VD_RESULT(VK_ERROR_DEVICE_LOST)
    VD_RESULT(VK_ERROR_MEMORY_MAP_FAILED)
    VD_RESULT(VK_ERROR_LAYER_NOT_PRESENT)
    VD_RESULT(VK_ERROR_EXTENSION_NOT_PRESENT)
    VD_RESULT(VK_ERROR_FEATURE_NOT_PRESENT)
    VD_RESULT(VK_ERROR_INCOMPATIBLE_DRIVER)
    VD_RESULT(VK_ERROR_TOO_MANY_OBJECTS)
    VD_RESULT(VK_ERROR_FORMAT_NOT_SUPPORTED)
    VD_RESULT(VK_ERROR_FRAGMENTED_POOL)
    VD_RESULT(VK_ERROR_UNKNOWN)
    VD_RESULT(VK_ERROR_OUT_OF_POOL_MEMORY)
    VD_RESULT(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    VD_RESULT(VK_ERROR_FRAGMENTATION)
    VD_RESULT(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
    VD_RESULT(VK_ERROR_INVALID_SHADER_NV)
    VD_RESULT(VK_PIPELINE_COMPILE_REQUIRED)
#undef VD_RESULT
    default:
      return fmt::format("VkResult {}", static_cast<int>(result));
  }
}

vd_status result_status(VkResult result) noexcept {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_MEMORY_MAP_FAILED:
    case VK_ERROR_TOO_MANY_OBJECTS:
      return VD_ERR_OUT_OF_MEMORY;
    case VK_ERROR_DEVICE_LOST:
      return VD_ERR_DEVICE_LOST;
    case VK_ERROR_INITIALIZATION_FAILED:
    case VK_ERROR_INCOMPATIBLE_DRIVER:
    case VK_ERROR_LAYER_NOT_PRESENT:
      return VD_ERR_UNAVAILABLE;
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
      return VD_ERR_UNSUPPORTED;
    case VK_ERROR_INVALID_SHADER_NV:
      return VD_ERR_COMPILE;
    default:
      return VD_ERR_INTERNAL;
  }
}

void fail_call(VkResult result, const char* call, const std::string& what) {
  fail(result_status(result), "{} failed with {} for {}.", call, result_name(result), what);
}

}  // namespace vd::vulkan
