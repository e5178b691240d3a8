// The Vulkan loader and our instances. There are at most two instances in a process, one with the validation layer and
// one without; both are made at first use and kept until the process ends: making one costs up to 100 ms, and drivers
// tear themselves down before our destructors would run.
#pragma once

#include "backends/vulkan/vk.h"

namespace vd::vulkan {

class Instance {
 public:
  // Throws VD_ERR_UNAVAILABLE with the reason; a later call tries again.
  static const Instance& get(bool debug);

  // One of the program's, which keeps it. `debug`: it has the validation layer, if that is installed.
  Instance(VkInstance handle, uint32_t api_version, bool debug);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle() const noexcept { return handle_; }
  uint32_t api_version() const noexcept { return api_version_; }   // the requested version
  bool validates() const noexcept { return layer_version_ != 0; }  // the validation layer is on
  uint32_t layer_version() const noexcept { return layer_version_; }
  bool names_objects() const noexcept { return SetDebugUtilsObjectNameEXT != nullptr; }

  PFN_vkEnumeratePhysicalDevices EnumeratePhysicalDevices = nullptr;
  PFN_vkEnumerateDeviceExtensionProperties EnumerateDeviceExtensionProperties = nullptr;
  PFN_vkGetPhysicalDeviceProperties GetPhysicalDeviceProperties = nullptr;
  PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2 = nullptr;
  PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2 = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties GetPhysicalDeviceMemoryProperties = nullptr;
  PFN_vkGetPhysicalDeviceQueueFamilyProperties GetPhysicalDeviceQueueFamilyProperties = nullptr;
  PFN_vkGetPhysicalDeviceFormatProperties GetPhysicalDeviceFormatProperties = nullptr;
  PFN_vkGetPhysicalDeviceImageFormatProperties GetPhysicalDeviceImageFormatProperties = nullptr;
  PFN_vkGetPhysicalDeviceExternalBufferProperties GetPhysicalDeviceExternalBufferProperties = nullptr;
  PFN_vkGetPhysicalDeviceExternalSemaphoreProperties GetPhysicalDeviceExternalSemaphoreProperties = nullptr;
  PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT GetPhysicalDeviceCalibrateableTimeDomainsEXT = nullptr;
  PFN_vkCreateDevice CreateDevice = nullptr;
  PFN_vkGetDeviceProcAddr GetDeviceProcAddr = nullptr;
  PFN_vkSetDebugUtilsObjectNameEXT SetDebugUtilsObjectNameEXT = nullptr;  // null without validation

 private:
  explicit Instance(bool debug);
  void load();

  VkInstance handle_ = VK_NULL_HANDLE;
  uint32_t api_version_ = 0;
  uint32_t layer_version_ = 0;  // of the validation layer, as VK_MAKE_API_VERSION encodes it; 0 without
};

}  // namespace vd::vulkan
