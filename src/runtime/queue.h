// A queue of a context: a backend's queue, and the runtime's knowledge of the order of its work.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "backends/backend.h"

namespace vd::runtime {

struct Queue {
  Queue(backends::Queue& backend, uint32_t index, uint32_t device) : backend(backend), index(index), device(device) {}

  backends::Queue& backend;
  const uint32_t index;                 // over all devices
  const uint32_t device;                // in the context
  std::atomic<uint64_t> last_value{0};  // of the latest submitted work
  std::atomic<uint64_t> last_other{0};  // of the latest that is more than a write from host memory

  std::atomic<uint64_t> done{0};  // all work up to it is known to be done

  // As the backend's, and throws the failure of that work, or one of earlier work that was not told yet.
  bool wait(uint64_t value, uint64_t timeout_ns) {
    if (!backend.wait(value, timeout_ns)) return false;
    backend.failures.report(value, true);
    return true;
  }
  // The same by a caller that waits for no work in particular: only what was not told yet.
  bool wait_idle(uint64_t last, uint64_t timeout_ns) {
    if (!backend.wait(last, timeout_ns)) return false;
    backend.failures.report(last, false);
    return true;
  }
  // Behind the work up to `last`.
  void read(const backends::Range& source, void* data, uint64_t last) {
    backend.read(source, data);
    backend.failures.report(last, false);
  }

  void note_done(uint64_t value) noexcept {
    uint64_t known = done.load(std::memory_order_relaxed);
    while (known < value && !done.compare_exchange_weak(known, value, std::memory_order_acq_rel)) {
    }
  }

  // Under the context's order lock.
  uint64_t epoch = 1;             // work since the last barrier has this number
  std::vector<uint64_t> waited;   // for each queue the value that this one already waits for
  backends::CommandList scratch;  // kept, so that a launch allocates nothing
};

// A queue that is held up: its work behind a value waits. None if it is null.
struct HeldQueue {
  const Queue* queue = nullptr;
  uint64_t behind = 0;
};

}  // namespace vd::runtime
