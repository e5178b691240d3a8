// The driver, libcuda.so.1, found at run time: its entry points, and check(), which turns a result into an error that
// names the failed call, the code and the request.
#pragma once

#include <string>
#include <utility>

#include "backends/cuda/api.h"
#include "core/error.h"
#include "core/platform.h"

namespace vd::cuda {

// Hint in messages about missing devices.
inline constexpr const char* kNoDevice = "is a GPU plugged in, and does CUDA_VISIBLE_DEVICES hide it?";

// "12.4" for 12040, the form in which driver and NVRTC report it.
std::string version_text(int version);

class Driver {
 public:
  // Loads and starts the driver, once; throws VD_ERR_UNAVAILABLE, naming the software to install. It stays loaded until
  // the process ends: unloading it is not safe, and other libraries use it too.
  static const Driver& get();

#define VD_CUDA_MEMBER(name, symbol, parameters) CUresult(*name) parameters = nullptr;
  VD_CUDA_ENTRIES(VD_CUDA_MEMBER)
#undef VD_CUDA_MEMBER

  // 13000 is CUDA 13.0: the newest that this driver runs.
  int version() const noexcept { return version_; }

  // Throws if a call failed; `what` describes the request.
  template <class... Args>
  void check(CUresult result, const char* call, fmt::format_string<Args...> what, Args&&... args) const {
    if (result != CUDA_SUCCESS) [[unlikely]]
      throw Error(status_of(result), describe(result, call, fmt::format(what, std::forward<Args>(args)...)));
  }
  // "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2, out of memory): 64 bytes"
  std::string describe(CUresult result, const char* call, const std::string& what) const;
  static vd_status status_of(CUresult result) noexcept;
  // After these nothing that belongs to the context works any more.
  static bool ends_context(CUresult result) noexcept;

 private:
  Driver();
  // Throws VD_ERR_UNAVAILABLE, with advice, if a call of the start failed.
  void started(CUresult result, const char* call, const char* what) const;

  platform::Library library_;
  int version_ = 0;
};

}  // namespace vd::cuda
