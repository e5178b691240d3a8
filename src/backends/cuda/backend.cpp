// CUDA as one of the backends.
#include <mutex>

#include "backends/backend.h"
#include "backends/cuda/device.h"

namespace vd::cuda {
namespace {

class CudaBackend final : public backends::Backend {
 public:
  const char* name() const override { return "cuda"; }

  const std::vector<vd_device_info>& devices() override {
    const std::lock_guard lock(mutex_);
    if (devices_.empty()) {
      const Driver& driver = Driver::get();
      const uint32_t count = device_count(driver);
      if (count == 0)
        fail(VD_ERR_UNAVAILABLE,
             "the NVIDIA driver finds no device; is a GPU plugged in, and does CUDA_VISIBLE_DEVICES hide it?");
      std::vector<vd_device_info> found;
      for (uint32_t i = 0; i < count; ++i) found.push_back(Physical(driver, i).info);
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
  static CudaBackend instance;
  return instance;
}

}  // namespace vd::cuda
