#include "core/cuda_library.h"

namespace vd {

platform::Library open_cuda_library(std::string* why, const std::string& path) {
  if (!path.empty()) return platform::Library::open(path, why);
#if defined(_WIN32)
  return platform::Library::open({"nvcuda.dll"}, why);
#else
  return platform::Library::open({"libcuda.so.1", "libcuda.so"}, why);
#endif
}

}  // namespace vd
