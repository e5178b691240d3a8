#include "backends/opencl/staging.h"

namespace vd::opencl {

// The one way to pinned memory that every driver offers: a buffer of the host's, mapped for good.
PinnedMemory::PinnedMemory(std::shared_ptr<const Context> context, cl_command_queue queue, uint64_t size)
    : context_(std::move(context)), queue_(queue) {
  cl_int result = CL_SUCCESS;
  const cl_mem mem =
      context_->cl.CreateBuffer(context_->handle(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size, nullptr, &result);
  context_->check(result, "clCreateBuffer", "{} bytes of staging memory", size);
  memory_ = MemHandle(context_, mem);
  void* data = context_->cl.EnqueueMapBuffer(queue_, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, nullptr,
                                             nullptr, &result);
  context_->check(result, "clEnqueueMapBuffer", "{} bytes of staging memory", size);
  data_ = static_cast<std::byte*>(data);
}

PinnedMemory::~PinnedMemory() {
  if (context_->lost()) return;
  if (context_->cl.EnqueueUnmapMemObject(queue_, memory_.get(), data_, 0, nullptr, nullptr) == CL_SUCCESS)
    context_->cl.Finish(queue_);
}

}  // namespace vd::opencl
