// CUDA as one of the backends.
#include <mutex>

#include "backends/backend.h"
#include "backends/cuda/device.h"
#include "core/log.h"

namespace vd::cuda {
namespace {

class CudaBackend final : public backends::Backend {
 public:
  const char* name() const override { return "cuda"; }

  const std::vector<vd_device_info>& devices() override {
    const std::lock_guard lock(mutex_);
    if (devices_.empty()) list();
    return devices_;
  }

  std::string missing() override {
    try {
      Nvrtc::get(Driver::get().version());
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  }

  std::unique_ptr<backends::Device> make_device(uint32_t index, const backends::DeviceOptions& options) override {
    if (options.native) return open_device(device_of(options.native->cuda_context), options);
    const size_t count = devices().size();
    if (index >= count) fail(VD_ERR_INVALID, "CUDA device index ({}) is not below the devices ({}).", index, count);
    return open_device({ordinals_[index], index}, options);
  }

 private:
  // The device of a context of the program's.
  DeviceIndex device_of(uint64_t context) {
    devices();
    const Driver& driver = Driver::get();
    CUdevice device = 0;
    CUcontext popped = nullptr;
    CUresult result = driver.cuCtxPushCurrent(reinterpret_cast<CUcontext>(context));
    if (result == CUDA_SUCCESS) {
      result = driver.cuCtxGetDevice(&device);
      driver.cuCtxPopCurrent(&popped);
    }
    if (result != CUDA_SUCCESS)
      fail(VD_ERR_INVALID, "desc->native->cuda_context ({:#x}) is no CUDA context: {}", context,
           driver.describe(result, "cuCtxGetDevice", "its device"));
    const std::lock_guard lock(mutex_);
    for (uint32_t i = 0; i < ordinals_.size(); ++i) {
      CUdevice listed = 0;
      if (driver.cuDeviceGet(&listed, ordinals_[i]) == CUDA_SUCCESS && listed == device) return {ordinals_[i], i};
    }
    fail(VD_ERR_INVALID, "desc->native->cuda_context ({:#x}) is of a device that is not listed", context);
  }

  // A device that does not answer must not hide the others.
  void list() {
    const Driver& driver = Driver::get();
    const int count = device_count(driver);
    std::string why = fmt::format("the NVIDIA driver finds no device (cuDeviceGetCount gave {}); {}", count, kNoDevice);
    std::vector<vd_device_info> found;
    std::vector<int> ordinals;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      try {
        found.push_back(Physical(driver, {ordinal, static_cast<uint32_t>(found.size())}).info);
        ordinals.push_back(ordinal);
      } catch (const Error& error) {
        why = error.what();
        log_warning("CUDA device {} is left out: {}", ordinal, why);
      }
    }
    if (found.empty()) fail(VD_ERR_UNAVAILABLE, "{}", why);
    devices_ = std::move(found);
    ordinals_ = std::move(ordinals);
  }

  std::mutex mutex_;
  std::vector<vd_device_info> devices_;
  std::vector<int> ordinals_;  // the driver's numbers of them, which stay as they are too
};

}  // namespace

backends::Backend& backend() {
  static CudaBackend instance;
  return instance;
}

}  // namespace vd::cuda
