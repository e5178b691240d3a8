// The order of choice: the caller's wish; else VKDISPATCH_BACKEND and VKDISPATCH_DEVICE; else a GPU by Vulkan, CUDA,
// OpenCL; else the host. A CPU that emulates a GPU (lavapipe, PoCL) is taken only when asked for: by backend, index,
// name, or as a candidate by VD_CONTEXT_USE_CPU.
#include "runtime/open.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>

#include "core/disk_cache.h"
#include "core/error.h"
#include "core/log.h"
#include "core/name.h"
#include "core/options.h"

namespace vd::runtime {
namespace {

constexpr vd_backend kAutomatic[] = {VD_BACKEND_VULKAN, VD_BACKEND_CUDA, VD_BACKEND_OPENCL};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string stripped(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<uint32_t> as_number(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return static_cast<uint32_t>(std::stoul(text));
}

// Discrete GPUs come first, CPUs last.
int rank(const vd_device_info& device) {
  switch (device.type) {
    case VD_DEVICE_DISCRETE_GPU:
      return 0;
    case VD_DEVICE_INTEGRATED_GPU:
      return 1;
    case VD_DEVICE_VIRTUAL_GPU:
      return 2;
    case VD_DEVICE_CPU:
      return 4;
    default:
      return 3;
  }
}

std::string uuid_text(const vd_device_info& device) {
  std::string text;
  for (const uint8_t byte : device.uuid) text += fmt::format("{:02x}", byte);
  return text;
}

bool matches(const vd_device_info& device, const std::string& wish) {
  if (lower(device.name).find(lower(wish)) != std::string::npos) return true;
  std::string digits = lower(wish);
  std::erase(digits, '-');
  return device.uuid_valid != 0 && digits.size() == 32 && digits == uuid_text(device);
}

// The devices that one backend offers for a wish, by index, or the reason why there are none.
struct Offer {
  std::vector<uint32_t> devices;
  std::string reason;
};

// `asked`: the backend was named, so that CPU devices count.
Offer offer(const std::vector<vd_device_info>& devices, const Wish& wish, bool asked) {
  if (devices.empty()) return {{}, "it has no devices"};
  if (!wish.devices.empty()) {
    for (size_t i = 0; i < wish.devices.size(); ++i) {
      if (wish.devices[i] >= devices.size()) {
        return {{},
                fmt::format("{} ({}) is not below its devices ({})", wish.device_source(i), wish.devices[i],
                            devices.size())};
      }
    }
    return {wish.devices, {}};
  }
  const bool by_name = !wish.device_name.empty();
  const bool cpus = asked || by_name || (wish.flags & VD_CONTEXT_USE_CPU) != 0;
  const vd_device_info* best = nullptr;
  bool cpu_left_out = false;
  for (const vd_device_info& device : devices) {
    if (by_name && !matches(device, wish.device_name)) continue;
    if (!cpus && device.type == VD_DEVICE_CPU) {
      cpu_left_out = true;
    } else if (best == nullptr || rank(device) < rank(*best)) {
      best = &device;
    }
  }
  if (best != nullptr) return {{static_cast<uint32_t>(best - devices.data())}, {}};
  if (by_name)
    return {{},
            fmt::format("no device's name or UUID matches {} (\"{}\")",
                        wish.from_option.empty() ? "desc->device_name" : wish.from_option, wish.device_name)};
  return {{}, cpu_left_out ? "it has CPU devices only, which are taken only when asked for" : "it has no devices"};
}

// Fills in the wishes that the caller left open, from the environment.
void read_environment(Wish& wish) {
  if (wish.backend == VD_BACKEND_AUTO) {
    if (auto name = option("backend")) {
      wish.backend = parse_backend(*name, options().source("backend").c_str());
    }
  }
  if (wish.devices.empty() && wish.device_name.empty()) {
    if (auto device = option("device")) {
      wish.from_option = options().source("device");
      const std::string text = stripped(*device);
      if (const auto index = as_number(text)) {
        wish.devices = {*index};
      } else {
        wish.device_name = text;
      }
    }
  }
}

// The queues of each device.
std::vector<uint32_t> counts_of(size_t devices, const Wish& wish) {
  std::vector<uint32_t> counts(devices, 1);
  for (size_t i = 0; i < devices && i < wish.queue_counts.size(); ++i) counts[i] = std::max(wish.queue_counts[i], 1u);
  const size_t families = wish.queue_families.size();
  if (families == 0) return counts;
  if (wish.queue_counts.empty() && devices == 1) return {static_cast<uint32_t>(families)};
  uint64_t all = 0;
  for (const uint32_t count : counts) all += count;
  if (all != families)
    fail(VD_ERR_INVALID, "desc->queue_family_count ({}) is not the number of queues that the context has ({})",
         families, all);
  return counts;
}

// Throws if another backend is asked for things that only Vulkan has.
void check_vulkan_wishes(vd_backend which, const Wish& wish) {
  if (which == VD_BACKEND_VULKAN) return;
  const char* name = backends::backend_name(which);
  if (!wish.required_extensions.empty())
    fail(VD_ERR_UNSUPPORTED, "desc->required_extensions names {}, and only Vulkan has device extensions",
         shown_name(wish.required_extensions.front()));
  for (size_t i = 0; i < wish.queue_families.size(); ++i)
    if (wish.queue_families[i] != 0)
      fail(VD_ERR_INVALID, "desc->queue_families[{}] ({}) is not 0, the only queue family of the {} backend", i,
           wish.queue_families[i], name);
}

Ref<vd_context> open(vd_backend which, backends::Backend& backend, const std::vector<uint32_t>& devices,
                     const Wish& wish) {
  vd_context::Opened opened;
  opened.backend = which;
  opened.runs_kernels = backend.runs_kernels();
  opened.flags = wish.flags;
  backends::DeviceOptions options;
  options.flags = wish.flags;
  options.watchdog_ns = wish.watchdog_ns;
  options.thread_count = wish.thread_count;
  options.dummy_device = wish.dummy_device;
  options.native = wish.native;
  if ((wish.flags & VD_CONTEXT_NO_CACHE) == 0) options.cache_dir = cache_directory(wish.cache_dir.c_str());
  opened.cache_directory = options.cache_dir;
  options.required_extensions = wish.required_extensions;
  options.wished_extensions = wish.wished_extensions;
  check_vulkan_wishes(which, wish);
  std::vector<uint32_t> counts = counts_of(devices.size(), wish);
  if (wish.native && !wish.native->queues.empty()) counts = {static_cast<uint32_t>(wish.native->queues.size())};
  for (size_t i = 0; i < devices.size(); ++i) {
    const uint32_t asked = counts[i];
    options.queue_count = asked;
    if (!wish.queue_families.empty()) {
      const auto first = wish.queue_families.begin() + options.first_queue;
      options.queue_families.assign(first, first + asked);
    }
    auto device = backend.make_device(devices[i], options);
    if (device->queue_count() < asked) {
      fail(VD_ERR_UNSUPPORTED, "desc->queue_counts[{}] ({}) is more than device \"{}\" has ({})", i, asked,
           device->info().name, device->queue_count());
    }
    log_info("device {} is \"{}\" of the {} backend; queues: {}", i, device->info().name, backend.name(),
             device->queue_count());
    opened.devices.push_back(std::move(device));
    options.first_queue += asked;
  }
  return make_ref<vd_context>(std::move(opened));
}

void check(const Wish& wish) {
  for (size_t i = 0; i < wish.devices.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (wish.devices[i] == wish.devices[j]) {
        fail(VD_ERR_INVALID, "{} ({}) is the same as {}", wish.device_source(i), wish.devices[i],
             wish.device_source(j));
      }
    }
  }
  // A ticket has 8 bits for its queue; a backend need not find room for more.
  for (size_t i = 0; i < wish.queue_counts.size(); ++i) {
    if (wish.queue_counts[i] > runtime::kMaxQueues) {
      fail(VD_ERR_INVALID, "desc->queue_counts[{}] ({}) is more than a context has ({})", i, wish.queue_counts[i],
           runtime::kMaxQueues);
    }
  }
}

}  // namespace

vd_backend parse_backend(const std::string& name, const char* what) {
  const std::string word = lower(stripped(name));
  for (int i = VD_BACKEND_VULKAN; i <= VD_BACKEND_DUMMY; ++i) {
    const auto backend = static_cast<vd_backend>(i);
    if (word == backends::backend_name(backend)) return backend;
  }
  fail(VD_ERR_INVALID, "{} (\"{}\") is not one of cuda, dummy, host, opencl, vulkan", what, name);
}

Ref<vd_context> open_context(Wish wish, const BackendSource& source) {
  if (wish.native) {
    try {
      return open(wish.backend, source(wish.backend), {0}, wish);
    } catch (const Error& error) {
      throw Error(error.status(),
                  fmt::format("the {} backend: {}", backends::backend_name(wish.backend), error.what()));
    }
  }
  read_environment(wish);
  check(wish);

  if (wish.backend != VD_BACKEND_AUTO) {
    const char* name = backends::backend_name(wish.backend);
    try {
      backends::Backend& backend = source(wish.backend);
      const Offer offered = offer(backend.devices(), wish, true);
      if (offered.devices.empty())
        fail(wish.devices.empty() ? VD_ERR_UNAVAILABLE : VD_ERR_INVALID, "{}", offered.reason);
      return open(wish.backend, backend, offered.devices, wish);
    } catch (const Error& error) {
      throw Error(error.status(), fmt::format("the {} backend: {}", name, error.what()));
    }
  }

  std::string tried, unusable;  // `unusable`: they have the device, and it could not be opened
  const auto attempt = [&](vd_backend which) -> Ref<vd_context> {
    std::string reason;
    bool has_device = false;
    try {
      backends::Backend& backend = source(which);
      const Offer offered = offer(backend.devices(), wish, which == VD_BACKEND_HOST);
      has_device = !offered.devices.empty();
      if (has_device) return open(which, backend, offered.devices, wish);
      reason = offered.reason;
    } catch (const Error& error) {
      // A child of a fork would run on the CPU what its parent runs on a GPU.
      if (error.status() == VD_ERR_STATE)
        throw Error(VD_ERR_STATE, fmt::format("the {} backend: {}", backends::backend_name(which), error.what()));
      reason = error.what();
    }
    log_info("the {} backend is skipped: {}", backends::backend_name(which), reason);
    const auto add = [&](std::string& to) {
      to += fmt::format("{}{}: {}", to.empty() ? "" : "; ", backends::backend_name(which), reason);
    };
    add(tried);
    if (has_device) add(unusable);
    return nullptr;
  };
  for (const vd_backend which : kAutomatic) {
    if (auto context = attempt(which)) {
      if (!unusable.empty())
        log_warning("the {} backend is used, since devices of another cannot be used ({})",
                    backends::backend_name(which), unusable);
      return context;
    }
  }
  const std::string why = tried;
  auto context = attempt(VD_BACKEND_HOST);
  if (!context) fail(VD_ERR_UNAVAILABLE, "no backend has a device to open ({})", tried);
  log_warning(
      "no GPU can be used, so kernels run on the CPU ({}). VKDISPATCH_BACKEND=host chooses this without a warning, "
      "VKDISPATCH_BACKEND=vulkan or opencl for a driver that runs on the CPU",
      why);
  return context;
}

}  // namespace vd::runtime
