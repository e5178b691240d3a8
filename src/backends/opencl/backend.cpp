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
    if (devices_.empty())
      for (const Physical& physical : list_devices(Api::get())) devices_.push_back(physical.info);
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
  static OpenClBackend instance;
  return instance;
}

}  // namespace vd::opencl
