#include "backends/opencl/host_side.h"

#include <utility>

namespace vd::opencl {

HostSide::HostSide(std::shared_ptr<const Context> context, cl_command_queue side,
                   std::function<std::vector<cl_command_queue>()> queues, uint64_t size, Disposer& disposer)
    : context_(std::move(context)),
      side_(side),
      queues_(std::move(queues)),
      size_(size),
      disposer_(disposer),
      bytes_(std::make_unique<Bytes>(context_, side, size)) {}

HostSide::Bytes::~Bytes() {
  const cl_event event = moving.get();
  if (event != nullptr && !context->lost()) context->cl.WaitForEvents(1, &event);
}

// The launch for which the bytes moved may have failed. Then the runtime knows of no work that still reads them.
HostSide::~HostSide() {
  const cl_event event = bytes_->moving.get();
  cl_int status = CL_QUEUED;
  if (event == nullptr || context_->lost() ||
      (context_->cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr) ==
           CL_SUCCESS &&
       status == CL_COMPLETE))
    return;
  disposer_.add([bytes = bytes_.release()] { delete bytes; });
}

std::byte* HostSide::bytes() const {
  const std::lock_guard lock(mutex_);
  return moved_ ? nullptr : bytes_->pinned.data();
}

cl_mem HostSide::buffer() {
  const std::lock_guard lock(mutex_);
  return buffer_locked();
}

cl_mem HostSide::buffer_locked() {
  if (!bytes_->buffer) {
    cl_int result = CL_SUCCESS;
    const cl_mem made = context_->cl.CreateBuffer(context_->handle(), CL_MEM_READ_WRITE, size_, nullptr, &result);
    context_->check(result, "clCreateBuffer", "{} bytes of host memory that a kernel uses", size_);
    bytes_->buffer = MemHandle(context_, made);
  }
  return bytes_->buffer.get();
}

void HostSide::move(cl_command_queue queue) {
  const std::lock_guard lock(mutex_);
  move_locked(queue);
}

void HostSide::move_locked(cl_command_queue queue) {
  const Api& cl = context_->cl;
  if (moved_) {
    if (!bytes_->moving || moved_on_ == queue) return;
    cl_int status = CL_QUEUED;
    context_->check(
        cl.GetEventInfo(bytes_->moving.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr),
        "clGetEventInfo", "host memory that moves to the device");
    if (status == CL_COMPLETE) {
      bytes_->moving = {};
      return;
    }
    const cl_event event = bytes_->moving.get();
    context_->check(cl.EnqueueBarrierWithWaitList(queue, 1, &event, nullptr), "clEnqueueBarrierWithWaitList",
                    "host memory that moves to the device");
    context_->check(cl.Flush(moved_on_), "clFlush", "host memory that moves to the device");
    return;
  }
  const cl_mem to = buffer_locked();
  // Other queues may still copy to other bytes.
  const std::vector<cl_command_queue> others = queues_();
  std::vector<EventHandle> before;
  std::vector<cl_event> events;
  before.reserve(others.size());
  events.reserve(others.size());
  for (const cl_command_queue other : others) {
    if (other == queue) continue;
    cl_event event = nullptr;
    context_->check(cl.EnqueueMarkerWithWaitList(other, 0, nullptr, &event), "clEnqueueMarkerWithWaitList",
                    "host memory that moves to the device");
    events.push_back(before.emplace_back(context_, event).get());
    context_->check(cl.Flush(other), "clFlush", "host memory that moves to the device");
  }
  cl_event event = nullptr;
  context_->check(
      cl.EnqueueWriteBuffer(queue, to, CL_FALSE, 0, size_, bytes_->pinned.data(), static_cast<cl_uint>(events.size()),
                            events.empty() ? nullptr : events.data(), &event),
      "clEnqueueWriteBuffer", "{} bytes of host memory that a kernel uses", size_);
  bytes_->moving = EventHandle(context_, event);
  moved_on_ = queue;
  moved_ = true;
}

void HostSide::move_now() {
  const std::lock_guard lock(mutex_);
  move_locked(side_);
  context_->check(context_->cl.Finish(side_), "clFinish", "host memory that moves to the device");
}

// All conflicting work is done by now, so the next two wait for no kernel, but for the move alone.
void* HostSide::map(uint64_t offset, uint64_t size) {
  const std::lock_guard lock(mutex_);
  std::byte* const data = bytes_->pinned.data() + offset;
  if (!moved_) return data;
  move_locked(side_);
  context_->check(
      context_->cl.EnqueueReadBuffer(side_, bytes_->buffer.get(), CL_TRUE, offset, size, data, 0, nullptr, nullptr),
      "clEnqueueReadBuffer", "{} bytes at {}", size, offset);
  return data;
}

void HostSide::unmap(uint64_t offset, uint64_t size, bool write) {
  const std::lock_guard lock(mutex_);
  if (!moved_ || !write) return;
  move_locked(side_);
  context_->check(context_->cl.EnqueueWriteBuffer(side_, bytes_->buffer.get(), CL_TRUE, offset, size,
                                                  bytes_->pinned.data() + offset, 0, nullptr, nullptr),
                  "clEnqueueWriteBuffer", "{} bytes at {}", size, offset);
}

}  // namespace vd::opencl
