// The progress of a queue's stream. A mark in the stream writes its value to a word of pinned host memory, which a
// thread that waits reads without asking the driver; if a stream cannot do that, events take the place of marks.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/cuda/memory.h"

namespace vd::cuda {

class Timeline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Timeline(std::shared_ptr<const Gpu> gpu);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;
  ~Timeline();

  // Marks the end of all work in the stream. The context is current; one thread at a time.
  void mark(CUstream stream, uint64_t value);
  // The last value that was marked.
  uint64_t marked() const noexcept { return marked_.load(std::memory_order_acquire); }
  // The highest mark that the stream has passed.
  uint64_t reached();
  // Wait for a marked value; false if the time ran out. Throws the stream's failure.
  bool wait(CUstream stream, uint64_t value, Clock::time_point deadline);

 private:
  uint64_t reached_by_events();
  CUevent take_event();

  std::shared_ptr<const Gpu> gpu_;
  HostMemory word_;
  const bool writes_;
  std::atomic<uint64_t> marked_{0};

  std::mutex mutex_;  // of the events
  std::deque<std::pair<uint64_t, CUevent>> events_;
  std::vector<CUevent> spare_;
  uint64_t passed_ = 0;
};

}  // namespace vd::cuda
