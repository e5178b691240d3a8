#include "backends/vulkan/gpu.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/log.h"
#include "core/options.h"
#include "core/traits.h"

namespace vd::vulkan {
namespace {

bool may_hold_clock() { return switch_option("hold_clock", true); }

}  // namespace

Gpu::Gpu(const Instance& instance, VkPhysicalDevice handle, uint32_t index, const backends::DeviceOptions& options,
         const Overrides& wishes)
    : physical(instance, handle, index, {options.required_extensions, options.wished_extensions},
               (options.flags & VD_CONTEXT_ROBUST) != 0),
      overrides(wishes),
      owned_(true) {
  if (const std::string missing = physical.missing(); !missing.empty())
    fail(VD_ERR_UNSUPPORTED, "Vulkan device \"{}\" cannot be used: {}.", info().name, missing);
  queue_order = options.queue_families;
  if (queue_order.empty()) {
    queues = physical.choose_queues(options.queue_count);
    for (const auto& q : queues) queue_order.insert(queue_order.end(), q.count, q.family);
  } else {
    physical.check_families(queue_order, options.first_queue);
    std::map<uint32_t, uint32_t> counts;
    for (const uint32_t family : queue_order) ++counts[family];
    for (const auto& [family, count] : counts) queues.push_back({family, count});
  }
  find_limits();
  if ((!overrides.cuda_library.empty() || traits_of(info()).rests_without_cuda) && may_hold_clock())
    clock_hold = std::make_unique<ClockHold>(info(), overrides.cuda_library);
  try {
    create_device();
    create_allocator();
  } catch (...) {
    destroy();
    throw;
  }
}

Gpu::Gpu(std::unique_ptr<const Instance> instance, uint32_t index, const backends::NativeDevice& native)
    : own_instance(std::move(instance)),
      physical(*own_instance, index, native),
      device_(reinterpret_cast<VkDevice>(native.device)),
      owned_(false),
      native_queues_(native.queues),
      lock_(native.lock) {
  if (const std::string missing = physical.missing(); !missing.empty())
    fail(VD_ERR_UNSUPPORTED, "the program's device on \"{}\" cannot be used as it was made: {}.", info().name, missing);
  std::map<uint32_t, uint32_t> counts;
  for (size_t i = 0; i < native_queues_.size(); ++i) {
    const uint32_t family = native_queues_[i].family;
    if (family >= physical.families.size() || (physical.families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0)
      fail(VD_ERR_INVALID,
           "desc->native->queues[{}].family ({}) is no queue family of Vulkan device \"{}\" that runs kernels", i,
           family, info().name);
    queue_order.push_back(family);
    ++counts[family];
  }
  for (const auto& [family, count] : counts) queues.push_back({family, count});
  find_limits();
  volkLoadDeviceTable(&vk, device_);
  try {
    create_allocator();
  } catch (...) {
    destroy();
    throw;
  }
}

VkQueue Gpu::queue(uint32_t family, uint32_t index) const {
  if (owned_) {
    VkQueue found = VK_NULL_HANDLE;
    vk.vkGetDeviceQueue(device_, family, index, &found);
    return found;
  }
  for (const vd_native_queue& queue : native_queues_)
    if (queue.family == family && index-- == 0) return reinterpret_cast<VkQueue>(queue.queue);
  fail(VD_ERR_INTERNAL, "queue family {} of the program's device has too few queues", family);
}

void Gpu::find_limits() {
  for (const auto& q : queues) family_indices.push_back(q.family);
  push_descriptors = overrides.push_descriptors && physical.max_push_descriptors != 0;
  images = overrides.images && physical.images;
  buffer_addresses = overrides.buffer_addresses && takes_addresses(info());
  robust = physical.features.base.features.robustBufferAccess != VK_FALSE;
  map_memory = overrides.map_memory && physical.unified;
  max_push_constants = std::min(overrides.max_push_constants, info().max_push_constant_size);
  const auto& limits = physical.properties.limits;
  max_storage_buffers = std::min({overrides.max_storage_buffers, limits.maxPerStageDescriptorStorageBuffers,
                                  limits.maxDescriptorSetStorageBuffers, limits.maxPerStageResources});
  spins = overrides.spin || physical.spins;
}

Gpu::~Gpu() { destroy(); }

void Gpu::destroy() noexcept {
  if (allocator_ != VK_NULL_HANDLE) vmaDestroyAllocator(allocator_);
  if (owned_ && device_ != VK_NULL_HANDLE && vk.vkDestroyDevice != nullptr) vk.vkDestroyDevice(device_, nullptr);
}

void Gpu::create_device() {
  std::vector<float> priorities;
  for (const auto& q : queues) priorities.resize(std::max<size_t>(priorities.size(), q.count), 1.0f);
  std::vector<VkDeviceQueueCreateInfo> queue_infos;
  for (const auto& q : queues) {
    VkDeviceQueueCreateInfo one{};
    one.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    one.queueFamilyIndex = q.family;
    one.queueCount = q.count;
    one.pQueuePriorities = priorities.data();
    queue_infos.push_back(one);
  }
  std::vector<const char*> extensions;
  for (const auto& e : physical.extensions) extensions.push_back(e.c_str());

  VkDeviceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = &physical.features.base;
  create.queueCreateInfoCount = static_cast<uint32_t>(queue_infos.size());
  create.pQueueCreateInfos = queue_infos.data();
  create.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  check(physical.instance.CreateDevice(physical.handle, &create, nullptr, &device_), "vkCreateDevice",
        "device \"{}\" with {} extensions", info().name, extensions.size());
  volkLoadDeviceTable(&vk, device_);
  name(device_, VK_OBJECT_TYPE_DEVICE, "vkdispatch");
}

void Gpu::create_allocator() {
  VmaVulkanFunctions functions{};
  functions.vkGetInstanceProcAddr = vkGetInstanceProcAddr;
  functions.vkGetDeviceProcAddr = physical.instance.GetDeviceProcAddr;
  VmaAllocatorCreateInfo create{};
  create.instance = physical.instance.handle();
  create.physicalDevice = physical.handle;
  create.device = device_;
  create.vulkanApiVersion = physical.api_version;
  create.pVulkanFunctions = &functions;
  if (physical.features.v12.bufferDeviceAddress != VK_FALSE)
    create.flags |= VMA_ALLOCATOR_CREATE_BUFFER_DEVICE_ADDRESS_BIT;
  if (physical.extensions.count(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) != 0)
    create.flags |= VMA_ALLOCATOR_CREATE_EXT_MEMORY_BUDGET_BIT;
  check(vmaCreateAllocator(&create, &allocator_), "vmaCreateAllocator", "device \"{}\"", info().name);
}

void Gpu::failed(VkResult result, const char* call, const std::string& what) const {
  if (result == VK_ERROR_DEVICE_LOST && loss_.report(fmt::format("{} for {}", call, what)))
    log_error("Vulkan device \"{}\" is lost ({} for {}).", info().name, call, what);
  fail_call(result, call, what);
}

void Gpu::require_alive() const {
  if (lost()) [[unlikely]]
    fail(VD_ERR_DEVICE_LOST, "Vulkan device \"{}\" was lost ({}); its context can no longer be used: make a new one.",
         info().name, loss_.why());
}

void Gpu::set_name(uint64_t object, VkObjectType type, const std::string& text) const {
  VkDebugUtilsObjectNameInfoEXT named{};
  named.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  named.objectType = type;
  named.objectHandle = object;
  named.pObjectName = text.c_str();
  physical.instance.SetDebugUtilsObjectNameEXT(device_, &named);  // a name that is not kept does no harm
}

}  // namespace vd::vulkan
