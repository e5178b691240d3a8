#include "backends/cuda/gpu.h"

#include "backends/cuda/allocator.h"

namespace vd::cuda {

Gpu::Gpu(const Driver& driver, const DeviceIndex& place, const Overrides& overrides_, CUcontext context)
    : cu(driver), physical(driver, place), overrides(overrides_), context_(context), owned_(context == nullptr) {
  if (physical.architecture() < 60)
    fail(VD_ERR_UNSUPPORTED,
         "CUDA device \"{}\" has compute capability {}.{}; 6.0 is needed: take another device, or Vulkan", info().name,
         info().api_version[1], info().api_version[2]);
  if (owned_) retain(place);
  try {
    streams_ = Streams::of(context_);
    allocator_ = std::make_unique<Allocator>(*this);
  } catch (...) {
    if (owned_) cu.cuDevicePrimaryCtxRelease(physical.handle);
    throw;
  }
}

void Gpu::retain(const DeviceIndex& place) {
  const CUresult retained = cu.cuDevicePrimaryCtxRetain(&context_, physical.handle);
  check(retained, "cuDevicePrimaryCtxRetain", "device {}, \"{}\"{}", place.ordinal, info().name,
        retained == CUDA_ERROR_DEVICE_UNAVAILABLE
            ? "; another program may use it exclusively: nvidia-smi -q -d COMPUTE shows the compute mode"
            : "");
}

Gpu::~Gpu() {
  disposer_.drain();
  allocator_.reset();
  if (owned_) cu.cuDevicePrimaryCtxRelease(physical.handle);
}

void Gpu::require_alive() const {
  if (!lost()) [[likely]]
    return;
  fail(VD_ERR_DEVICE_LOST,
       "the CUDA context of device \"{}\" can no longer be used: {}; correct the kernel and make a new context, in a "
       "new "
       "process if that fails too",
       info().name, loss_.why());
}

void Gpu::failed(CUresult result, const char* call, const std::string& what) const {
  const std::string why = cu.describe(result, call, what);
  if (!Driver::ends_context(result)) throw Error(Driver::status_of(result), why);
  // The driver reports a kernel's error from whichever call comes next, so the error says nothing about that call.
  loss_.report(fmt::format("{}; an earlier kernel may have caused it", why));
  require_alive();
  throw Error(VD_ERR_DEVICE_LOST, why);
}

Current::Current(const Gpu& gpu) : gpu_(gpu) {
  CUcontext current = nullptr;
  if (gpu.cu.cuCtxGetCurrent(&current) != CUDA_SUCCESS || current != gpu.context()) {
    gpu.check(gpu.cu.cuCtxPushCurrent(gpu.context()), "cuCtxPushCurrent", "the context of device \"{}\"",
              gpu.info().name);
    pushed_ = true;
  }
  if (gpu.expects_captures()) relaxed_ = gpu.cu.cuThreadExchangeStreamCaptureMode(&mode_) == CUDA_SUCCESS;
}

Current::~Current() {
  if (relaxed_) gpu_.cu.cuThreadExchangeStreamCaptureMode(&mode_);
  CUcontext popped = nullptr;
  if (pushed_) gpu_.cu.cuCtxPopCurrent(&popped);
}

}  // namespace vd::cuda
