// The progress of a queue. OpenCL's queues have no counter, so an event marks a value from time to time: when it is
// complete, everything up to that value is.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "backends/opencl/context.h"

namespace vd::opencl {

class Timeline {
 public:
  Timeline(std::shared_ptr<const Context> context, std::string label)
      : context_(std::move(context)), label_(std::move(label)) {}

  // The event is complete when all work up to `value` is. Values rise.
  void mark(uint64_t value, EventHandle event);
  // All work up to `value` is known to be done.
  void learn(uint64_t value) noexcept;
  // The highest value known to be reached, after a look at the events. Throws if work failed.
  uint64_t reached();
  // The same without a look.
  uint64_t known() const noexcept { return known_.load(std::memory_order_acquire); }
  // The highest value that has a mark.
  uint64_t marked() const;
  // Marks that are not known to be complete.
  size_t open_marks() const noexcept { return open_marks_.load(std::memory_order_acquire); }
  // The value of the oldest of them; 0 if there is none.
  uint64_t oldest() const;
  // Throws the error of work that ended with this code; `call` returned it.
  [[noreturn]] void fail_work(const char* call, cl_int status) const;
  // An event of the first mark at or above `value`; empty if that is reached.
  EventHandle event_at(uint64_t value) const;

 private:
  struct Mark {
    uint64_t value;
    EventHandle event;
  };

  std::shared_ptr<const Context> context_;
  const std::string label_;
  mutable std::mutex mutex_;
  std::deque<Mark> marks_;
  std::atomic<size_t> open_marks_{0};  // their number, which every launch asks
  uint64_t marked_ = 0;
  std::atomic<uint64_t> known_{0};
};

}  // namespace vd::opencl
