// Copies of a queue from the device's memory to the host's that go to queues which only copy (Gpu::copy_queues): a GPU has
// engines for them, which work beside kernels and beside copies to the device, while the copies of all queues that run kernels
// take turns on one engine. One such engine has about half the bus's rate on an H100, so each copies a part.
//
// A queue stays in order: such a copy waits for the queue's timeline to reach the value before its own, and sets its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/vulkan/timeline.h"
#include "backends/vulkan/work.h"

namespace vd::vulkan {

class Copies {
 public:
  Copies(std::shared_ptr<const Gpu> gpu, std::string label, Timeline& timeline);

  // Whether a task is one large copy from the device to the host.
  static bool is_one(const Task& task, const CommandView& view) noexcept;
  // Commands that copy the part of a queue, once, to be submitted with the value that the timeline reaches then.
  VkCommandBuffer record(const backends::Command& copy, size_t queue, uint64_t value);
  // Set by the queues before the last one, to the value; the last one waits for them.
  VkSemaphore parts() const noexcept { return parts_.get(); }

 private:
  struct Slot {
    CommandPool pool;
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    uint64_t value = 0;  // after which it may be used again
  };
  Slot& free_slot();

  const std::shared_ptr<const Gpu> gpu_;
  const std::string label_;
  Timeline& timeline_;
  Semaphore parts_;
  std::vector<Slot> slots_;
  size_t next_ = 0;  // the oldest
};

}  // namespace vd::vulkan
