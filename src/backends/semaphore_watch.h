// Sees to it that no queue waits for a semaphore for ever: one that a queue has waited for alone, for longer than its time, is
// set by the library, so that the device comes to rest. A thread looks after all such waits of the process, while there are any.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "backends/backend.h"

namespace vd::backends {

// A queue's part in that.
class SemaphoreWaits {
 public:
  // done() is the last value of the queue that is done, or throws. It is called on another thread, until this is gone.
  explicit SemaphoreWaits(std::function<uint64_t()> done) : state_(std::make_shared<State>(std::move(done))) {}
  SemaphoreWaits(const SemaphoreWaits&) = delete;
  SemaphoreWaits& operator=(const SemaphoreWaits&) = delete;
  ~SemaphoreWaits();

  // The queue has been given a use between two values of its timeline, and keeps the semaphore until the second is done.
  void add_wait(const SemaphoreUse& use, uint64_t before, uint64_t after) { add(use, before, after, true); }
  void add_signal(const SemaphoreUse& use, uint64_t after) { add(use, after, after, false); }
  // A wait that the queue is about to be given. Nothing ends it before begin_wait(), which or take_back() follows.
  void note_wait(const SemaphoreUse& use, uint64_t before, uint64_t after) { add(use, before, after, false); }
  void begin_wait() noexcept;
  // The queue was not given the last use after all.
  void take_back() noexcept;
  // Throws VD_ERR_STATE if a wait up to that value was ended by the library.
  void require_none_ended(uint64_t value = UINT64_MAX) const;

 private:
  friend class SemaphoreWatch;
  struct State {
    explicit State(std::function<uint64_t()> done_value) : done(std::move(done_value)) {}
    const std::function<uint64_t()> done;
    std::atomic<bool> ended{false};
    std::mutex mutex;  // of the next two
    uint64_t value = 0;
    std::string why;
  };
  void add(const SemaphoreUse& use, uint64_t before, uint64_t after, bool waits);

  const std::shared_ptr<State> state_;
};

}  // namespace vd::backends
