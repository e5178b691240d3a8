#include "backends/opencl/staging.h"

namespace vd::opencl {

// The one way to pinned memory that every driver offers: a buffer of the host's, mapped for good.
void StagingRing::allocate() {
  cl_int result = CL_SUCCESS;
  const cl_mem mem = context_->cl.CreateBuffer(context_->handle(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                               ring_.size(), nullptr, &result);
  context_->check(result, "clCreateBuffer", "{} bytes of staging memory", ring_.size());
  MemHandle memory(context_, mem);
  void* data = context_->cl.EnqueueMapBuffer(queue_, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, ring_.size(), 0,
                                             nullptr, nullptr, &result);
  context_->check(result, "clEnqueueMapBuffer", "{} bytes of staging memory", ring_.size());
  memory_ = std::move(memory);
  data_ = static_cast<std::byte*>(data);
}

StagingRing::~StagingRing() {
  if (data_ == nullptr || context_->lost()) return;
  if (context_->cl.EnqueueUnmapMemObject(queue_, memory_.get(), data_, 0, nullptr, nullptr) == CL_SUCCESS)
    context_->cl.Finish(queue_);
}

std::optional<StagingRing::Piece> StagingRing::take(uint64_t size, uint64_t reached) {
  {
    const std::lock_guard lock(mutex_);
    if (data_ == nullptr) allocate();
  }
  auto place = ring_.take(size, reached);
  if (!place) return std::nullopt;
  std::byte* data = data_ + place->offset();
  return Piece{data, size, std::move(*place)};
}

}  // namespace vd::opencl
