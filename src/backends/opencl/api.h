// The entry points of OpenCL that we use, found in the ICD loader (libOpenCL.so.1) at run time.
#pragma once

#include <memory>

#include "backends/opencl/cl.h"
#include "core/platform.h"

namespace vd::opencl {

// Everything here is in OpenCL 1.2.
#define VD_CL_FUNCTIONS(X)      \
  X(GetPlatformIDs)             \
  X(GetPlatformInfo)            \
  X(GetDeviceIDs)               \
  X(GetDeviceInfo)              \
  X(CreateContext)              \
  X(ReleaseContext)             \
  X(CreateCommandQueue)         \
  X(ReleaseCommandQueue)        \
  X(CreateBuffer)               \
  X(CreateSubBuffer)            \
  X(CreateImage)                \
  X(CreateSampler)              \
  X(ReleaseSampler)             \
  X(GetSupportedImageFormats)   \
  X(ReleaseMemObject)           \
  X(CreateProgramWithSource)    \
  X(CreateProgramWithBinary)    \
  X(BuildProgram)               \
  X(GetProgramInfo)             \
  X(GetProgramBuildInfo)        \
  X(ReleaseProgram)             \
  X(CreateKernel)               \
  X(GetKernelInfo)              \
  X(GetKernelArgInfo)           \
  X(GetKernelWorkGroupInfo)     \
  X(SetKernelArg)               \
  X(ReleaseKernel)              \
  X(EnqueueNDRangeKernel)       \
  X(EnqueueCopyBuffer)          \
  X(EnqueueCopyBufferToImage)   \
  X(EnqueueFillBuffer)          \
  X(EnqueueWriteBuffer)         \
  X(EnqueueReadBuffer)          \
  X(EnqueueMapBuffer)           \
  X(EnqueueUnmapMemObject)      \
  X(EnqueueMarkerWithWaitList)  \
  X(EnqueueBarrierWithWaitList) \
  X(WaitForEvents)              \
  X(GetEventInfo)               \
  X(GetEventProfilingInfo)      \
  X(CreateUserEvent)            \
  X(SetUserEventStatus)         \
  X(RetainEvent)                \
  X(ReleaseEvent)               \
  X(Flush)                      \
  X(Finish)                     \
  X(GetExtensionFunctionAddressForPlatform)

// A copy with some entries replaced stands in for a driver that fails, in tests.
struct Api {
#define VD_DECLARE(name) decltype(&::cl##name) name = nullptr;
  VD_CL_FUNCTIONS(VD_DECLARE)
#undef VD_DECLARE
  std::shared_ptr<const platform::Library> library;

  // The loader's, kept until the process ends: drivers have threads of their own. VKDISPATCH_OPENCL_LIBRARY names
  // another library than libOpenCL.so.1. Throws VD_ERR_UNAVAILABLE; a later call tries again.
  static const Api& get();
};

// The entry points of cl_khr_command_buffer that we use; all null where a platform lacks one.
struct CommandBufferApi {
  clCreateCommandBufferKHR_fn Create = nullptr;
  clReleaseCommandBufferKHR_fn Release = nullptr;
  clFinalizeCommandBufferKHR_fn Finalize = nullptr;
  clCommandNDRangeKernelKHR_fn NDRangeKernel = nullptr;
  clEnqueueCommandBufferKHR_fn Enqueue = nullptr;

  CommandBufferApi() = default;
  CommandBufferApi(const Api& api, cl_platform_id platform);
  explicit operator bool() const noexcept { return Enqueue != nullptr; }
};

}  // namespace vd::opencl
