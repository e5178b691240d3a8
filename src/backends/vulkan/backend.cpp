// Vulkan as one of the backends.
#include <mutex>

#include "backends/backend.h"
#include "backends/vulkan/device.h"

namespace vd::vulkan {
namespace {

class VulkanBackend final : public backends::Backend {
 public:
  const char* name() const override { return "vulkan"; }

  const std::vector<vd_device_info>& devices() override {
    const std::lock_guard lock(mutex_);
    if (devices_.empty()) {
      const Instance& instance = Instance::get(false);
      const auto handles = list_devices(instance);
      if (handles.empty()) fail(VD_ERR_UNAVAILABLE, "the Vulkan loader found drivers, but no device.");
      std::vector<vd_device_info> found;
      std::vector<vd_vulkan_device_info> own;
      for (uint32_t i = 0; i < handles.size(); ++i) {
        const Physical physical(instance, handles[i], i);
        found.push_back(physical.info);
        own.push_back(physical.own);
      }
      devices_ = std::move(found);
      own_ = std::move(own);
    }
    return devices_;
  }

  vd_vulkan_device_info vulkan_info(uint32_t index) override {
    const std::lock_guard lock(mutex_);
    return own_.at(index);
  }

  std::unique_ptr<backends::Device> make_device(uint32_t index, const backends::DeviceOptions& options) override {
    return open_device(index, options);
  }

 private:
  std::mutex mutex_;
  std::vector<vd_device_info> devices_;
  std::vector<vd_vulkan_device_info> own_;
};

}  // namespace

backends::Backend& backend() {
  static VulkanBackend instance;
  return instance;
}

}  // namespace vd::vulkan
