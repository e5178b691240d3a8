// Buffers: one VkBuffer each, suballocated by VMA.
#pragma once

#include <memory>
#include <string>

#include "backends/backend.h"
#include "backends/host_pages.h"
#include "backends/vulkan/gpu.h"

namespace vd::vulkan {

enum class Placement {
  Device,    // for kernels: device memory, mapped where host and device share one memory
  Host,      // for kernels and the host: host memory that the host reads quickly
  Upload,    // staging towards the device
  Readback,  // staging from the device; cached by the host
};

constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

using BufferHandle = Handle<VkBuffer, &VolkDeviceTable::vkDestroyBuffer>;
using MemoryHandle = Handle<VkDeviceMemory, &VolkDeviceTable::vkFreeMemory>;

// A buffer and memory of its own, which does not come from the allocator.
struct BufferMemory {
  MemoryHandle memory;
  BufferHandle buffer;  // goes first
};

class Memory final : public backends::Memory {
 public:
  // Throws VD_ERR_OUT_OF_MEMORY with the size.
  Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, Placement placement, const std::string& label);
  // Over memory of the program's, pages of which the device pins.
  Memory(std::shared_ptr<const Gpu> gpu, const backends::HostPages& pages, const std::string& label);
  // Device memory of its own that can be exported by a file descriptor.
  static std::unique_ptr<Memory> exportable(std::shared_ptr<const Gpu> gpu, uint64_t size, const std::string& label);
  // Over memory behind a file descriptor, which is taken.
  static std::unique_ptr<Memory> from_fd(std::shared_ptr<const Gpu> gpu, const backends::ExternalMemory& memory);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() override;

  uint64_t size() const override { return size_; }
  uint64_t front() const override { return front_; }
  void* host_pointer() override { return mapped_; }
  bool native(const char* kind, uint64_t& out) const override;
  backends::ExportedMemory export_memory() const override;

  // On a device with buffer addresses.
  uint64_t address() const noexcept;
  VkBuffer buffer() const noexcept { return buffer_; }
  std::byte* data() const noexcept { return static_cast<std::byte*>(mapped_); }
  // The host may look at it between submissions, so the device's writes must be made visible to the host.
  bool mapped() const noexcept { return mapped_ != nullptr; }

 private:
  // A buffer for memory that other APIs have or get by handles of a kind.
  Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, VkExternalMemoryHandleTypeFlagBits kind,
         const std::string& what);
  void bind_own(const std::string& what);

  std::shared_ptr<const Gpu> gpu_;
  uint64_t size_;
  uint64_t exported_size_ = 0;  // all of its memory, where it can be exported
  VkBuffer buffer_ = VK_NULL_HANDLE;
  uint64_t front_ = 0;
  VmaAllocation allocation_ = VK_NULL_HANDLE;
  BufferMemory own_;  // instead of the allocation
  void* mapped_ = nullptr;
};

}  // namespace vd::vulkan
