#include "backends/opencl/api.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <type_traits>
#include <vector>

#include "core/platform.h"

namespace vd::opencl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVendors = "/etc/OpenCL/vendors";

Api load() {
  const auto wish = platform::environment("VKDISPATCH_OPENCL_LIBRARY");
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
#define VD_LOAD(name)                     \
  if (!library.get(api.name, "cl" #name)) \
    fail(VD_ERR_UNAVAILABLE, "the OpenCL loader has no cl" #name "; one for OpenCL 1.2 or newer is needed");
  VD_CL_FUNCTIONS(VD_LOAD)
#undef VD_LOAD
  api.library = std::make_shared<platform::Library>(std::move(library));
  return api;
}

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.pop_back();
  return line;
}

// What is wrong with one ICD file; "" if its library loads.
std::string judge(const fs::path& file) {
  const std::string name = first_line(file);
  if (name.empty()) return fmt::format("{} names no library", file.string());
  std::string why;
  const platform::Library library = platform::Library::open(name, &why);
  if (!library) return fmt::format("{} names \"{}\", which cannot be loaded ({})", file.string(), name, why);
  if (library.symbol("clGetExtensionFunctionAddress") == nullptr)
    return fmt::format("{} names \"{}\", which is no OpenCL driver", file.string(), name);
  return {};
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

std::string explain_drivers() {
  const fs::path where = platform::environment("OCL_ICD_VENDORS").value_or(kVendors);
  std::error_code error;
  std::vector<fs::path> files;
  if (fs::is_directory(where, error)) {
    for (const auto& entry : fs::directory_iterator(where, error))
      if (entry.path().extension() == ".icd") files.push_back(entry.path());
  } else if (where.extension() == ".icd" && fs::exists(where, error)) {
    files.push_back(where);
  }
  if (files.empty())
    return fmt::format("there is no driver's .icd file in {}; install your GPU's OpenCL driver", where.string());
  std::sort(files.begin(), files.end());
  std::string text;
  for (const fs::path& file : files)
    if (const std::string fault = judge(file); !fault.empty()) text += (text.empty() ? "" : "; ") + fault;
  if (text.empty()) return fmt::format("the drivers that {} names report no platform", where.string());
  return text + "; install that driver again, or remove the file";
}

}  // namespace vd::opencl
