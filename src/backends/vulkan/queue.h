// A queue. Work that it is given goes on an open list; a thread of its own takes whatever is there as soon as its last
// vkQueueSubmit has returned, encodes it and submits it, so that calls that come quickly are batched by themselves,
// with no timer. A thread that waits for work which is still on the list, or gives work to an idle device, submits it
// itself instead of waiting for the other one to wake up.
//
// Locks: open_mutex_ guards the list and is held for a few copies only, never through a call of Vulkan or of the log,
// so a caller that must not wait can give work. submit_mutex_ is held by the one thread that encodes and submits; it
// may take open_mutex_, never the other way round.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "backends/vulkan/staging.h"
#include "backends/vulkan/timeline.h"
#include "backends/vulkan/work.h"

namespace vd::vulkan {

class Queue final : public backends::Queue {
 public:
  // Queue `index` of a family; `number` stands in names.
  Queue(std::shared_ptr<const Gpu> gpu, uint32_t family, uint32_t index, uint32_t number);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  // Submits what is left and waits for it: the device must be done with what the queue owns.
  ~Queue() override;

  uint64_t submit(const backends::CommandList& list) override;
  uint64_t submit(backends::Executable& executable, uint32_t repeat) override;
  uint64_t write(const backends::Range& destination, const void* data) override;
  void read(const backends::Range& source, void* data) override;
  bool would_block() override;
  void flush() override;
  uint64_t completed() override;
  bool wait(uint64_t value, uint64_t timeout_ns) override;
  void wait_for(backends::Queue& other, uint64_t value) override;

  VkQueue handle() const noexcept { return queue_; }

 private:
  // A command buffer of the ring, with what it uses.
  struct Slot {
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
    bool partial = false;  // that task goes on in the next batch
    bool closed = false;
    bool empty = true;
  };

  uint64_t append(Task task);
  void given(uint64_t value) noexcept;
  bool full_locked() const noexcept;
  std::unique_lock<std::mutex> lock_with_room();
  void announce(std::unique_lock<std::mutex> lock);
  uint64_t last_value();
  bool idle();
  void settle();
  void require_ok();
  void tell_layer();
  void set_failure(std::exception_ptr failure) noexcept;

  void run() noexcept;        // of the submitter thread
  bool sleep();               // false: time to end
  void pump(uint64_t until);  // submit until that value, or all there is
  void pump_locked(uint64_t until);
  bool pump_one();  // one batch; false if there is nothing
  bool take();      // refill `taken_`; false if there is nothing
  void submit_batch();
  void add(Batch& batch, Task& task);
  void add_run(Batch& batch, Task& task);
  Encoder& open_encoder(Batch& batch);
  void close_encoder(Batch& batch);
  bool wants_mark(const Batch& batch) const noexcept;
  void add_mark(Batch& batch);
  bool is_free(const Slot& slot);
  size_t free_slot();
  void prepare_slot();
  void queue_submit(Batch& batch);

  StagingRing::Piece take_piece(StagingRing& ring, uint64_t size);

  const std::shared_ptr<const Gpu> gpu_;
  const uint32_t family_;
  const std::string label_;
  VkQueue queue_ = VK_NULL_HANDLE;
  Timeline timeline_;
  StagingRing upload_;
  StagingRing readback_;

  std::mutex open_mutex_;
  std::condition_variable wake_;
  Work open_;
  uint64_t last_value_ = 0;
  std::vector<std::pair<Queue*, uint64_t>> foreign_;  // waits that may not be over yet
  bool settled_ = false;  // the host wrote in place, which orders all earlier work before all later work
  bool sleeping_ = false;
  bool stopping_ = false;
  std::atomic<bool> has_open_{false};

  std::mutex submit_mutex_;
  Work taken_;
  size_t cursor_ = 0;  // first task of `taken_` that was not submitted
  Hazards hazards_;
  Encoder encoder_;
  std::vector<Slot> slots_;
  size_t next_slot_ = 0;
  std::optional<size_t> ready_slot_;  // taken for the next list
  Batch batch_;
  std::vector<VkSemaphore> wait_semaphores_;
  std::vector<uint64_t> wait_values_;
  std::vector<VkPipelineStageFlags> wait_stages_;
  std::atomic<uint64_t> submitted_{0};
  std::atomic<uint64_t> wanted_{0};  // the latest value that a thread waits or waited for

  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace vd::vulkan
