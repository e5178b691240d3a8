// The library of NVIDIA's driver for CUDA, found at run time, for everything that calls it.
#pragma once

#include <string>

#include "core/platform.h"

namespace vd {

// Empty, with the loader's reasons in `why`, where it is not installed. `path` names another library, for tests. Whoever
// has started the driver keeps the library open until the process ends: unloading it then is not safe.
platform::Library open_cuda_library(std::string* why = nullptr, const std::string& path = {});

}  // namespace vd
