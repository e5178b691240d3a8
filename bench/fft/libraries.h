// Libraries of NVIDIA's, opened at run time.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>

namespace bench {

// The first that is there, its names for all; null if none is, and dlerror() says why.
inline void* open_any(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (name == nullptr) continue;
    if (void* library = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) return library;
  }
  return nullptr;
}

inline void* open_nvrtc() {
  return open_any({std::getenv("VKDISPATCH_NVRTC"), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
}

}  // namespace bench
