// OpenCL as one of the backends.
#include <mutex>

#include "backends/backend.h"
#include "backends/opencl/device.h"

namespace vd::opencl {
namespace {

class OpenClBackend final : public backends::Backend {
 public:
  const char* name() const override { return "opencl"; }

  const std::vector<vd_device_info>& devices() override {
    const std::lock_guard lock(mutex_);
    if (physicals_.empty()) {
      std::vector<Physical> found = list_devices(Api::get());
      devices_.clear();
      for (const Physical& physical : found) devices_.push_back(physical.info);
      physicals_ = std::move(found);
    }
    return devices_;
  }

  std::unique_ptr<backends::Device> make_device(uint32_t index, const backends::DeviceOptions& options) override {
    const size_t count = devices().size();
    if (index >= count) fail(VD_ERR_INVALID, "OpenCL device index ({}) is past the last of {}.", index, count);
    return open_device(physicals_[index], options);
  }

 private:
  std::mutex mutex_;
  std::vector<Physical> physicals_;  // once there are any, they stay as they are
  std::vector<vd_device_info> devices_;
};

}  // namespace

backends::Backend& backend() {
  static OpenClBackend instance;
  return instance;
}

}  // namespace vd::opencl
