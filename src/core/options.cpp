#include "core/options.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "core/error.h"
#include "core/log.h"
#include "core/name.h"
#include "core/platform.h"

namespace vd {
namespace {

struct Known {
  std::string_view name;
  std::string_view values;  // all that there are, or "" for any text
};
constexpr Known kOptions[] = {
    {"backend", "cuda, dummy, host, opencl, vulkan"},  // of a context that names none
    {"device", ""},                                    // of a context that names none: its index, or a part of its name
    {"cache_dir", ""},                                 // folder of the disk cache, of a context that names none
    {"log", "verbose, info, warning, error, off"},     // level of standard error
    {"host_isa", "base, avx2, avx512"},                // instructions of the host backend
    {"nvrtc", ""},                                     // the only folder of NVRTC
    {"nvrtc_path", ""},                                // folders where NVRTC is looked for first
    {"opencl_library", ""},                            // the OpenCL loader
    {"opencl_options", ""},                            // options for OpenCL's compiler
    {"opencl_images", "0, 1"},                         // OpenCL: units of the device sample images
    {"opencl_cache", "0, 1"},                          // OpenCL: programs are kept in the disk cache
    {"fft_tune", ""},                                  // choices of the planner of transforms
    {"fft_records", ""},                               // folder of files of what measuring chose for transforms
    {"hold_clock", "0, 1"},                            // Vulkan: a CUDA context keeps the clock of NVIDIA's devices up
    {"vulkan_limits", ""},                             // limits of Vulkan devices lower than their own
};

size_t find_option(std::string_view name) {
  return static_cast<size_t>(std::ranges::find(kOptions, name, &Known::name) - std::begin(kOptions));
}

bool is_one_of(std::string_view value, std::string_view list) {
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(", ", at), list.size());
    if (list.substr(at, end - at) == value) return true;
    at = end + 2;
  }
  return false;
}

std::string variable_of(std::string_view name) {
  std::string variable = "VKDISPATCH_";
  for (const char c : name) variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

}  // namespace

std::optional<std::string> Options::get(std::string_view name) {
  static_assert(std::size(kOptions) == std::tuple_size_v<decltype(options_)>);
  {
    std::lock_guard lock(mutex_);
    Option& found = options_.at(find_option(name));
    found.used = true;
    if (found.value) return found.value->empty() ? std::nullopt : found.value;
  }
  return platform::environment(variable_of(name).c_str());
}

std::string Options::source(std::string_view name) {
  std::lock_guard lock(mutex_);
  return options_.at(find_option(name)).value ? fmt::format("option \"{}\"", name) : variable_of(name);
}

void Options::set(std::string_view name, const char* value) {
  const size_t index = find_option(name);
  if (index == std::size(kOptions)) {
    std::string all;
    for (const Known& known : kOptions) all += fmt::format("{}{}", all.empty() ? "" : ", ", known.name);
    fail(VD_ERR_INVALID, "name (\"{}\") is not one of {}", shown_name(name), all);
  }
  const std::string_view values = kOptions[index].values;
  if (value != nullptr && *value != '\0' && !values.empty() && !is_one_of(value, values)) {
    fail(VD_ERR_INVALID, "value (\"{}\") of option \"{}\" is not one of {}", shown_name(value), name, values);
  }
  std::lock_guard lock(mutex_);
  Option& found = options_[index];
  if (found.used) fail(VD_ERR_STATE, "option \"{}\" is in use already; set it before its first use", name);
  found.value = value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

bool switch_option(std::string_view name, bool otherwise) {
  const auto wish = option(name);
  if (wish == "0" || wish == "1") return wish == "1";
  if (wish) {
    log_warning("{} ({}) is neither 0 nor 1, and counts as {}.", options().source(name), shown_name(*wish),
                otherwise ? 1 : 0);
  }
  return otherwise;
}

Options& options() {
  static Options* made = new Options;  // never destroyed, for threads that outlive main()
  return *made;
}

}  // namespace vd
