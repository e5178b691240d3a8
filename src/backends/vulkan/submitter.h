// The part of a queue that encodes work and submits it, in batches. One thread at a time.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/vulkan/timeline.h"
#include "backends/vulkan/work.h"

namespace vd::vulkan {

// Requests of other threads for later submissions.
struct Demand {
  std::atomic<bool> has_open{false};  // there is work that was not taken yet
  std::atomic<uint64_t> wanted{0};    // the latest value that a thread waits or waited for

  // A thread waits for a value; another may wait for a later one already.
  void want(uint64_t value) noexcept {
    uint64_t latest = wanted.load(std::memory_order_relaxed);
    while (latest < value && !wanted.compare_exchange_weak(latest, value, std::memory_order_relaxed)) {
    }
  }
};

class Submitter {
 public:
  // For queue `index` of a family, which moves `timeline` on.
  Submitter(std::shared_ptr<const Gpu> gpu, uint32_t family, uint32_t index, std::string label, Timeline& timeline,
            const Demand& demand);

  // Whether all of the work is submitted.
  bool empty() const noexcept { return cursor_ == taken_.tasks.size(); }
  // The list for the next work, once all is submitted.
  Work& refill();
  // Drops the remaining work, which gives back the values of semaphores that it claimed.
  void drop(const std::exception_ptr& failure) noexcept;
  // Submits some of the work, which may be in several submissions.
  void submit_batch();
  // The last value of the timeline that was submitted to the device. From any thread.
  uint64_t submitted() const noexcept { return submitted_.load(std::memory_order_acquire); }
  VkResult wait_idle() const noexcept;
  uint32_t family() const noexcept { return family_; }
  VkQueue handle() const noexcept { return queue_; }

 private:
  // A command buffer of the ring, with its resources.
  struct CommandSlot {
    CommandPool pool;
    VkCommandBuffer buffer = VK_NULL_HANDLE;
    std::unique_ptr<Arena> arena;
    uint64_t value = 0;  // after which it may be used again
  };
  // One vkQueueSubmit in the making.
  struct Batch {
    std::vector<VkCommandBuffer> buffers;
    std::vector<size_t> slots;
    size_t commands = 0;
    uint64_t value = 0;    // of the last task in it
    uint32_t graph = 0;    // the number of the last one in it, if there is one
    bool partial = false;  // the task continues in the next batch
    bool closed = false;
    bool empty = true;
  };

  void add(Batch& batch, Task& task);
  void add_run(Batch& batch, Task& task);
  Encoder& open_encoder(Batch& batch);
  void close_encoder(Batch& batch);
  bool wants_mark(const Batch& batch) const noexcept;
  void add_mark(Batch& batch);
  bool is_free(const CommandSlot& slot);
  size_t free_slot();
  void prepare_slot();
  void queue_submit(Batch& batch);

  const std::shared_ptr<const Gpu> gpu_;
  const uint32_t family_;
  const std::string label_;
  Timeline& timeline_;
  const Demand& demand_;
  VkQueue queue_ = VK_NULL_HANDLE;
  Work taken_;
  size_t cursor_ = 0;  // first task of `taken_` that was not submitted, or is in no batch yet
  size_t given_ = 0;   // first task of `taken_` that the driver was not given
  Hazards hazards_;
  Encoder encoder_;
  std::vector<CommandSlot> slots_;
  size_t next_slot_ = 0;
  std::optional<size_t> ready_slot_;  // taken for the next list
  Batch batch_;
  std::vector<SharedUse> waiting_;  // by wait_semaphores_, of work that was taken before this one
  std::vector<VkSemaphore> wait_semaphores_;
  std::vector<uint64_t> wait_values_;
  std::vector<VkPipelineStageFlags> wait_stages_;
  std::vector<VkSemaphore> signal_semaphores_;
  std::vector<uint64_t> signal_values_;
  std::atomic<uint64_t> submitted_{0};
};

}  // namespace vd::vulkan
