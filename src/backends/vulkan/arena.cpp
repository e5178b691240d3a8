#include "backends/vulkan/arena.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace vd::vulkan {
namespace {

constexpr uint64_t kBlockSize = 64 * 1024;
constexpr uint32_t kSetsPerPool = 64;
constexpr uint32_t kDescriptorsPerSet = 8;  // on average; a pool that runs out is followed by another

}  // namespace

backends::Range Arena::take(Blocks& blocks, Placement placement, uint64_t size, uint64_t align, const char* label) {
  for (;; ++blocks.next) {
    if (blocks.next == blocks.all.size()) {
      const uint64_t bytes = std::max<uint64_t>(kBlockSize, size);
      blocks.all.push_back({std::make_unique<Memory>(gpu_, bytes, placement, label), 0});
    }
    Block& block = blocks.all[blocks.next];
    const uint64_t offset = (block.used + align - 1) / align * align;
    if (offset + size > block.memory->size()) continue;
    block.used = offset + size;
    return {block.memory.get(), offset, size};
  }
}

void Arena::reset(Blocks& blocks) {
  for (Block& block : blocks.all) block.used = 0;
  blocks.next = 0;
}

UniformSlice Arena::put_values(const void* values, uint32_t size) {
  const uint64_t align = std::max<uint64_t>(gpu_->info().uniform_buffer_alignment, 16);
  const backends::Range range = take(values_, Placement::Upload, size, align, "values");
  auto& memory = static_cast<Memory&>(*range.memory);
  std::memcpy(memory.data() + range.offset, values, size);
  return {memory.buffer(), range.offset};
}

backends::Range Arena::take_counts() {
  const uint64_t align = std::max<uint64_t>(gpu_->info().storage_buffer_alignment, 16);
  return take(counts_, Placement::Device, sizeof(VkDispatchIndirectCommand), align, "counts of workgroups");
}

DescriptorPool Arena::make_pool(const Layout& layout) const {
  const auto room = [&](BindingKind kind, uint32_t of_set) {
    return std::max(kSetsPerPool * of_set, layout.key.count(kind));
  };
  const std::array<VkDescriptorPoolSize, 6> sizes{
      {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, room(BindingKind::Buffer, kDescriptorsPerSet)},
       {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, room(BindingKind::SampledImage, 1)},
       {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, room(BindingKind::StorageImage, 1)},
       {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, room(BindingKind::Texture, 1)},
       {VK_DESCRIPTOR_TYPE_SAMPLER, room(BindingKind::Sampler, 1)},
       {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kSetsPerPool + room(BindingKind::UniformBuffer, 1)}}};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = kSetsPerPool;
  info.poolSizeCount = static_cast<uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  gpu_->check(gpu_->vk.vkCreateDescriptorPool(gpu_->device(), &info, nullptr, &pool), "vkCreateDescriptorPool",
              "{} sets", kSetsPerPool);
  return {gpu_, pool};
}

VkDescriptorSet Arena::allocate_set(const Layout& layout) {
  const VkDescriptorSetLayout set_layout = layout.set.get();
  for (;; ++pool_) {
    const bool fresh = pool_ == pools_.size();
    if (fresh) pools_.push_back(make_pool(layout));
    VkDescriptorSetAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    info.descriptorPool = pools_[pool_].get();
    info.descriptorSetCount = 1;
    info.pSetLayouts = &set_layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    const VkResult result = gpu_->vk.vkAllocateDescriptorSets(gpu_->device(), &info, &set);
    if (result == VK_SUCCESS) return set;
    const bool full = result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
    if (!full || fresh)
      gpu_->check(result, "vkAllocateDescriptorSets", "a set of {} descriptors", layout.key.binding_count());
  }
}

VkBuffer Arena::make_scratch(uint64_t size) {
  scratch_.push_back(std::make_unique<Memory>(gpu_, size, Placement::Device, "texels on their way"));
  return scratch_.back()->buffer();
}

void Arena::reset() {
  scratch_.clear();
  reset(values_);
  reset(counts_);
  for (size_t i = 0; i < pools_.size() && i <= pool_; ++i)
    gpu_->check(gpu_->vk.vkResetDescriptorPool(gpu_->device(), pools_[i].get(), 0), "vkResetDescriptorPool", "{} sets",
                kSetsPerPool);
  pool_ = 0;
}

}  // namespace vd::vulkan
