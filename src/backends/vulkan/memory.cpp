#include "backends/vulkan/memory.h"

#include <optional>
#include <string_view>

#include "core/platform.h"

namespace vd::vulkan {
namespace {

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

void check_size(const Gpu& gpu, uint64_t size) {
  gpu.require_alive();
  if (size > gpu.info().max_allocation_size)
    fail(VD_ERR_OUT_OF_MEMORY, "a buffer of {} bytes is larger than Vulkan device \"{}\" allows ({}).", size,
         gpu.info().name, gpu.info().max_allocation_size);
}

VkBufferCreateInfo buffer_info(const Gpu& gpu, uint64_t size) {
  VkBufferCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  create.size = size;
  create.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  if (gpu.physical.features.v12.bufferDeviceAddress != VK_FALSE)
    create.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  create.sharingMode = gpu.family_indices.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
  create.queueFamilyIndexCount = static_cast<uint32_t>(gpu.family_indices.size());
  create.pQueueFamilyIndices = gpu.family_indices.data();
  return create;
}

// The first type of memory in `allowed` with the properties, if possible with the wished ones too; none without.
std::optional<uint32_t> memory_type(const Gpu& gpu, uint32_t allowed, VkMemoryPropertyFlags needed,
                                    VkMemoryPropertyFlags wished) {
  for (const VkMemoryPropertyFlags flags : {needed | wished, needed})
    for (uint32_t i = 0; i < gpu.physical.memory.memoryTypeCount; ++i)
      if ((allowed >> i & 1) != 0 && (gpu.physical.memory.memoryTypes[i].propertyFlags & flags) == flags) return i;
  return {};
}

VkMemoryRequirements requirements(const Gpu& gpu, VkBuffer buffer) {
  VkMemoryRequirements needs{};
  gpu.vk.vkGetBufferMemoryRequirements(gpu.device(), buffer, &needs);
  return needs;
}

std::string host_text(const backends::HostPages& pages) {
  return fmt::format("{} bytes of the host's memory at {:#x}", pages.size, pages.begin);
}

// `how` says in its chain what that memory is.
MemoryHandle allocate(const std::shared_ptr<const Gpu>& gpu, uint64_t size, uint32_t type, const void* how,
                      const std::string& what) {
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.pNext = how;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.pNext = gpu->physical.features.v12.bufferDeviceAddress != VK_FALSE ? &flags : how;
  allocate.allocationSize = size;
  allocate.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  gpu->check(gpu->vk.vkAllocateMemory(gpu->device(), &allocate, nullptr, &memory), "vkAllocateMemory", "{}", what);
  return {gpu, memory};
}

}  // namespace

Memory::Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, VkExternalMemoryHandleTypeFlagBits kind,
               const std::string& what)
    : gpu_(std::move(gpu)), size_(size) {
  check_size(*gpu_, size_);
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kind;
  VkBufferCreateInfo create = buffer_info(*gpu_, size_);
  create.pNext = &external;
  gpu_->check(gpu_->vk.vkCreateBuffer(gpu_->device(), &create, nullptr, &buffer_), "vkCreateBuffer", "{}", what);
  own_.buffer = BufferHandle(gpu_, buffer_);
}

void Memory::bind_own(const std::string& what) {
  gpu_->check(gpu_->vk.vkBindBufferMemory(gpu_->device(), buffer_, own_.memory.get(), 0), "vkBindBufferMemory", "{}",
              what);
}

