#include "backends/vulkan/debug.h"

#include <atomic>
#include <cstring>
#include <mutex>

#include "core/log.h"

namespace vd::vulkan {
namespace {

std::atomic<uint64_t> error_count{0};
std::atomic<uint64_t> warning_count{0};
std::atomic<uint64_t> race_count{0};
std::mutex message_mutex;
std::string message_text;

// Advice against the layout that our images keep (image.h), at every copy.
bool is_layout_advice(VkDebugUtilsMessageTypeFlagsEXT types, const char* text) {
  return (types & VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT) != 0 &&
         std::strstr(text, "For optimal performance") != nullptr && std::strstr(text, "instead of GENERAL") != nullptr;
}

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                          VkDebugUtilsMessageTypeFlagsEXT types,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  try {
    const char* text = data != nullptr && data->pMessage != nullptr ? data->pMessage : "";
    const bool error = (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) != 0;
    // The loader's own remarks (a broken layer file of another vendor) are not about our calls.
    const bool ours =
        (types & (VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT)) !=
        0;
    if (ours && !error && is_layout_advice(types, text)) return VK_FALSE;
    if (ours) {
      (error ? error_count : warning_count).fetch_add(1, std::memory_order_relaxed);
      // SYNC-HAZARD-WRITE-RACING-WRITE and its like.
      if (error && std::strstr(text, "-RACING-") != nullptr) race_count.fetch_add(1, std::memory_order_relaxed);
      const std::lock_guard lock(message_mutex);
      message_text = text;
    }
    log(error ? VD_LOG_ERROR : VD_LOG_WARNING, "Vulkan {}: {}", ours ? "validation" : "loader", text);
  } catch (...) {  // nothing may unwind into the layer
  }
  return VK_FALSE;
}

}  // namespace

ValidationCounts validation_counts() noexcept {
  return {error_count.load(std::memory_order_relaxed), warning_count.load(std::memory_order_relaxed),
          race_count.load(std::memory_order_relaxed)};
}

std::string last_validation_message() {
  const std::lock_guard lock(message_mutex);
  return message_text;
}

VkDebugUtilsMessengerCreateInfoEXT messenger_info() noexcept {
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = on_message;
  return info;
}

}  // namespace vd::vulkan
