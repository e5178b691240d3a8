// How far a queue is: its timeline semaphore, and beside it a word in host memory that the device itself writes at the
// end of a submission. The NVIDIA driver moves the semaphore's counter on up to 30 us after the work is done, and wakes
// a thread that blocks on it up to 400 us after; the word says so at once.
//
// Two meanings of done follow. By the word, the work and all memory effects are done: the host may read results and
// reuse staging memory. By the semaphore, the driver is done with the submission too: only then may command buffers be
// reset and objects be destroyed.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "backends/vulkan/gpu.h"
#include "backends/vulkan/memory.h"

namespace vd::vulkan {

// The value whose lower half the word is. Values rise, and the word is never 2^31 ahead of the last one known.
constexpr uint64_t widen(uint64_t last, uint32_t word) noexcept {
  const auto ahead = static_cast<int32_t>(word - static_cast<uint32_t>(last));
  return ahead > 0 ? last + static_cast<uint32_t>(ahead) : last;
}

class Timeline {
 public:
  using Clock = std::chrono::steady_clock;

  Timeline(std::shared_ptr<const Gpu> gpu, const std::string& label);

  VkSemaphore semaphore() const noexcept { return semaphore_.get(); }
  // Where a submission writes the lower half of its value; null for devices whose work is done by the host's own
  // processors, where nobody spins.
  VkBuffer word() const noexcept { return word_ ? word_->buffer() : VK_NULL_HANDLE; }

  // The highest value whose submission the driver is done with.
  uint64_t released();
  // The same, from the last question, without asking the driver.
  uint64_t known_released() const noexcept { return released_.load(std::memory_order_acquire); }
  // The highest value whose work is done: by the word, and by what is known of the semaphore.
  uint64_t last_seen() noexcept;
  // The same, the driver asked too.
  uint64_t last_done() { return std::max(released(), last_seen()); }
  // Whether the work up to a value is done.
  bool seen(uint64_t value) noexcept { return last_seen() >= value; }
  bool done(uint64_t value) { return seen(value) || released() >= value; }

  // Wait until the work up to a value is done. False if it was not by the deadline, or within 100 ms: then the caller
  // looks whether anything failed, and waits again. `start` is when the whole wait began: at first the thread spins,
  // then it looks again and again after short sleeps, at last it blocks.
  bool wait(uint64_t value, Clock::time_point start, Clock::time_point deadline);
  // Wait until the driver is done with the submission of a value; the same result.
  bool wait_released(uint64_t value, Clock::time_point deadline);
  // Move it on from the host, for work that will never be done.
  void signal(uint64_t value) noexcept;

 private:
  bool spin(uint64_t value, Clock::time_point end);
  bool doze(uint64_t value, Clock::time_point start, Clock::time_point end);

  std::shared_ptr<const Gpu> gpu_;
  Semaphore semaphore_;
  std::unique_ptr<Memory> word_;
  std::atomic<uint64_t> released_{0};
  std::atomic<uint64_t> seen_{0};  // by the word
};

}  // namespace vd::vulkan
