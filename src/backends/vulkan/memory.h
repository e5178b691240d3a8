// Buffers: one VkBuffer each, suballocated by VMA.
#pragma once

#include <memory>
#include <string>

#include "backends/backend.h"
#include "backends/vulkan/gpu.h"

namespace vd::vulkan {

enum class Placement {
  Device,    // for kernels: device memory, mapped where host and device share one memory
  Host,      // for kernels and the host: host memory that the host reads quickly
  Upload,    // staging towards the device
  Readback,  // staging from the device; cached by the host
};

class Memory final : public backends::Memory {
 public:
  // Throws VD_ERR_OUT_OF_MEMORY with the size.
  Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, Placement placement, const std::string& label);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() override;

  uint64_t size() const override { return size_; }
  void* host_pointer() override { return mapped_; }
  bool native(const char* kind, uint64_t& out) const override;

  VkBuffer buffer() const noexcept { return buffer_; }
  std::byte* data() const noexcept { return static_cast<std::byte*>(mapped_); }
  // The host may look at it between submissions, so the device's writes must be made visible to the host.
  bool mapped() const noexcept { return mapped_ != nullptr; }

 private:
  std::shared_ptr<const Gpu> gpu_;
  uint64_t size_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VmaAllocation allocation_ = VK_NULL_HANDLE;
  void* mapped_ = nullptr;
};

}  // namespace vd::vulkan
