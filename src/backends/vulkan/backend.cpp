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
      for (uint32_t i = 0; i < handles.size(); ++i) found.push_back(Physical(instance, handles[i], i).info);
      devices_ = std::move(found);
    }
    return devices_;
  }

  std::unique_ptr<backends::Device> make_device(uint32_t index, const backends::DeviceOptions& options) override {
    return open_device(index, options);
  }

 private:
  std::mutex mutex_;
  std::vector<vd_device_info> devices_;
};

}  // namespace

backends::Backend& backend() {
  static VulkanBackend instance;
  return instance;
}

}  // namespace vd::vulkan
