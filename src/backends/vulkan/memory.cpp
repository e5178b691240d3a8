#include "backends/vulkan/memory.h"

#include <string_view>

namespace vd::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kCoherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

VmaAllocationCreateInfo allocation_info(const Gpu& gpu, Placement placement) {
  VmaAllocationCreateInfo info{};
  switch (placement) {
    case Placement::Device:
      // Required, not preferred: work that silently runs from host memory over the bus is worse than an error.
      info.requiredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
      if (gpu.map_memory) {
        info.requiredFlags |= kCoherent;
        info.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
      }
      break;
    case Placement::Host:
    case Placement::Readback:
      info.requiredFlags = kCoherent;
      info.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
      break;
    case Placement::Upload:
      info.requiredFlags = kCoherent;
      break;
  }
  if (placement != Placement::Device || gpu.map_memory) info.flags |= VMA_ALLOCATION_CREATE_MAPPED_BIT;
  return info;
}

}  // namespace

Memory::Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, Placement placement, const std::string& label)
    : gpu_(std::move(gpu)), size_(size) {
  gpu_->require_alive();
  if (size > gpu_->info().max_allocation_size)
    fail(VD_ERR_OUT_OF_MEMORY, "a buffer of {} bytes is larger than Vulkan device \"{}\" allows ({}).", size,
         gpu_->info().name, gpu_->info().max_allocation_size);
  VkBufferCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  create.size = size;
  create.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  if (gpu_->physical.features.v12.bufferDeviceAddress != VK_FALSE)
    create.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  create.sharingMode = gpu_->family_indices.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
  create.queueFamilyIndexCount = static_cast<uint32_t>(gpu_->family_indices.size());
  create.pQueueFamilyIndices = gpu_->family_indices.data();
  const VmaAllocationCreateInfo where = allocation_info(*gpu_, placement);
  VmaAllocationInfo got{};
  gpu_->check(vmaCreateBuffer(gpu_->allocator(), &create, &where, &buffer_, &allocation_, &got), "vmaCreateBuffer",
              "{} bytes of {} memory{}{}{} on \"{}\"", size, placement == Placement::Device ? "device" : "host",
              label.empty() ? "" : " for \"", label, label.empty() ? "" : "\"", gpu_->info().name);
  mapped_ = got.pMappedData;
  gpu_->name(buffer_, VK_OBJECT_TYPE_BUFFER, label.empty() ? "buffer" : label);
}

Memory::~Memory() { vmaDestroyBuffer(gpu_->allocator(), buffer_, allocation_); }

bool Memory::native(const char* kind, uint64_t& out) const {
  const std::string_view wanted = kind;
  if (wanted == "VkBuffer") {
    out = reinterpret_cast<uint64_t>(buffer_);
    return true;
  }
  if (wanted == "address" && gpu_->physical.features.v12.bufferDeviceAddress != VK_FALSE) {
    VkBufferDeviceAddressInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    info.buffer = buffer_;
    out = gpu_->vk.vkGetBufferDeviceAddress(gpu_->device(), &info);
    return true;
  }
  return false;
}

}  // namespace vd::vulkan
