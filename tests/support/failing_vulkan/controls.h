// The controls of the failing layer (control.h) from within a program that the loader has loaded it into.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <type_traits>

#include "support/failing_vulkan/control.h"

namespace vd::test {

// The build's folder, or that of a build that was brought here.
inline std::string layer_folder() {
  const char* const moved = std::getenv("VD_FAILING_VULKAN");
  return moved != nullptr && *moved != '\0' ? moved : VD_FAILING_VULKAN;
}

// The layer's controls, of the copy that the loader has loaded.
struct LayerControls {
  decltype(&vd_failing_count) count = nullptr;
  decltype(&vd_failing_name) name = nullptr;
  decltype(&vd_failing_set) set = nullptr;
  decltype(&vd_failing_met) met = nullptr;
  decltype(&vd_failing_result) result = nullptr;
  decltype(&vd_failing_spill) spill = nullptr;
  decltype(&vd_failing_told) told = nullptr;

  LayerControls() {
    void* library = dlopen((layer_folder() + "/libVkLayer_vd_failing.so").c_str(), RTLD_NOW);
    if (library == nullptr) return;
    const auto load = [&](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    };
    load(count, "vd_failing_count");
    load(name, "vd_failing_name");
    load(set, "vd_failing_set");
    load(met, "vd_failing_met");
    load(result, "vd_failing_result");
    load(spill, "vd_failing_spill");
    load(told, "vd_failing_told");
  }

  // The number of a call; count() if the layer has none of that name.
  unsigned number_of(const std::string& call) const {
    unsigned n = 0;
    while (n < count() && name(n) != call) ++n;
    return n;
  }
};

}  // namespace vd::test
