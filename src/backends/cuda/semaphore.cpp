#include "backends/cuda/semaphore.h"

#include <algorithm>
#include <string_view>

#include "backends/cuda/queue.h"
#include "core/platform.h"

namespace vd::cuda {

SharedSemaphore::SharedSemaphore(std::shared_ptr<const Gpu> gpu, const backends::SemaphoreDesc& desc)
    : gpu_(std::move(gpu)), label_(desc.label) {
  gpu_->require_alive();
  if (desc.source == VD_SEMAPHORE_NATIVE) {
    handle_ = reinterpret_cast<CUexternalSemaphore>(desc.handle);
    return;
  }
  if (desc.source == VD_SEMAPHORE_NEW)
    fail(VD_ERR_UNSUPPORTED,
         "CUDA makes no semaphores; it takes those of Vulkan by file descriptors (VD_SEMAPHORE_FD)");
  if ((gpu_->info().features & VD_FEATURE_SEMAPHORE_FD) == 0)
    fail(VD_ERR_UNSUPPORTED, "CUDA device \"{}\" takes no semaphores by file descriptors (VD_FEATURE_SEMAPHORE_FD)",
         gpu_->info().name);
  const Current current(*gpu_);
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC handle{};
  handle.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  handle.handle.fd = platform::copy_descriptor(static_cast<int>(desc.handle));
  if (handle.handle.fd < 0) fail(VD_ERR_INVALID, "desc->handle ({}) is no file descriptor", desc.handle);
  const CUresult taken = gpu_->cu.cuImportExternalSemaphore(&handle_, &handle);
  if (taken != CUDA_SUCCESS) platform::close_descriptor(handle.handle.fd);  // else it is the driver's
  if (taken == CUDA_ERROR_INVALID_VALUE || taken == CUDA_ERROR_INVALID_HANDLE || taken == CUDA_ERROR_UNKNOWN)
    fail(VD_ERR_INVALID, "desc->handle ({}) is no file descriptor of a timeline semaphore of device \"{}\": {}",
         desc.handle, gpu_->info().name, gpu_->cu.describe(taken, "cuImportExternalSemaphore", label_));
  gpu_->check(taken, "cuImportExternalSemaphore", "{}", label_);
  owned_ = true;
}

SharedSemaphore::~SharedSemaphore() {
  if (!owned_) return;
  try {
    const Current current(*gpu_);
    gpu_->cu.cuDestroyExternalSemaphore(handle_);
  } catch (...) {
    // The context is gone, and the semaphore with it.
  }
}

void SharedSemaphore::check(uint64_t value, bool set, const std::string& name) {
  if (!set) return;
  const std::lock_guard lock(mutex_);
  require_above(value, highest_, name);
}

void SharedSemaphore::require_above(uint64_t value, uint64_t highest, const std::string& name) const {
  if (value <= highest)
    fail(VD_ERR_INVALID, "{} ({}) is not above the last value of {} ({})", name, value, label_, highest);
}

void SharedSemaphore::claim(uint64_t value, const std::string& name) {
  const std::lock_guard lock(mutex_);
  require_above(value, claimed_.empty() ? highest_ : std::max(highest_, *claimed_.rbegin()), name);
  claimed_.insert(value);
}

void SharedSemaphore::give_back(uint64_t value) noexcept {
  const std::lock_guard lock(mutex_);
  claimed_.erase(value);
}

void SharedSemaphore::wait_on(CUstream stream, uint64_t value) const {
  CUDA_EXTERNAL_SEMAPHORE_PARAMS point{};
  point.value = value;
  gpu_->check(gpu_->cu.cuWaitExternalSemaphoresAsync(&handle_, &point, 1, stream), "cuWaitExternalSemaphoresAsync",
              "value {} of {}", value, label_);
}

void SharedSemaphore::signal_claimed_on(CUstream stream, uint64_t value) {
  signal_on(stream, value);
  const std::lock_guard lock(mutex_);
  claimed_.erase(value);
  highest_ = std::max(highest_, value);
}

void SharedSemaphore::signal_on(CUstream stream, uint64_t value) const {
  CUDA_EXTERNAL_SEMAPHORE_PARAMS point{};
  point.value = value;
  gpu_->check(gpu_->cu.cuSignalExternalSemaphoresAsync(&handle_, &point, 1, stream), "cuSignalExternalSemaphoresAsync",
              "value {} of {}", value, label_);
}

// The streams that wait for it cannot set it.
void SharedSemaphore::force(uint64_t value) {
  const Stream stream(gpu_);
  const Current current(*gpu_);
  signal_on(stream.get(), value);
  gpu_->check(gpu_->cu.cuStreamSynchronize(stream.get()), "cuStreamSynchronize", "value {} of {}", value, label_);
}

bool SharedSemaphore::native(const char* kind, uint64_t& out) const {
  if (std::string_view(kind) != "CUexternalSemaphore") return false;
  out = reinterpret_cast<uint64_t>(handle_);
  return true;
}

}  // namespace vd::cuda
