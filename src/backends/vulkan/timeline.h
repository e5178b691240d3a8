// A queue's timeline semaphore.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "backends/vulkan/gpu.h"

namespace vd::vulkan {

class Timeline {
 public:
  Timeline(std::shared_ptr<const Gpu> gpu, const std::string& label);

  VkSemaphore semaphore() const noexcept { return semaphore_.get(); }
  // The highest value reached so far.
  uint64_t reached();
  // The same, from the last question, without asking the driver.
  uint64_t known() const noexcept { return known_.load(std::memory_order_acquire); }
  // Wait until the value is reached. False if it was not by the deadline, or within 100 ms: then the caller looks
  // whether anything failed, and waits again. Spins first: a blocking wait alone takes some 30 us longer than a tiny
  // kernel.
  bool wait(uint64_t value, std::chrono::steady_clock::time_point deadline);
  // Move it on from the host, for work that will never be done.
  void signal(uint64_t value) noexcept;

 private:
  void learn(uint64_t value) noexcept;

  std::shared_ptr<const Gpu> gpu_;
  Semaphore semaphore_;
  std::atomic<uint64_t> known_{0};
};

}  // namespace vd::vulkan
