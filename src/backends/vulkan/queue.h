// A queue. Submitted work goes on an open list; a thread of its own takes the list as soon as its last vkQueueSubmit
// has returned, encodes it and submits it, so that calls that come quickly are batched by themselves, with no timer. A
// thread that waits for work which is still on the list, or submits work to an idle device, submits it itself instead
// of waiting for the other one to wake up.
//
// Locks: open_mutex_ guards the list and is held for a few copies only, never through a call of Vulkan or of the log,
// so a caller that must not wait can submit work. submit_mutex_ is held by the one thread that encodes and submits; it
// may take open_mutex_, never the other way round.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "backends/semaphore_watch.h"
#include "backends/staging.h"
#include "backends/vulkan/gate.h"
#include "backends/vulkan/submitter.h"
#include "backends/vulkan/timeline.h"
#include "backends/vulkan/work.h"
#include "core/thread_pool.h"

namespace vd::vulkan {

class Queue final : public backends::Queue {
 public:
  // Queue `index` of a family; `number` is used in names. `copiers` copies large transfers to and from the host's memory.
  Queue(std::shared_ptr<const Gpu> gpu, uint32_t family, uint32_t index, uint32_t number, ThreadPool& copiers);
  // All queues of the device, in a list that outlives them.
  void meet(const std::vector<std::unique_ptr<Queue>>& queues) noexcept { queues_ = &queues; }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  // Submits the rest and waits for it: the device must be done with the queue's memory.
  ~Queue() override;

  uint64_t submit(const backends::CommandList& list) override;
  uint64_t submit(backends::Executable& executable, uint32_t repeat) override;
  bool has_clock() const override { return DeviceClock::is_usable(*gpu_, submitter_.family()); }
  // Mesa's lavapipe waits for all of the device's work before it gives the results of queries.
  bool reads_times_at_once() const override {
    return gpu_->physical.properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
  }
  uint64_t submit_timed(const backends::CommandList& list, std::unique_ptr<backends::Timing>& timing) override;
  std::unique_ptr<backends::Upload> stage(const backends::Range& destination, const void* data) override;
  bool takes_at_once(uint64_t size) override;
  std::optional<uint64_t> write_in_place(const backends::Range& destination, const void* data) override;
  void read(const backends::Range& source, void* data) override;
  bool would_block() override;
  void wait_for_room() override;
  void flush() override;
  uint64_t completed() override;
  bool wait(uint64_t value, uint64_t timeout_ns) override;
  bool reached(uint64_t value) override;
  bool wakes_waiters() const override { return !gpu_->spins; }
  void wait_for(backends::Queue& other, uint64_t value) override;
  uint64_t wait_for(const backends::SemaphoreUse& use) override;
  uint64_t signal(const backends::SemaphoreUse& use) override;
  std::function<void()> hold() override;
  void let_go() noexcept override;

  std::optional<uint64_t> prepare(backends::Image& image) override;
  VkQueue handle() const noexcept { return submitter_.handle(); }
  bool native(const char* kind, uint64_t& out) const override;
  uint32_t family() const override { return submitter_.family(); }

 private:
  using StagingRing = backends::StagingRing<Memory>;

  uint64_t append(Task task);
  uint64_t append(const backends::CommandList& list, Queries queries);
  template <class Note>
  uint64_t append(Task::Kind kind, const backends::SemaphoreUse& use, Note&& note);
  void given(uint64_t value) noexcept;
  bool full_locked() const noexcept;
  std::unique_lock<std::mutex> lock_with_room();
  uint64_t last_value();
  void announce(std::unique_lock<std::mutex> lock);
  bool idle();
  void wait_all();
  void require_ok();
  void tell_layer();
  void set_failure(const std::exception_ptr& failure) noexcept;

  void run() noexcept;        // of the submitter thread
  bool sleep();               // false: time to end
  void pump(uint64_t until);  // submit until that value, or all there is
  void pump_locked(uint64_t until);
  void leave_rest();
  bool pump_one();  // one batch; false if there is nothing
  bool take();      // refill `taken_`; false if there is nothing

  StagingRing::Piece take(StagingRing& ring, uint64_t size);
  uint64_t upload(const StagingRing::Piece& piece, const backends::Range& destination, bool wait_before);

  const std::shared_ptr<const Gpu> gpu_;
  const std::string label_;
  ThreadPool& copiers_;
  const std::vector<std::unique_ptr<Queue>>* queues_ = nullptr;
  Timeline timeline_;
  Demand demand_;
  std::shared_ptr<DeviceClock> clock_;  // made when the first work is timed
  StagingRing upload_;
  StagingRing readback_;

  std::mutex open_mutex_;
  std::condition_variable wake_;
  Work open_;
  uint64_t last_value_ = 0;
  std::vector<std::pair<Queue*, uint64_t>> foreign_;  // waits that may not be over yet
  std::shared_ptr<Gate> gate_;                        // made when it is needed
  bool settled_ = false;  // the host wrote in place, which orders all earlier work before all later work
  bool sleeping_ = false;
  std::atomic<bool> left_over_{false};  // work that another thread took off the list and did not submit; set under the
                                        // lock
  bool stopping_ = false;

  std::mutex submit_mutex_;
  Submitter submitter_;

  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> stopped_{false};  // failed, and the device is done with all that was submitted before

  backends::SemaphoreWaits semaphores_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace vd::vulkan
