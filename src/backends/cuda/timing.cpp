#include "backends/cuda/timing.h"

#include <algorithm>
#include <cmath>

#include "core/steady_time.h"

namespace vd::cuda {
namespace {

// The resolution that the driver's manual gives for cuEventElapsedTime().
constexpr uint64_t kResolution = 500;
constexpr int kLooks = 3;
// More events than this are not kept. A profile that is not read yet has about as many.
constexpr size_t kMostFree = 32768;

}  // namespace

EventClock::~EventClock() {
  try {
    const Current current(*gpu_);
    for (CUevent event : free_) gpu_->cu.cuEventDestroy(event);
    if (stream_ != nullptr) gpu_->cu.cuStreamDestroy(stream_);
  } catch (...) {
    // The context is gone, and its events with it.
  }
}

CUevent EventClock::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      CUevent event = free_.back();
      free_.pop_back();
      return event;
    }
  }
  CUevent event = nullptr;
  gpu_->check(gpu_->cu.cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate", "a time");
  return event;
}

void EventClock::give_back(std::span<const CUevent> events) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    const size_t kept = std::min(events.size(), kMostFree - free_.size());
    free_.insert(free_.end(), events.begin(), events.begin() + static_cast<std::ptrdiff_t>(kept));
    events = events.subspan(kept);
  } catch (...) {
    // Without memory none is kept.
  }
  if (events.empty()) return;
  try {
    const Current current(*gpu_);
    for (CUevent event : events) gpu_->cu.cuEventDestroy(event);
  } catch (...) {
    // The context is gone, and its events with it.
  }
}

EventClock::Now EventClock::now() {
  const Current current(*gpu_);
  const std::lock_guard lock(mutex_);
  if (stream_ == nullptr)
    gpu_->check(gpu_->cu.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate", "a stream for the time");
  Now best;
  gpu_->check(gpu_->cu.cuEventCreate(&best.event, CU_EVENT_DEFAULT), "cuEventCreate", "a time");
  // The last look counts: an event marks its last record. A first one may have to wake the device up.
  for (int look = 0; look < kLooks; ++look) {
    const uint64_t before = steady_time();
    const CUresult recorded = gpu_->cu.cuEventRecord(best.event, stream_);
    const CUresult result = recorded == CUDA_SUCCESS ? gpu_->cu.cuStreamSynchronize(stream_) : recorded;
    best.host = {before, steady_time()};
    if (result != CUDA_SUCCESS) {
      gpu_->cu.cuEventDestroy(best.event);
      gpu_->check(result, recorded == CUDA_SUCCESS ? "cuStreamSynchronize" : "cuEventRecord", "a time");
    }
  }
  return best;
}

CUevent Events::add() {
  all_.push_back(nullptr);
  try {
    all_.back() = clock_->take();
  } catch (...) {
    all_.pop_back();
    throw;
  }
  return all_.back();
}

void Timing::record(CUstream stream) {
  const Gpu& gpu = events_->clock().gpu();
  gpu.check(gpu.cu.cuEventRecord(events_->add(), stream), "cuEventRecord", "a time of a command");
}

// The driver tells the time between two events as a float in milliseconds, hence less exact the longer it is.
uint64_t Timing::read(std::span<backends::Interval> out) {
  const Gpu& gpu = events_->clock().gpu();
  const std::vector<CUevent>& events = events_->all();
  const Current current(gpu);
  const EventClock::Now now = events_->clock().now();
  const uint64_t host = now.host.begin + (now.host.end - now.host.begin) / 2;
  CUresult result = CUDA_SUCCESS;
  const auto distance = [&](CUevent from, CUevent to) {
    float milliseconds = 0;
    if (result == CUDA_SUCCESS) result = gpu.cu.cuEventElapsedTime(&milliseconds, from, to);
    return static_cast<uint64_t>(std::llround(std::max(0.0, static_cast<double>(milliseconds) * 1e6)));
  };
  const uint64_t age = distance(events.front(), now.event);
  const uint64_t first = host - std::min(host, age);
  uint64_t last = first;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].begin = last;
    out[i].end = last = std::max(last, first + distance(events.front(), events[i + 1]));
  }
  gpu.cu.cuEventDestroy(now.event);
  gpu.check(result, "cuEventElapsedTime", "the times of {} commands", out.size());
  events_.reset();
  return (now.host.end - now.host.begin) / 2 + kResolution +
         static_cast<uint64_t>(std::ldexp(static_cast<double>(age), -24));
}

}  // namespace vd::cuda
