#include "backends/cuda/stream.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "backends/cuda/gpu.h"

namespace vd::cuda {
namespace {

constexpr auto kFirstSleep = std::chrono::microseconds(20), kLongestSleep = std::chrono::microseconds(2000);

}  // namespace

void Streams::add(Stream* stream) {
  const std::lock_guard lock(mutex_);
  list_.push_back(stream);
}

void Streams::remove(Stream* stream) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(list_, stream);
}

void Streams::finish(const Gpu& gpu) noexcept {
  try {
    const Current current(gpu);
    {
      const std::lock_guard lock(mutex_);
      for (Stream* stream : list_) stream->note();
    }
    for (auto sleep = kFirstSleep;; sleep = std::min(2 * sleep, kLongestSleep)) {
      {
        const std::lock_guard lock(mutex_);
        if (std::ranges::none_of(list_, [](const Stream* stream) { return stream->has_noted_work(); })) return;
      }
      std::this_thread::sleep_for(sleep);
    }
  } catch (...) {
    // The context is gone, and its work with it.
  }
}

Stream::Stream(std::shared_ptr<const Gpu> gpu) : gpu_(std::move(gpu)) {
  const Current current(*gpu_);
  // Not the legacy stream's follower: torch and CuPy work in that one, and would wait for us.
  gpu_->check(gpu_->cu.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate", "a queue's stream");
  try {
    gpu_->check(gpu_->cu.cuEventCreate(&behind_, CU_EVENT_DISABLE_TIMING), "cuEventCreate", "a queue's stream");
    gpu_->streams().add(this);
  } catch (...) {
    if (behind_ != nullptr) gpu_->cu.cuEventDestroy(behind_);
    gpu_->cu.cuStreamDestroy(stream_);
    throw;
  }
}

Stream::~Stream() {
  gpu_->streams().remove(this);
  try {
    const Current current(*gpu_);
    gpu_->cu.cuEventDestroy(behind_);
    gpu_->cu.cuStreamDestroy(stream_);
  } catch (...) {
    // The context is gone, and its streams with it.
  }
}

void Stream::note() noexcept {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  noted_ = gpu_->cu.cuStreamIsCapturing(stream_, &capture) == CUDA_SUCCESS &&
           capture == CU_STREAM_CAPTURE_STATUS_NONE && gpu_->cu.cuEventRecord(behind_, stream_) == CUDA_SUCCESS;
}

bool Stream::has_noted_work() const noexcept {
  return noted_ && gpu_->cu.cuEventQuery(behind_) == CUDA_ERROR_NOT_READY;
}

}  // namespace vd::cuda
