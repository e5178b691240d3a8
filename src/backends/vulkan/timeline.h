// The progress of a queue: its timeline semaphore, and marks, which the device itself makes at the end of a submission.
// The NVIDIA driver sometimes moves the semaphore's counter on 30 us after the work is done, and wakes a thread that
// blocks on it 20 to 400 us after; a mark is visible at once.
//
// Two meanings of done follow. By a mark, the work and all memory effects are done: the host may read results and reuse
// staging memory. By the semaphore, the driver is done with the submission too: only then may command buffers be reset
// and objects be destroyed.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "backends/vulkan/gpu.h"
#include "backends/vulkan/mark_trials.h"
#include "backends/vulkan/marks.h"
#include "backends/vulkan/spin_budget.h"

namespace vd::vulkan {

class Timeline {
 public:
  using Clock = std::chrono::steady_clock;

  // `family` is the family of the queue.
  Timeline(std::shared_ptr<const Gpu> gpu, uint32_t family, const std::string& label);

  VkSemaphore semaphore() const noexcept { return semaphore_.get(); }
  // Null for devices whose work is done by the host's own processors, which would spend their time on marks.
  Marks* marks() const noexcept { return marks_.get(); }
  // A number for a mark at the end of a submission of that value, if it can have one. For one thread at a time.
  std::optional<uint32_t> take_mark(uint64_t value);
  // Whether a graph gets one, which submits it now.
  bool wants_mark(uint32_t graph, uint64_t value) { return trials_.wants_mark(graph, value, Clock::now()); }

  // The highest value whose submission the driver is done with.
  uint64_t released();
  // The same, from the last question, without asking the driver.
  uint64_t known_released() const noexcept { return released_.load(std::memory_order_acquire); }
  // The highest value whose work is known to be done: by the marks, or by the last look at the semaphore.
  uint64_t last_seen() noexcept;
  // The same, the driver asked too.
  uint64_t last_done() { return std::max(released(), last_seen()); }
  // Whether the work up to a value is done.
  bool seen(uint64_t value) noexcept { return last_seen() >= value; }
  bool done(uint64_t value) { return seen(value) || released() >= value; }

  // Wait until the work up to a value is done. False if it was not by the deadline, or within 100 ms: then the caller
  // looks whether anything failed, and waits again. `start` is when the whole wait began: at first the thread spins,
  // then it looks again and again after short sleeps, at last it blocks. Where the host's own processors do the work it
  // spins only as far as `spin_budget_` allows, and then blocks.
  bool wait(uint64_t value, Clock::time_point start, Clock::time_point deadline);
  // Wait until the driver is done with the submission of a value; the same result.
  bool wait_released(uint64_t value, Clock::time_point deadline);
  // Move it on from the host, for work that will never be done.
  void signal(uint64_t value) noexcept;

 private:
  bool wait_for_host(uint64_t value, Clock::time_point start, Clock::time_point deadline);
  bool spin(uint64_t value, Clock::time_point end);
  bool doze(uint64_t value, Clock::time_point start, Clock::time_point end);

  std::shared_ptr<const Gpu> gpu_;
  Semaphore semaphore_;
  std::unique_ptr<Marks> marks_;
  std::atomic<bool> quick_{true};  // the last wait was over soon
  std::atomic<uint64_t> released_{0};
  std::atomic<uint64_t> seen_{0};    // by the marks
  std::atomic<uint64_t> marked_{0};  // the last value that has a mark
  MarkTrials trials_;
  SpinBudget spin_budget_;
  std::mutex host_spin_mutex_;  // of the one thread that spins for the host's processors
};

}  // namespace vd::vulkan
