#include "backends/opencl/timeline.h"

namespace vd::opencl {

void Timeline::mark(uint64_t value, EventHandle event) {
  const std::lock_guard lock(mutex_);
  marks_.push_back({value, std::move(event)});
  open_marks_.store(marks_.size(), std::memory_order_release);
  marked_ = value;
}

void Timeline::learn(uint64_t value) noexcept {
  uint64_t known = known_.load(std::memory_order_relaxed);
  while (known < value && !known_.compare_exchange_weak(known, value, std::memory_order_acq_rel)) {
  }
}

uint64_t Timeline::reached() {
  const std::lock_guard lock(mutex_);
  while (!marks_.empty()) {
    const Mark& mark = marks_.front();
    if (mark.value > known()) {
      cl_int status = CL_QUEUED;
      context_->check(context_->cl.GetEventInfo(mark.event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status),
                                                &status, nullptr),
                      "clGetEventInfo", "{}", label_);
      if (status < 0) fail_work("clGetEventInfo", status);
      if (status != CL_COMPLETE) break;
      learn(mark.value);
    }
    marks_.pop_front();
    open_marks_.store(marks_.size(), std::memory_order_release);
  }
  return known();
}

uint64_t Timeline::marked() const {
  const std::lock_guard lock(mutex_);
  return marked_;
}

uint64_t Timeline::oldest() const {
  const std::lock_guard lock(mutex_);
  return marks_.empty() ? 0 : marks_.front().value;
}

EventHandle Timeline::event_at(uint64_t value) const {
  const std::lock_guard lock(mutex_);
  for (const Mark& mark : marks_) {
    if (mark.value < value) continue;
    context_->check(context_->cl.RetainEvent(mark.event.get()), "clRetainEvent", "{}", label_);
    return {context_, mark.event.get()};
  }
  return {};
}

// An event's code is the error of its command. A failed allocation leaves the device usable; any other error in the
// middle of a command (a bad address, a watchdog) does not.
void Timeline::fail_work(const char* call, cl_int status) const {
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY)
    fail(VD_ERR_OUT_OF_MEMORY, "work on {} of OpenCL device \"{}\" failed with {}, as {} reports.", label_,
         context_->info().name, result_name(status), call);
  context_->lose(fmt::format("work on {} failed with {}, as {} reports", label_, result_name(status), call));
  fail(VD_ERR_DEVICE_LOST,
       "work on {} of OpenCL device \"{}\" failed with {}, as {} reports; a kernel may have used memory that is not "
       "its own.",
       label_, context_->info().name, result_name(status), call);
}

}  // namespace vd::opencl
