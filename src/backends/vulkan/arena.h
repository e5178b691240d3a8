// Memory and descriptors that a command buffer needs: uniform blocks for values that are too large for push constants,
// counts of dispatches, and descriptor sets where the device cannot push descriptors. Both are taken from blocks that are kept, and given
// back all at once.
#pragma once

#include <memory>
#include <vector>

#include "backends/vulkan/layout.h"
#include "backends/vulkan/memory.h"

namespace vd::vulkan {

// A piece of a uniform buffer with values in it.
struct UniformSlice {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
};

class Arena {
 public:
  explicit Arena(std::shared_ptr<const Gpu> gpu) : gpu_(std::move(gpu)) {}

  UniformSlice put_values(const void* values, uint32_t size);
  // Device memory for the counts of a dispatch.
  backends::Range take_counts();
  VkDescriptorSet allocate_set(const Layout& layout);
  VkBuffer make_scratch(uint64_t size);
  // Everything taken so far is free again; the device must be done with it.
  void reset();

 private:
  struct Block {
    std::unique_ptr<Memory> memory;
    uint64_t used = 0;
  };
  struct Blocks {
    std::vector<Block> all;
    size_t next = 0;  // the block in use
  };
  backends::Range take(Blocks& blocks, Placement placement, uint64_t size, uint64_t align, const char* label);
  static void reset(Blocks& blocks);
  DescriptorPool make_pool(const Layout& layout) const;  // an empty one has room for a set of it

  std::shared_ptr<const Gpu> gpu_;
  Blocks values_, counts_;
  std::vector<std::unique_ptr<Memory>> scratch_;
  std::vector<DescriptorPool> pools_;
  size_t pool_ = 0;
};

}  // namespace vd::vulkan
