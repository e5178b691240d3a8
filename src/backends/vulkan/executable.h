// A list recorded into one command buffer, to be submitted again and again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/vulkan/encoder.h"

namespace vd::vulkan {

class Executable final : public backends::Executable {
 public:
  Executable(std::shared_ptr<const Gpu> gpu, const backends::CommandList& list);

  // Its own, from 1 on, in the process.
  uint32_t number() const noexcept { return number_; }
  // For a queue of this family; null if there is nothing to do.
  VkCommandBuffer buffer(uint32_t family) const noexcept;
  // Its first barrier waits for work of these kinds, and holds back work of those.
  uint32_t waits_for() const noexcept { return waits_for_; }
  uint32_t first_kinds() const noexcept { return first_kinds_; }
  uint32_t kinds() const noexcept { return kinds_; }
  const std::vector<Image*>& images() const noexcept { return images_; }

 private:
  std::shared_ptr<const Gpu> gpu_;
  const uint32_t number_;
  struct Recording {
    uint32_t family = 0;
    CommandPool pool;
    VkCommandBuffer buffer = VK_NULL_HANDLE;
  };
  Arena arena_;
  std::vector<Image*> images_;
  std::vector<Recording> recordings_;  // one for each family that the device was opened with
  uint32_t waits_for_ = kNoWork;
  uint32_t first_kinds_ = kNoWork;
  uint32_t kinds_ = kNoWork;
};

// A command pool and its one buffer.
CommandPool make_pool(const std::shared_ptr<const Gpu>& gpu, uint32_t family, bool transient);
VkCommandBuffer make_buffer(const Gpu& gpu, const CommandPool& pool, const std::string& label);

}  // namespace vd::vulkan
