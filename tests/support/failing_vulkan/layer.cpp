// A Vulkan layer in which calls fail when a test says so. It stands above the validation layer, which then sees nothing
// of a call that failed.
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <vector>

#include "support/failing_vulkan/control.h"
#include "support/failing_vulkan/statistics.h"

namespace {

// Calls of an instance and its physical devices, but for those that make an instance or a device.
// clang-format off
#define INSTANCE_CALLS                                          \
  CALL(EnumeratePhysicalDevices, START)                         \
  CALL(EnumerateDeviceExtensionProperties, MEMORY)              \
  CALL(GetPhysicalDeviceImageFormatProperties, MEMORY)          \
  CALL(GetPhysicalDeviceCalibrateableTimeDomainsEXT, MEMORY)
// clang-format on

// Calls of a device, and behind them calls of an instance.
enum Call : unsigned {
#define CALL(name, results) k##name,
#include "support/failing_vulkan/calls.inc"
  kDeviceCalls,
  kCreateInstance = kDeviceCalls,
  INSTANCE_CALLS kCreateDevice,
  kCalls
#undef CALL
};

// The results of a kind of calls, up to a 0.
using Results = std::array<VkResult, 4>;
constexpr Results MEMORY{VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY};
constexpr Results POOL{VK_ERROR_OUT_OF_POOL_MEMORY, VK_ERROR_FRAGMENTED_POOL, VK_ERROR_OUT_OF_HOST_MEMORY};
constexpr Results MAPPING{VK_ERROR_MEMORY_MAP_FAILED, VK_ERROR_OUT_OF_HOST_MEMORY};
constexpr Results LOSS{VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY};
constexpr Results START{VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_OUT_OF_HOST_MEMORY};

struct Row {
  const char* name;
  Results results;
};
constexpr std::array<Row, kCalls> kRows{{
#define CALL(name, results) {"vk" #name, results},
#include "support/failing_vulkan/calls.inc"
    {"vkCreateInstance", START},
    INSTANCE_CALLS{"vkCreateDevice", START},
#undef CALL
}};

// ---- What fails

std::mutex g_mutex;
unsigned g_call = kCalls, g_left = 0;
VkResult g_result = VK_SUCCESS;
bool g_met = false;
std::set<void*> g_lost;  // devices, by the key below
// A device that is lost executes nothing any more: held around calls on queues, which must not run beside the wait for that.
std::mutex g_queue_mutex;

VkResult turn(unsigned call, void* key) {
  const std::lock_guard lock(g_mutex);
  if (key != nullptr && kRows[call].results == LOSS && g_lost.contains(key)) return VK_ERROR_DEVICE_LOST;
  if (call != g_call || g_left == 0 || --g_left != 0) return VK_SUCCESS;
  g_met = true;
  if (g_result == VK_ERROR_DEVICE_LOST) g_lost.insert(key);
  return g_result;
}

// ---- What is below

struct Below {
  PFN_vkGetInstanceProcAddr instance = nullptr;
  PFN_vkGetPhysicalDeviceFeatures2 read_features = nullptr;
  PFN_vkGetDeviceProcAddr device = nullptr;
  std::array<PFN_vkVoidFunction, kCalls> calls{};
  VkDevice handle = VK_NULL_HANDLE;
  bool tells = false;  // by itself
  PFN_vkDeviceWaitIdle wait_idle = nullptr;
};
std::shared_mutex g_below_mutex;
std::map<void*, Below> g_below;

// The loader gives the same first word to a device, its queues and command buffers; to an instance and its devices.
template <class Handle>
void* key_of(Handle handle) {
  void* key = nullptr;
  std::memcpy(&key, handle, sizeof(key));
  return key;
}

Below* below(void* key) {
  const std::shared_lock lock(g_below_mutex);
  const auto found = g_below.find(key);
  return found == g_below.end() ? nullptr : &found->second;
}

void keep(void* key, const Below& below) {
  const std::lock_guard lock(g_below_mutex);
  g_below[key] = below;
}

// ---- The hooks

template <unsigned kCall, class Function>
struct Hook;
template <unsigned kCall, class First, class... Rest>
struct Hook<kCall, VkResult(VKAPI_PTR*)(First, Rest...)> {
  static VKAPI_ATTR VkResult VKAPI_CALL call(First first, Rest... rest) {
    void* const key = key_of(first);
    Below* const next = below(key);
    std::unique_lock queues(g_queue_mutex, std::defer_lock);
    if (kCall == kQueueSubmit || kCall == kQueueWaitIdle) queues.lock();
    if (const VkResult result = turn(kCall, key); result != VK_SUCCESS) {
      if (result != VK_ERROR_DEVICE_LOST) return result;
      if (!queues.owns_lock()) queues.lock();
      next->wait_idle(next->handle);
      return result;
    }
    using Function = VkResult(VKAPI_PTR*)(First, Rest...);
    return reinterpret_cast<Function>(next->calls[kCall])(first, rest...);
  }
};

// ---- Statistics of pipelines, for devices that have none

std::vector<VkExtensionProperties> extensions_of(VkPhysicalDevice device) {
  const auto list = reinterpret_cast<PFN_vkEnumerateDeviceExtensionProperties>(
      below(key_of(device))->calls[kEnumerateDeviceExtensionProperties]);
  uint32_t count = 0;
  if (list(device, nullptr, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkExtensionProperties> all(count);
  list(device, nullptr, &count, all.data());
  return all;
}

bool tells(VkPhysicalDevice device) {
  return std::ranges::any_of(extensions_of(device), [](const VkExtensionProperties& one) {
    return std::strcmp(one.extensionName, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME) == 0;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL list_extensions(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                               VkExtensionProperties* out) {
  constexpr auto kCall = kEnumerateDeviceExtensionProperties;
  if (layer != nullptr || tells(device))
    return Hook<kCall, PFN_vkEnumerateDeviceExtensionProperties>::call(device, layer, count, out);
  if (const VkResult result = turn(kCall, key_of(device)); result != VK_SUCCESS) return result;
  std::vector<VkExtensionProperties> all = extensions_of(device);
  all.push_back({VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, 1});
  return statistics::hand_out(all, count, out);
}

VKAPI_ATTR void VKAPI_CALL read_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* out) {
  const PFN_vkGetPhysicalDeviceFeatures2 next = below(key_of(device))->read_features;
  if (tells(device)) return next(device, out);
  const statistics::Without without(out);
  next(device, out);
  if (without.features() != nullptr) without.features()->pipelineExecutableInfo = VK_TRUE;
}

VKAPI_ATTR VkResult VKAPI_CALL create_pipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                const VkComputePipelineCreateInfo* infos,
                                                const VkAllocationCallbacks* allocator, VkPipeline* out) {
  using Below = Hook<kCreateComputePipelines, PFN_vkCreateComputePipelines>;
  if (below(key_of(device))->tells) return Below::call(device, cache, count, infos, allocator, out);
  std::vector<VkComputePipelineCreateInfo> plain(infos, infos + count);
  for (VkComputePipelineCreateInfo& one : plain) one.flags &= ~VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  const VkResult made = Below::call(device, cache, count, plain.data(), allocator, out);
  for (uint32_t i = 0; made == VK_SUCCESS && i < count; ++i)
    statistics::note(out[i], (infos[i].flags & VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR) != 0);
  return made;
}

VKAPI_ATTR VkResult VKAPI_CALL list_executables(VkDevice device, const VkPipelineInfoKHR* info, uint32_t* count,
                                                VkPipelineExecutablePropertiesKHR* out) {
  constexpr auto kCall = kGetPipelineExecutablePropertiesKHR;
  if (below(key_of(device))->tells)
    return Hook<kCall, PFN_vkGetPipelineExecutablePropertiesKHR>::call(device, info, count, out);
  const VkResult result = turn(kCall, key_of(device));
  return result != VK_SUCCESS ? result : statistics::list_executables(count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL list_statistics(VkDevice device, const VkPipelineExecutableInfoKHR* info,
                                               uint32_t* count, VkPipelineExecutableStatisticKHR* out) {
  constexpr auto kCall = kGetPipelineExecutableStatisticsKHR;
  if (below(key_of(device))->tells)
    return Hook<kCall, PFN_vkGetPipelineExecutableStatisticsKHR>::call(device, info, count, out);
  const VkResult result = turn(kCall, key_of(device));
  return result != VK_SUCCESS ? result : statistics::list(info->pipeline, count, out);
}

// The link of the chain for this layer, which moves on to the next.
template <class Link, class Info>
Link* link_of(const Info* info, VkStructureType type) {
  auto* at = static_cast<Link*>(const_cast<void*>(info->pNext));
  while (at != nullptr && !(at->sType == type && at->function == VK_LAYER_LINK_INFO))
    at = static_cast<Link*>(const_cast<void*>(at->pNext));
  return at;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                               VkInstance* out) {
  if (const VkResult result = turn(kCreateInstance, nullptr); result != VK_SUCCESS) return result;
  auto* link = link_of<VkLayerInstanceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  Below next;
  next.instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const VkResult made =
      reinterpret_cast<PFN_vkCreateInstance>(next.instance(nullptr, "vkCreateInstance"))(info, allocator, out);
  if (made != VK_SUCCESS) return made;
  for (unsigned call = kDeviceCalls; call < kCalls; ++call) next.calls[call] = next.instance(*out, kRows[call].name);
  next.read_features =
      reinterpret_cast<PFN_vkGetPhysicalDeviceFeatures2>(next.instance(*out, "vkGetPhysicalDeviceFeatures2"));
  keep(key_of(*out), next);
  return made;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDevice* out) {
  if (const VkResult result = turn(kCreateDevice, nullptr); result != VK_SUCCESS) return result;
  auto* link = link_of<VkLayerDeviceCreateInfo>(info, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  Below next;
  next.device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(below(key_of(physical))->calls[kCreateDevice]);
  next.tells = tells(physical);
  VkDeviceCreateInfo passed = *info;
  std::vector<const char*> names(info->ppEnabledExtensionNames,
                                 info->ppEnabledExtensionNames + info->enabledExtensionCount);
  VkResult made = VK_SUCCESS;
  if (next.tells) {
    made = create(physical, info, allocator, out);
  } else {
    std::erase_if(names, [](const char* name) {
      return std::strcmp(name, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME) == 0;
    });
    passed.ppEnabledExtensionNames = names.data();
    passed.enabledExtensionCount = static_cast<uint32_t>(names.size());
    const statistics::Without without(&passed);
    made = create(physical, &passed, allocator, out);
  }
  if (made != VK_SUCCESS) return made;
  for (unsigned call = 0; call < kDeviceCalls; ++call) next.calls[call] = next.device(*out, kRows[call].name);
  next.handle = *out;
  next.wait_idle = reinterpret_cast<PFN_vkDeviceWaitIdle>(next.device(*out, "vkDeviceWaitIdle"));
  {
    const std::lock_guard lock(g_mutex);
    g_lost.erase(key_of(*out));  // of an earlier one in its place
  }
  keep(key_of(*out), next);
  return made;
}

// Null for functions that are not ours.
PFN_vkVoidFunction hook(const char* name) {
#define HOOK(name, function) \
  { name, reinterpret_cast<PFN_vkVoidFunction>(function) }
#define CALL(name, results) HOOK("vk" #name, (&Hook<k##name, PFN_vk##name>::call)),
  static const std::map<std::string_view, PFN_vkVoidFunction> hooks{
#include "support/failing_vulkan/calls.inc"
      INSTANCE_CALLS HOOK("vkCreateInstance", create_instance),
      HOOK("vkCreateDevice", create_device),
  };
#undef CALL
  static const std::map<std::string_view, PFN_vkVoidFunction> own{
      HOOK("vkEnumerateDeviceExtensionProperties", list_extensions),
      HOOK("vkGetPhysicalDeviceFeatures2", read_features),
      HOOK("vkCreateComputePipelines", create_pipelines),
      HOOK("vkGetPipelineExecutablePropertiesKHR", list_executables),
      HOOK("vkGetPipelineExecutableStatisticsKHR", list_statistics),
  };
#undef HOOK
  if (const auto found = own.find(name); found != own.end()) return found->second;
  const auto found = hooks.find(name);
  return found == hooks.end() ? nullptr : found->second;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice device,
                                                                                                    const char* name) {
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(vkGetDeviceProcAddr);
  if (std::string_view(name).starts_with("vkGetPipelineExecutable")) {
    if (const PFN_vkVoidFunction ours = hook(name); ours != nullptr) return ours;
  }
  const PFN_vkVoidFunction next = below(key_of(device))->device(device, name);
  const PFN_vkVoidFunction ours = next == nullptr ? nullptr : hook(name);
  return ours != nullptr ? ours : next;
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char* name) {
  if (std::strcmp(name, "vkGetInstanceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(vkGetInstanceProcAddr);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(vkGetDeviceProcAddr);
  if (std::strcmp(name, "vkCreateInstance") == 0 || instance == nullptr) return hook(name);
  const PFN_vkVoidFunction next = below(key_of(instance))->instance(instance, name);
  const PFN_vkVoidFunction ours = next == nullptr ? nullptr : hook(name);
  return ours != nullptr ? ours : next;
}

__attribute__((visibility("default"))) unsigned vd_failing_count() { return kCalls; }
__attribute__((visibility("default"))) const char* vd_failing_name(unsigned call) { return kRows.at(call).name; }
__attribute__((visibility("default"))) int vd_failing_result(unsigned call, unsigned place) {
  return place < kRows.at(call).results.size() ? kRows.at(call).results[place] : 0;
}
__attribute__((visibility("default"))) void vd_failing_set(unsigned call, unsigned n, int result) {
  const std::lock_guard lock(g_mutex);
  g_call = call;
  g_left = n;
  g_result = static_cast<VkResult>(result);
  g_met = false;
  if (n == 0) g_lost.clear();
}
__attribute__((visibility("default"))) int vd_failing_met() {
  const std::lock_guard lock(g_mutex);
  return g_met;
}
}
