#include "backends/vulkan/device.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <thread>

#include "core/thread.h"

namespace vd::vulkan {
namespace {

// Prepares a compiler while it lives. On an H200 that took 9 ms, which the first kernel had to wait for.
class Preparation {
 public:
  explicit Preparation(Compiler& compiler)
      : thread_(start_thread([&compiler] {
          const LibraryThread library_thread("vd-compiler");
          compiler.prepare();
        })) {}
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;
  ~Preparation() { thread_.join(); }

 private:
  std::thread thread_;
};

}  // namespace

Device::Device(std::shared_ptr<const Gpu> gpu, const backends::DeviceOptions& options)
    : gpu_(std::move(gpu)),
      compiler_(gpu_, options.cache_dir),
      samplers_(gpu_),
      copiers_(backends::copier_count(options), "vd-vulkan-copy") {
  std::optional<Preparation> preparation;  // beside the queues, which take a GPU's driver as long
  if (gpu_->spins) preparation.emplace(compiler_);
  std::map<uint32_t, uint32_t> taken;  // queues of each family
  for (const uint32_t family : gpu_->queue_order)
    queues_.push_back(
        std::make_unique<Queue>(gpu_, family, taken[family]++, static_cast<uint32_t>(queues_.size()), copiers_));
  for (const auto& queue : queues_) queue->meet(queues_);
}

std::unique_ptr<backends::Memory> Device::make_memory(uint64_t size, bool host_visible, const std::string& label) {
  return std::make_unique<Memory>(gpu_, size, host_visible ? Placement::Host : Placement::Device, label);
}

std::unique_ptr<backends::Memory> Device::make_readback(uint64_t size) {
  return std::make_unique<Memory>(gpu_, size, Placement::Readback, "fetched bytes");
}

std::unique_ptr<backends::Memory> Device::import_memory(const backends::ExternalMemory& memory) {
  if (memory.kind == VD_MEMORY_KIND_FD) return Memory::from_fd(gpu_, memory);
  if (memory.kind != VD_MEMORY_KIND_HOST) return backends::Device::import_memory(memory);
  return std::make_unique<Memory>(gpu_, backends::host_pages(memory, info(), "Vulkan"), memory.label);
}

std::unique_ptr<backends::Memory> Device::make_exportable(uint64_t size, const std::string& label) {
  return Memory::exportable(gpu_, size, label);
}

std::shared_ptr<backends::Semaphore> Device::make_semaphore(const backends::SemaphoreDesc& desc) {
  return std::make_shared<SharedSemaphore>(gpu_, desc);
}

std::unique_ptr<backends::Image> Device::make_image(const backends::ImageShape& shape) {
  return std::make_unique<Image>(gpu_, shape);
}

std::shared_ptr<backends::Module> Device::make_module(const backends::ModuleDesc& desc) { return compiler_.make(desc); }

std::unique_ptr<backends::Executable> Device::make_executable(const backends::CommandList& list) {
  return std::make_unique<Executable>(gpu_, list);
}

bool Device::native(const char* kind, uint64_t& out) const {
  const std::string_view wanted = kind;
  if (wanted == "VkInstance")
    out = reinterpret_cast<uint64_t>(gpu_->physical.instance.handle());
  else if (wanted == "VkPhysicalDevice")
    out = reinterpret_cast<uint64_t>(gpu_->physical.handle);
  else if (wanted == "VkDevice")
    out = reinterpret_cast<uint64_t>(gpu_->device());
  else
    return false;
  return true;
}

namespace {

std::unique_ptr<Device> open_native(const backends::NativeDevice& native, const backends::DeviceOptions& options) {
  if (native.api_version < VK_API_VERSION_1_2)
    fail(VD_ERR_INVALID, "desc->native->api_version ({:#x}) is below Vulkan 1.2 ({:#x})", native.api_version,
         VK_API_VERSION_1_2);
  if ((options.flags & VD_CONTEXT_ROBUST) != 0)
    fail(VD_ERR_INVALID, "desc->flags has VD_CONTEXT_ROBUST, and desc->native says which features are enabled");
  auto instance = std::make_unique<const Instance>(reinterpret_cast<VkInstance>(native.instance), native.api_version,
                                                   (options.flags & VD_CONTEXT_DEBUG) != 0);
  const auto devices = list_devices(*instance);
  const auto found = std::ranges::find(devices, reinterpret_cast<VkPhysicalDevice>(native.physical_device));
  if (found == devices.end())
    fail(VD_ERR_INVALID, "desc->native->physical_device ({:#x}) is not of desc->native->instance",
         native.physical_device);
  const auto index = static_cast<uint32_t>(found - devices.begin());
  return std::make_unique<Device>(std::make_shared<Gpu>(std::move(instance), index, native), options);
}

}  // namespace

std::unique_ptr<Device> open_device(uint32_t index, const backends::DeviceOptions& options,
                                    const Overrides& overrides) {
  if (options.native) return open_native(*options.native, options);
  const Instance& instance = Instance::get((options.flags & VD_CONTEXT_DEBUG) != 0);
  const auto devices = list_devices(instance);
  if (index >= devices.size())
    fail(VD_ERR_INVALID, "Vulkan device index ({}) is past the last of {}.", index, devices.size());
  auto gpu = std::make_shared<Gpu>(instance, devices[index], index, options, overrides);
  return std::make_unique<Device>(std::move(gpu), options);
}

}  // namespace vd::vulkan
