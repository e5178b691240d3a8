#include "core/options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>

#include "core/error.h"
#include "core/name.h"
#include "core/platform.h"

namespace vd {
namespace {

constexpr std::string_view kOptionNames[] = {
    "backend",         // of a context that names none
    "device",          // of a context that names none: its index, or a part of its name
    "cache_dir",       // folder of the disk cache, of a context that names none
    "log",             // level of standard error
    "host_isa",        // instructions of the host backend: base, avx2, avx512
    "nvrtc",           // the one folder of NVRTC
    "nvrtc_path",      // folders where NVRTC is looked for first
    "opencl_library",  // the OpenCL loader
    "opencl_options",  // options for OpenCL's compiler
    "fft_tune",        // choices of the planner of transforms
};

struct Option {
  std::optional<std::string> value;
  bool used = false;
};

// Never destroyed, for threads that outlive main().
struct OptionTable {
  std::mutex mutex;
  std::array<Option, std::size(kOptionNames)> options;
};

OptionTable& option_table() {
  static OptionTable* made = new OptionTable;
  return *made;
}

size_t find_option(std::string_view name) {
  return static_cast<size_t>(std::ranges::find(kOptionNames, name) - std::begin(kOptionNames));
}

std::string variable_of(std::string_view name) {
  std::string variable = "VKDISPATCH_";
  for (const char c : name) variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

}  // namespace

std::optional<std::string> option(std::string_view name) {
  OptionTable& s = option_table();
  {
    std::lock_guard lock(s.mutex);
    Option& found = s.options.at(find_option(name));
    found.used = true;
    if (found.value) return found.value->empty() ? std::nullopt : found.value;
  }
  return platform::environment(variable_of(name).c_str());
}

void set_option(std::string_view name, const char* value) {
  OptionTable& s = option_table();
  const size_t index = find_option(name);
  if (index == std::size(kOptionNames)) {
    std::string all;
    for (const std::string_view known : kOptionNames) all += fmt::format("{}{}", all.empty() ? "" : ", ", known);
    fail(VD_ERR_INVALID, "name (\"{}\") is not one of {}", shown_name(name), all);
  }
  std::lock_guard lock(s.mutex);
  Option& found = s.options[index];
  if (found.used) fail(VD_ERR_STATE, "option \"{}\" is in use already; set it before its first use", name);
  found.value = value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace vd
