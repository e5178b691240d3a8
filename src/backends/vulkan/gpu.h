// An open device: VkDevice, its table of entry points, its allocator, and how it was opened. Everything made on it
// holds it by shared_ptr, so that any order of destruction is right.
#pragma once

#include <vk_mem_alloc.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/loss.h"
#include "backends/vulkan/clock_hold.h"
#include "backends/vulkan/physical.h"

namespace vd::vulkan {

// Limits that tests set when they open a device, to reach the code for such devices on any device.
struct Overrides {
  bool map_memory = true;                     // false: no buffer is mapped, as on a discrete GPU
  bool push_descriptors = true;               // false: pooled descriptor sets
  uint32_t max_push_constants = UINT32_MAX;   // more goes into a uniform block
  uint32_t max_storage_buffers = UINT32_MAX;  // of a kernel
  uint64_t staging_size = 0;                  // bytes of each staging ring; 0: the default
  bool images = true;                         // false: images lie in buffers
  bool buffer_addresses = true;               // false: buffers are bound by descriptors alone
  bool calibrated_timestamps = true;          // false: the host's time of a timestamp is estimated
  bool spin = false;                          // true: wait as for a GPU, also where the device is the CPU
  std::string cuda_library;                   // a libcuda whose context holds the clock, whatever the device
};

class Gpu {
 public:
  Gpu(const Instance& instance, VkPhysicalDevice handle, uint32_t index, const backends::DeviceOptions& options,
      const Overrides& overrides);
  // Over a device of the program's.
  Gpu(std::unique_ptr<const Instance> instance, uint32_t index, const backends::NativeDevice& native);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  const std::unique_ptr<const Instance> own_instance;  // of the program's; null for ours
  const Physical physical;
  const Overrides overrides;
  std::vector<FamilyQueues> queues;      // the opened queues
  std::vector<uint32_t> queue_order;     // the family of each queue, by its number on the device
  std::vector<uint32_t> family_indices;  // of `queues`, for buffers that all of them use
  VolkDeviceTable vk{};
  bool push_descriptors = false;
  bool images = false;            // of the device's own
  bool buffer_addresses = false;  // kernels can take buffers by their addresses
  bool robust = false;            // accesses outside of a buffer do no harm
  bool map_memory = false;        // buffers are written and read in place
  uint32_t max_push_constants = 0;
  uint32_t max_storage_buffers = 0;       // that a kernel may have
  std::unique_ptr<ClockHold> clock_hold;  // where the device needs one
  bool spins = false;  // a thread that waits spins first; where the device is the CPU, only if that helps (Timeline)

  VkDevice device() const noexcept { return device_; }
  // Queue `index` of a family.
  VkQueue queue(uint32_t family, uint32_t index) const;
  // Runs f(), which uses a queue.
  template <class F>
  auto use_queue(VkQueue queue, F&& f) const {
    const QueueLock lock(lock_, reinterpret_cast<uint64_t>(queue));
    return f();
  }
  VmaAllocator allocator() const noexcept { return allocator_; }
  const vd_device_info& info() const noexcept { return physical.info; }

  // As vulkan::check(), and a lost device stays lost.
  template <class... Args>
  void check(VkResult result, const char* call, fmt::format_string<Args...> what, Args&&... args) const {
    if (result < 0) [[unlikely]]
      failed(result, call, fmt::format(what, std::forward<Args>(args)...));
  }
  bool lost() const noexcept { return static_cast<bool>(loss_); }
  // Throws VD_ERR_DEVICE_LOST if the device is lost.
  void require_alive() const;

  // Give an object a name for the validation layer and captures; nothing without debug mode.
  template <class T>
  void name(T object, VkObjectType type, const std::string& text) const {
    if (physical.instance.names_objects()) set_name(reinterpret_cast<uint64_t>(object), type, text);
  }

 private:
  // The program's lock of a queue, while it lives.
  class QueueLock {
   public:
    QueueLock(const std::function<void(uint64_t, bool)>& lock, uint64_t queue) : lock_(lock), queue_(queue) {
      if (lock_) lock_(queue_, true);
    }
    QueueLock(const QueueLock&) = delete;
    QueueLock& operator=(const QueueLock&) = delete;
    ~QueueLock() {
      if (lock_) lock_(queue_, false);
    }

   private:
    const std::function<void(uint64_t, bool)>& lock_;
    const uint64_t queue_;
  };

  void find_limits();
  void create_device();
  void create_allocator();
  void destroy() noexcept;
  [[noreturn]] void failed(VkResult result, const char* call, const std::string& what) const;
  void set_name(uint64_t object, VkObjectType type, const std::string& text) const;

  VkDevice device_ = VK_NULL_HANDLE;
  const bool owned_;  // the device
  std::vector<vd_native_queue> native_queues_;
  std::function<void(uint64_t queue, bool lock)> lock_;
  VmaAllocator allocator_ = VK_NULL_HANDLE;
  mutable backends::Loss loss_;
};

// One object of a device, destroyed with its entry of the device's table: Handle<VkPipeline,
// &VolkDeviceTable::vkDestroyPipeline>.
template <class T, auto Destroy>
class Handle {
 public:
  Handle() noexcept = default;
  Handle(std::shared_ptr<const Gpu> gpu, T handle) noexcept : gpu_(std::move(gpu)), handle_(handle) {}
  Handle(Handle&& other) noexcept
      : gpu_(std::move(other.gpu_)), handle_(std::exchange(other.handle_, T{VK_NULL_HANDLE})) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(gpu_, other.gpu_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (handle_ != VK_NULL_HANDLE) (gpu_->vk.*Destroy)(gpu_->device(), handle_, nullptr);
  }

  T get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != VK_NULL_HANDLE; }

 private:
  std::shared_ptr<const Gpu> gpu_;
  T handle_ = VK_NULL_HANDLE;
};

using CommandPool = Handle<VkCommandPool, &VolkDeviceTable::vkDestroyCommandPool>;
using DescriptorPool = Handle<VkDescriptorPool, &VolkDeviceTable::vkDestroyDescriptorPool>;
using DescriptorSetLayout = Handle<VkDescriptorSetLayout, &VolkDeviceTable::vkDestroyDescriptorSetLayout>;
using PipelineLayout = Handle<VkPipelineLayout, &VolkDeviceTable::vkDestroyPipelineLayout>;
using Pipeline = Handle<VkPipeline, &VolkDeviceTable::vkDestroyPipeline>;
using PipelineCacheHandle = Handle<VkPipelineCache, &VolkDeviceTable::vkDestroyPipelineCache>;
using ShaderModule = Handle<VkShaderModule, &VolkDeviceTable::vkDestroyShaderModule>;
using ImageView = Handle<VkImageView, &VolkDeviceTable::vkDestroyImageView>;
using SamplerHandle = Handle<VkSampler, &VolkDeviceTable::vkDestroySampler>;
using QueryPool = Handle<VkQueryPool, &VolkDeviceTable::vkDestroyQueryPool>;
using Semaphore = Handle<VkSemaphore, &VolkDeviceTable::vkDestroySemaphore>;

}  // namespace vd::vulkan
