#include "backends/cuda/driver.h"

#include <mutex>

#include "core/cuda_library.h"

namespace vd::cuda {
namespace {

// Graphs have had their present entry points since then.
constexpr int kOldest = 12000;

}  // namespace

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

const Driver& Driver::get() {
  static std::mutex mutex;
  static const Driver* driver = nullptr;  // never destroyed, see the header
  const std::lock_guard lock(mutex);
  if (driver == nullptr) driver = new Driver();
  return *driver;
}

Driver::Driver() {
  std::string why;
  library_ = open_cuda_library(&why);
  if (!library_) fail(VD_ERR_UNAVAILABLE, "no libcuda.so.1 was found; install the NVIDIA driver ({})", why);
  // The version comes first: a driver that is too old lacks entry points, too.
  std::string missing;
#define VD_CUDA_LOAD(name, symbol, parameters) \
  if (!library_.get(name, symbol) && missing.empty()) missing = symbol;
  VD_CUDA_ENTRIES(VD_CUDA_LOAD)
#undef VD_CUDA_LOAD
  if (cuDriverGetVersion != nullptr) started(cuDriverGetVersion(&version_), "cuDriverGetVersion", "its version");
  if (cuDriverGetVersion != nullptr && version_ < kOldest)
    fail(VD_ERR_UNAVAILABLE, "the NVIDIA driver runs CUDA {} at most, and {} is needed: install driver 525 or later",
         version_text(version_), version_text(kOldest));
  if (!missing.empty())
    fail(VD_ERR_UNAVAILABLE, "libcuda.so.1 has no {}, which every NVIDIA driver for CUDA {} has: reinstall the driver",
         missing, version_text(kOldest));
  started(cuInit(0), "cuInit", "to start the NVIDIA driver");
}

void Driver::started(CUresult result, const char* call, const char* what) const {
  if (result == CUDA_SUCCESS) return;
  const char* cure = "does nvidia-smi see the GPU? After an update of the driver the machine has to be restarted";
  if (result == CUDA_ERROR_NO_DEVICE) cure = kNoDevice;
  if (result == CUDA_ERROR_STUB_LIBRARY)
    cure =
        "this libcuda.so.1 is the CUDA toolkit's stand-in for linking; install the NVIDIA driver, and take the folder "
        "of the stand-in out of LD_LIBRARY_PATH";
  fail(VD_ERR_UNAVAILABLE, "{}; {}", describe(result, call, what), cure);
}

std::string Driver::describe(CUresult result, const char* call, const std::string& what) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName == nullptr || cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr)
    name = "unknown code";
  if (cuGetErrorString == nullptr || cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) text = "";
  return fmt::format("{} failed: {} ({}{}{}): {}", call, name, static_cast<int>(result), *text != '\0' ? ", " : "",
                     text, what);
}

vd_status Driver::status_of(CUresult result) noexcept {
  if (ends_context(result)) return VD_ERR_DEVICE_LOST;
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return VD_ERR_OUT_OF_MEMORY;
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
    case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
    case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
      return VD_ERR_UNAVAILABLE;
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_INVALID_SOURCE:
      return VD_ERR_COMPILE;
    case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    case CUDA_ERROR_STREAM_CAPTURE_INVALIDATED:
    case CUDA_ERROR_STREAM_CAPTURE_MERGE:
    case CUDA_ERROR_STREAM_CAPTURE_UNMATCHED:
    case CUDA_ERROR_STREAM_CAPTURE_UNJOINED:
    case CUDA_ERROR_STREAM_CAPTURE_ISOLATION:
    case CUDA_ERROR_STREAM_CAPTURE_IMPLICIT:
    case CUDA_ERROR_CAPTURED_EVENT:
    case CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD:
      return VD_ERR_STATE;
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_NOT_SUPPORTED:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
      return VD_ERR_UNSUPPORTED;
    default:
      return VD_ERR_INTERNAL;
  }
}

bool Driver::ends_context(CUresult result) noexcept {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

}  // namespace vd::cuda
