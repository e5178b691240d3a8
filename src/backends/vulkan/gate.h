// Lets the host hold up a queue: a timeline semaphore that the queue waits for and the host moves on.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "backends/vulkan/gpu.h"

namespace vd::vulkan {

class Gate {
 public:
  Gate(std::shared_ptr<const Gpu> gpu, const std::string& label);

  VkSemaphore semaphore() const noexcept { return semaphore_.get(); }
  // The value that the queue's next work waits for.
  uint64_t close();
  // Lets the work that waits for a value run, as soon as all earlier values have been opened too.
  void open(uint64_t value) noexcept;
  // Lets all work run that waits or will wait. Called when the process ends.
  void stay_open() noexcept;

 private:
  const std::shared_ptr<const Gpu> gpu_;
  Semaphore semaphore_;
  std::mutex mutex_;
  uint64_t closed_ = 0, opened_ = 0;
  std::set<uint64_t> still_closed_;
};

}  // namespace vd::vulkan
