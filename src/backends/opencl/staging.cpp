#include "backends/opencl/staging.h"

namespace vd::opencl {
namespace {

constexpr uint64_t kAlign = 64;  // a cache line

}  // namespace

// The one way to pinned memory that every driver offers: a buffer of the host's, mapped for good.
void StagingRing::allocate() {
  cl_int result = CL_SUCCESS;
  const cl_mem mem =
      context_->cl.CreateBuffer(context_->handle(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size_, nullptr, &result);
  context_->check(result, "clCreateBuffer", "{} bytes of staging memory", size_);
  MemHandle memory(context_, mem);
  void* data = context_->cl.EnqueueMapBuffer(queue_, mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size_, 0, nullptr,
                                             nullptr, &result);
  context_->check(result, "clEnqueueMapBuffer", "{} bytes of staging memory", size_);
  memory_ = std::move(memory);
  data_ = static_cast<std::byte*>(data);
}

StagingRing::~StagingRing() {
  if (data_ == nullptr || context_->lost()) return;
  if (context_->cl.EnqueueUnmapMemObject(queue_, memory_.get(), data_, 0, nullptr, nullptr) == CL_SUCCESS)
    context_->cl.Finish(queue_);
}

std::optional<StagingRing::Piece> StagingRing::take(uint64_t size, uint64_t reached) {
  const std::lock_guard lock(mutex_);
  if (data_ == nullptr) allocate();
  while (!entries_.empty() && !entries_.front().busy && entries_.front().value <= reached) {
    entries_.pop_front();
    ++first_number_;
  }
  const uint64_t length = (size + kAlign - 1) / kAlign * kAlign;
  uint64_t begin = head_;
  // A piece does not wrap: what is left at the end stays unused.
  if (begin % size_ + length > size_) begin += size_ - begin % size_;
  const uint64_t tail = entries_.empty() ? begin : entries_.front().begin;
  if (begin + length - tail > size_) return std::nullopt;
  entries_.push_back({begin, begin + length, 0, true});
  head_ = begin + length;
  return Piece{data_ + begin % size_, size, first_number_ + entries_.size() - 1};
}

void StagingRing::give_back(const Piece& piece, uint64_t value) {
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[piece.number - first_number_];
    entry.busy = false;
    entry.value = value;
  }
  changed_.notify_all();
}

uint64_t StagingRing::oldest() {
  std::unique_lock lock(mutex_);
  if (entries_.empty()) return 0;
  if (!entries_.front().busy) return entries_.front().value;
  changed_.wait(lock, [&] { return entries_.empty() || !entries_.front().busy; });
  return 0;
}

}  // namespace vd::opencl
