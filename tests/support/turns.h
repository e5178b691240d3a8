// The turns of drivers that compile on the CPU: lavapipe, PoCL and the emulated CUDA take seconds for what a test runs once.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/hash_name.h"
#include "support/samples.h"
#include "vkdispatch.h"

namespace vd::test {

inline vd_backend backend_named(std::string_view driver) {
  return driver == "vulkan" ? VD_BACKEND_VULKAN : driver == "opencl" ? VD_BACKEND_OPENCL : VD_BACKEND_CUDA;
}

// The drivers that take turns: those that VD_TEST_TURNS lists ("vulkan,opencl,cuda"). None in the long form, under a
// sanitizer, with VD_TEST_EACH_DRIVER=1, or where one of them is not here: each test runs on each driver then. CUDA's
// emulated driver, which only some processes see, is there if it is listed.
inline const std::vector<std::string>& drivers_in_turn() {
  static const std::vector<std::string> drivers = [] {
    std::vector<std::string> all;
    const char* listed = std::getenv("VD_TEST_TURNS");
    const char* each = std::getenv("VD_TEST_EACH_DRIVER");
    if (listed == nullptr || full_form() || kSanitized || (each != nullptr && std::string_view(each) == "1"))
      return all;
    std::istringstream in(listed);
    for (std::string name; std::getline(in, name, ',');) all.push_back(name);
    for (const std::string& name : all) {
      vd_backend_info info = VD_BACKEND_INFO_INIT;
      if (name != "cuda" && (vd_backend_get_info(backend_named(name), &info) != VD_OK || !info.available))
        return std::vector<std::string>();
    }
    return all;
  }();
  return drivers;
}

// Whether tests of one driver are to compile little, too: where others take turns.
inline bool compiles_little() { return !drivers_in_turn().empty(); }
// `few` of a list's first, or all of them.
template <class T>
std::vector<T> first_of(std::vector<T> list, size_t few) {
  if (compiles_little() && few < list.size()) list.erase(list.begin() + static_cast<ptrdiff_t>(few), list.end());
  return list;
}

// The driver of a list whose turn a test of this name has.
inline const std::string& drawn(std::string_view name, const std::vector<std::string>& drivers) {
  return drivers[(hash_name(name) >> 32) % drivers.size()];
}

// Why a test of this name does not run on a backend now; empty if it does. The host backend, which compiles nothing, runs
// each.
inline std::string awaits_turn(std::string_view name, std::string_view backend,
                               const std::vector<std::string>& drivers = drivers_in_turn()) {
  if (drivers.empty() || backend == "host") return "";
  const std::string& driver = drawn(name, drivers);
  return driver == backend ? "" : "in turn on " + driver + ": VD_TEST_FULL=1 runs it on each driver";
}

}  // namespace vd::test
