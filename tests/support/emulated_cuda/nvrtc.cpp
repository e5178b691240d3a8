// A stand-in for libnvrtc, for tests: compiles with the host's compiler. No NVRTC has its minor version number, so that
// its output never reaches a real device through a cache.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "support/emulated_cuda/abi.h"
#include "support/emulated_cuda/compiler.h"
#include "support/emulated_cuda/control.h"

#define VD_EXPORT extern "C" __attribute__((visibility("default")))

// Named as the backend names it: a sanitizer compares the types of what is called through a pointer.
namespace vd::cuda {
struct _nvrtcProgram {
  std::string source, image, log;
};
}  // namespace vd::cuda
using vd::cuda::_nvrtcProgram;

enum { kSuccess = 0, kInvalidOption = 5, kCompilation = 6, kBuiltinOperationFailure = 7 };

namespace {

std::mutex g_mutex;
std::string g_failing;  // the entry point whose next call fails
int g_code = 0;

// The code that a test wants of this call; 0 if it is to be made.
int wanted(const char* call) {
  const std::lock_guard lock(g_mutex);
  static const bool read = [] {
    char name[64];
    const char* text = std::getenv("VD_EMULATED_NVRTC_FAIL");
    if (text != nullptr && std::sscanf(text, "%63[^:]:%d", name, &g_code) == 2) g_failing = name;
    return true;
  }();
  (void)read;
  if (g_failing != call) return 0;
  g_failing.clear();
  return std::exchange(g_code, 0);
}

struct Version {
  int major = 13, minor = 77;
};
Version emulated_version() {
  Version version;
  if (const char* text = std::getenv("VD_EMULATED_NVRTC")) std::sscanf(text, "%d.%d", &version.major, &version.minor);
  return version;
}
bool knows_minimal() {
  const Version version = emulated_version();
  return version.major > 12 || (version.major == 12 && version.minor >= 4);
}

// The first word of the source that NVRTC does not know with "--minimal"; nullptr if there is none.
const char* missing_from_minimal(const std::string& source) {
  for (const char* word : {"cudaBoundaryMode", "cudaTextureObject_t", "cudaSurfaceObject_t", "tex1D", "tex2D", "tex3D",
                           "surf1D", "surf2D", "surf3D"})
    if (source.find(word) != std::string::npos) return word;
  return nullptr;
}

}  // namespace

#define VD_BEGIN() \
  if (const int code = wanted(__func__)) return code

VD_EXPORT void vd_emulated_nvrtc_fail(const char* call, int code) {
  const std::lock_guard lock(g_mutex);
  g_failing = call != nullptr ? call : "";
  g_code = code;
}

VD_EXPORT int nvrtcVersion(int* major, int* minor) {
  VD_BEGIN();
  const Version version = emulated_version();
  *major = version.major;
  *minor = version.minor;
  return kSuccess;
}
VD_EXPORT int nvrtcGetNumSupportedArchs(int* count) {
  VD_BEGIN();
  *count = 3;
  return kSuccess;
}
VD_EXPORT int nvrtcGetSupportedArchs(int* list) {
  VD_BEGIN();
  constexpr int kAll[] = {80, 89, 90};
  std::memcpy(list, kAll, sizeof kAll);
  return kSuccess;
}
VD_EXPORT const char* nvrtcGetErrorString(int result) {
  return result == kSuccess                   ? "NVRTC_SUCCESS"
         : result == 1                        ? "NVRTC_ERROR_OUT_OF_MEMORY"
         : result == 11                       ? "NVRTC_ERROR_INTERNAL_ERROR"
         : result == kCompilation             ? "NVRTC_ERROR_COMPILATION"
         : result == kBuiltinOperationFailure ? "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"
                                              : "NVRTC_ERROR_INVALID_OPTION";
}
VD_EXPORT int nvrtcCreateProgram(_nvrtcProgram** program, const char* source, const char*, int, const char* const*,
                                 const char* const*) {
  VD_BEGIN();
  *program = new _nvrtcProgram{source, "", ""};
  return kSuccess;
}
VD_EXPORT int nvrtcDestroyProgram(_nvrtcProgram** program) {
  delete *program;  // also if it is told to fail: the leak of a real one would disturb leak checks
  *program = nullptr;
  VD_BEGIN();
  return kSuccess;
}
VD_EXPORT int nvrtcCompileProgram(_nvrtcProgram* program, int count, const char* const* options) {
  VD_BEGIN();
  bool minimal = false;
  for (int i = 0; i < count; ++i) {
    if (std::strncmp(options[i], "--", 2) != 0) return kInvalidOption;
    if (std::strcmp(options[i], "--minimal") != 0) continue;
    if (!knows_minimal()) return kInvalidOption;
    minimal = true;
  }
  if (const char* builtins = std::getenv("VD_EMULATED_BUILTINS"); builtins != nullptr && *builtins == '0') {
    program->log =
        "nvrtc: error: failed to open libnvrtc-builtins.so.13.77.\n  Make sure that libnvrtc-builtins.so.13.77 is "
        "installed correctly.";
    return kBuiltinOperationFailure;
  }
  if (const char* word = minimal ? missing_from_minimal(program->source) : nullptr) {
    program->log = std::string("kernel.cu: error: identifier \"") + word + "\" is undefined";
    return kCompilation;
  }
  const std::string library = vd::emulated::compile(program->source, program->log);
  if (library.empty()) return kCompilation;
  vd_emulated_image image{"VDEMUL1", library.size()};
  program->image.assign(reinterpret_cast<const char*>(&image), sizeof image);
  program->image += library;
  return kSuccess;
}
VD_EXPORT int nvrtcGetCUBINSize(_nvrtcProgram* program, size_t* size) {
  VD_BEGIN();
  *size = program->image.size();
  return kSuccess;
}
VD_EXPORT int nvrtcGetCUBIN(_nvrtcProgram* program, char* out) {
  VD_BEGIN();
  std::memcpy(out, program->image.data(), program->image.size());
  return kSuccess;
}
VD_EXPORT int nvrtcGetPTXSize(_nvrtcProgram* program, size_t* size) {
  VD_BEGIN();
  *size = program->image.size();
  return kSuccess;
}
VD_EXPORT int nvrtcGetPTX(_nvrtcProgram* program, char* out) {
  VD_BEGIN();
  std::memcpy(out, program->image.data(), program->image.size());
  return kSuccess;
}
VD_EXPORT int nvrtcGetProgramLogSize(_nvrtcProgram* program, size_t* size) {
  VD_BEGIN();
  *size = program->log.size() + 1;
  return kSuccess;
}
VD_EXPORT int nvrtcGetProgramLog(_nvrtcProgram* program, char* out) {
  VD_BEGIN();
  std::memcpy(out, program->log.c_str(), program->log.size() + 1);
  return kSuccess;
}
