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

  std::atomic<uint64_t> done{0};  // all work up to it is known to be done

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

}  // namespace vd::runtime
