#include "backends/opencl/api.h"

#include <mutex>
#include <type_traits>

#include "core/options.h"
#include "core/platform.h"

namespace vd::opencl {
namespace {

Api load() {
  const auto wish = option("opencl_library");
  std::string why;
  platform::Library library =
      wish ? platform::Library::open(*wish, &why) : platform::Library::open({"libOpenCL.so.1", "libOpenCL.so"}, &why);
  if (!library) {
    if (wish)
      fail(VD_ERR_UNAVAILABLE, "the OpenCL loader that VKDISPATCH_OPENCL_LIBRARY names cannot be opened: {}", why);
    fail(VD_ERR_UNAVAILABLE,
         "no OpenCL loader (libOpenCL.so.1) was found; install ocl-icd-libopencl1 or your system's OpenCL ICD loader");
  }
  Api api;
  const std::string which =
      wish ? fmt::format("that VKDISPATCH_OPENCL_LIBRARY names ({})", *wish) : std::string("(libOpenCL.so.1)");
#define VD_LOAD(name)                     \
  if (!library.get(api.name, "cl" #name)) \
    fail(VD_ERR_UNAVAILABLE, "the OpenCL loader {} has no cl" #name "; one for OpenCL 1.2 or newer is needed", which);
  VD_CL_FUNCTIONS(VD_LOAD)
#undef VD_LOAD
  api.library = std::make_shared<platform::Library>(std::move(library));
  return api;
}

}  // namespace

const Api& Api::get() {
  static std::mutex mutex;
  static const Api* api = nullptr;
  const std::lock_guard lock(mutex);
  if (api == nullptr) api = new Api(load());
  return *api;
}

CommandBufferApi::CommandBufferApi(const Api& api, cl_platform_id platform) {
  CommandBufferApi found;
  bool all = true;
  const auto load = [&](auto& function, const char* name) {
    void* address = api.GetExtensionFunctionAddressForPlatform(platform, name);
    function = reinterpret_cast<std::decay_t<decltype(function)>>(address);
    all = all && address != nullptr;
  };
  load(found.Create, "clCreateCommandBufferKHR");
  load(found.Release, "clReleaseCommandBufferKHR");
  load(found.Finalize, "clFinalizeCommandBufferKHR");
  load(found.NDRangeKernel, "clCommandNDRangeKernelKHR");
  load(found.Enqueue, "clEnqueueCommandBufferKHR");
  if (all) *this = found;
}

}  // namespace vd::opencl
