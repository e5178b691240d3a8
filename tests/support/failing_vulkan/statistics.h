// Statistics that the layer tells in the place of a device without VK_KHR_pipeline_executable_properties.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <vector>

namespace statistics {

using Features = VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR;

// A chain without the struct of the extension, which the device below does not know, while it lives.
class Without {
 public:
  template <class Head>
  explicit Without(Head* head) {
    for (auto* at = reinterpret_cast<VkBaseOutStructure*>(head); at->pNext != nullptr; at = at->pNext) {
      if (at->pNext->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR) continue;
      before_ = at;
      taken_ = at->pNext;
      at->pNext = taken_->pNext;
      return;
    }
  }
  Without(const Without&) = delete;
  Without& operator=(const Without&) = delete;
  ~Without() {
    if (before_ != nullptr) before_->pNext = taken_;
  }
  Features* features() const { return reinterpret_cast<Features*>(taken_); }

 private:
  VkBaseOutStructure *before_ = nullptr, *taken_ = nullptr;
};

// As Vulkan's functions give a list.
template <class T>
VkResult hand_out(const std::vector<T>& all, uint32_t* count, T* out) {
  const auto most = static_cast<uint32_t>(all.size());
  if (out == nullptr) {
    *count = most;
    return VK_SUCCESS;
  }
  *count = std::min(*count, most);
  std::copy_n(all.begin(), *count, out);
  return *count < most ? VK_INCOMPLETE : VK_SUCCESS;
}

// A pipeline that was made; `asked`: to tell.
void note(VkPipeline pipeline, bool asked);
VkResult list_executables(uint32_t* count, VkPipelineExecutablePropertiesKHR* out);
// Nothing of a pipeline that was not made to tell.
VkResult list(VkPipeline pipeline, uint32_t* count, VkPipelineExecutableStatisticKHR* out);

}  // namespace statistics