Memory::Memory(std::shared_ptr<const Gpu> gpu, const backends::HostPages& pages, const std::string& label)
    : Memory(std::move(gpu), pages.size, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, host_text(pages)) {
  front_ = pages.front;
  const std::string what = host_text(pages);
  VkMemoryHostPointerPropertiesEXT host{};
  host.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  const VkResult known = gpu_->vk.vkGetMemoryHostPointerPropertiesEXT(
      gpu_->device(), VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pages.pointer(), &host);
  if (known == VK_ERROR_INVALID_EXTERNAL_HANDLE)
    fail(VD_ERR_INVALID, "desc->handle ({:#x}) is no memory that Vulkan device \"{}\" imports", pages.begin + front_,
         gpu_->info().name);
  gpu_->check(known, "vkGetMemoryHostPointerPropertiesEXT", "{}", what);
  const VkMemoryRequirements needs = requirements(*gpu_, buffer_);
  const auto type =
      memory_type(*gpu_, needs.memoryTypeBits & host.memoryTypeBits, kCoherent, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (!type || needs.size > size_)
    fail(VD_ERR_UNSUPPORTED, "Vulkan device \"{}\" has no buffers over {} that both see without copies",
         gpu_->info().name, what);
  VkImportMemoryHostPointerInfoEXT import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  import.pHostPointer = pages.pointer();
  own_.memory = allocate(gpu_, size_, *type, &import, what);
  bind_own(what);
  mapped_ = pages.pointer();
  gpu_->name(buffer_, VK_OBJECT_TYPE_BUFFER, label.empty() ? "import" : label);
}

std::unique_ptr<Memory> Memory::exportable(std::shared_ptr<const Gpu> gpu, uint64_t size, const std::string& label) {
  if ((gpu->info().features & VD_FEATURE_MEMORY_FD) == 0)
    fail(VD_ERR_UNSUPPORTED, "Vulkan device \"{}\" has no memory by file descriptors (VD_FEATURE_MEMORY_FD)",
         gpu->info().name);
  const std::string what = fmt::format("{} bytes of memory to export", size);
  std::unique_ptr<Memory> made(new Memory(gpu, size, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, what));
  const VkMemoryRequirements needs = requirements(*gpu, made->buffer_);
  const auto type = memory_type(*gpu, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
  if (!type) fail(VD_ERR_UNSUPPORTED, "Vulkan device \"{}\" has no memory of its own to export", gpu->info().name);
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  made->own_.memory = allocate(gpu, needs.size, *type, &exported, what);
  made->bind_own(what);
  made->exported_size_ = needs.size;
  gpu->name(made->buffer_, VK_OBJECT_TYPE_BUFFER, label.empty() ? "buffer" : label);
  return made;
}

std::unique_ptr<Memory> Memory::from_fd(std::shared_ptr<const Gpu> gpu, const backends::ExternalMemory& memory) {
  const std::string what =
      fmt::format("{} bytes of memory behind file descriptor {}", memory.memory_size, memory.handle);
  std::unique_ptr<Memory> made(
      new Memory(gpu, memory.offset + memory.size, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, what));
  made->front_ = memory.offset;
  const VkMemoryRequirements needs = requirements(*gpu, made->buffer_);
  if (needs.size > memory.memory_size)
    fail(VD_ERR_INVALID, "desc->fd->memory_size ({}) is less than a buffer of desc->size ({}) takes ({})",
         memory.memory_size, memory.size, needs.size);
  const auto type = memory_type(*gpu, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
  if (!type) fail(VD_ERR_UNSUPPORTED, "Vulkan device \"{}\" has no memory of its own to import", gpu->info().name);
  VkImportMemoryFdInfoKHR import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  import.fd = platform::copy_descriptor(static_cast<int>(memory.handle));
  if (import.fd < 0) fail(VD_ERR_INVALID, "desc->fd->fd ({}) is no file descriptor", memory.handle);
  try {
    made->own_.memory = allocate(gpu, memory.memory_size, *type, &import, what);
  } catch (const Error& error) {
    platform::close_descriptor(import.fd);  // which the driver takes only where it succeeds
    throw Error(error.status() == VD_ERR_INTERNAL ? VD_ERR_INVALID : error.status(),
                fmt::format("desc->fd->fd ({}) cannot be imported: {}", memory.handle, error.what()));
  }
  made->bind_own(what);
  gpu->name(made->buffer_, VK_OBJECT_TYPE_BUFFER, memory.label.empty() ? "import" : memory.label);
  return made;
}

backends::ExportedMemory Memory::export_memory() const {
  if (exported_size_ == 0) return backends::Memory::export_memory();
  gpu_->require_alive();
  VkMemoryGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  info.memory = own_.memory.get();
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  backends::ExportedMemory exported;
  exported.size = exported_size_;
  gpu_->check(gpu_->vk.vkGetMemoryFdKHR(gpu_->device(), &info, &exported.fd), "vkGetMemoryFdKHR", "{} bytes", size_);
  return exported;
}

Memory::Memory(std::shared_ptr<const Gpu> gpu, uint64_t size, Placement placement, const std::string& label)
    : gpu_(std::move(gpu)), size_(size) {
  check_size(*gpu_, size);
  const VkBufferCreateInfo create = buffer_info(*gpu_, size);
  const VmaAllocationCreateInfo where = allocation_info(*gpu_, placement);
  VmaAllocationInfo got{};
  gpu_->check(vmaCreateBuffer(gpu_->allocator(), &create, &where, &buffer_, &allocation_, &got), "vmaCreateBuffer",
              "{} bytes of {} memory{}{}{} on \"{}\"", size, placement == Placement::Device ? "device" : "host",
              label.empty() ? "" : " for \"", label, label.empty() ? "" : "\"", gpu_->info().name);
  mapped_ = got.pMappedData;
  gpu_->name(buffer_, VK_OBJECT_TYPE_BUFFER, label.empty() ? "buffer" : label);
}

Memory::~Memory() {
  if (!own_.buffer) vmaDestroyBuffer(gpu_->allocator(), buffer_, allocation_);
}

uint64_t Memory::address() const noexcept {
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer_;
  return gpu_->vk.vkGetBufferDeviceAddress(gpu_->device(), &info);
}

bool Memory::native(const char* kind, uint64_t& out) const {
  const std::string_view wanted = kind;
  if (wanted == "VkBuffer") {
    out = reinterpret_cast<uint64_t>(buffer_);
    return true;
  }
  if (wanted == "address" && gpu_->physical.features.v12.bufferDeviceAddress != VK_FALSE) {
    out = address();
    return true;
  }
  return false;
}

}  // namespace vd::vulkan
