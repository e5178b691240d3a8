// A physical device: its properties and limits, and the choice of queues on it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/vulkan/float_controls.h"
#include "backends/vulkan/instance.h"
#include "backends/vulkan/subgroups.h"
#include "vkdispatch.h"

namespace vd::vulkan {

// The features of a device, as chained structs that are passed to vkCreateDevice unchanged: a device is opened with all
// of its features except those that slow kernels down (robust access).
struct Features {
  Features() noexcept;
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;

  VkPhysicalDeviceFeatures2 base{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceVulkan13Features v13{};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float{};
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2{};
  VkPhysicalDeviceShaderClockFeaturesKHR clock{};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR workgroup_layout{};
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executable_properties{};
  VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniform_control_flow{};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperative_matrix{};
  VkPhysicalDevicePipelineRobustnessFeaturesEXT pipeline_robustness{};
  VkPhysicalDeviceRobustness2FeaturesEXT robustness2{};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size{};  // below 1.3, which has it in `v13`

  // Takes those of a VkPhysicalDeviceFeatures2 and its chain, with which a device was made.
  void take(const VkPhysicalDeviceFeatures2& enabled) noexcept;
  // Put the structs that version and extensions allow into one chain behind `base`.
  void chain(uint32_t api_version, const std::set<std::string>& extensions);
};

// Queues to take from one family.
struct FamilyQueues {
  uint32_t family = 0;
  uint32_t count = 0;
};

// Extensions that a user asks for, beside those that the library uses.
struct ExtensionWishes {
  std::vector<std::string> required, wished;
};

class Physical {
 public:
  // Throws VD_ERR_UNSUPPORTED if the device lacks a required extension, or robust access to buffers if that is asked for.
  Physical(const Instance& instance, VkPhysicalDevice handle, uint32_t index, const ExtensionWishes& wishes = {},
           bool robust = false);
  // With what was enabled on a device of the program's.
  Physical(const Instance& instance, uint32_t index, const backends::NativeDevice& native);
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;

  const Instance& instance;
  const VkPhysicalDevice handle;
  vd_device_info info VD_DEVICE_INFO_INIT;
  vd_vulkan_device_info own VD_VULKAN_DEVICE_INFO_INIT;  // facts that only Vulkan has
  uint32_t api_version = 0;                              // of device and instance, the lower
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceMemoryProperties memory{};
  std::vector<VkQueueFamilyProperties> families;
  std::set<std::string> extensions;  // that the device has and we enable
  Features features;
  SubgroupLimits subgroups;
  FloatControls float_controls;
  uint32_t max_push_descriptors = 0;              // 0 without push descriptors
  uint64_t max_timeline_difference = UINT64_MAX;  // of a semaphore's value and one that is waited for or set
  bool images = false;                            // what images of the device's own need is there
  bool tells_cache_hits = false;                  // whether a pipeline was found in a cache
  bool spins = false;                             // a thread that waits may spin first
  bool unified = false;                           // kernels reach host-cached memory at full speed

  // The required property that the device lacks, in words; "" if it is usable.
  std::string missing() const;
  // Queues for `wanted`, compute-only families first: on NVIDIA they have twice the shared memory a multiprocessor and
  // cheaper submits. At least one; less than `wanted` where the device has less.
  std::vector<FamilyQueues> choose_queues(uint32_t wanted) const;
  // Throws VD_ERR_INVALID unless each family runs kernels and has as many queues. `first`: the number of the first entry
  // in messages.
  void check_families(const std::vector<uint32_t>& wanted, uint32_t first) const;

 private:
  void read_all();
  void leave_out_unknown();
  void read_extensions(const ExtensionWishes& wishes);
  void read_features(bool robust);
  void read_properties();
  void fill_features();
  void fill_images();
  void fill_memory();
  void fill_sharing();
};

// The compute families of a device in our order of choice.
std::vector<FamilyQueues> choose_queues(const std::vector<VkQueueFamilyProperties>& families, uint32_t wanted);

// All devices of an instance, in the loader's order.
std::vector<VkPhysicalDevice> list_devices(const Instance& instance);

}  // namespace vd::vulkan
