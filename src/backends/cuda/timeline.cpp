#include "backends/cuda/timeline.h"

#include <algorithm>
#include <thread>

#include "core/wait.h"

namespace vd::cuda {
namespace {

// A waiting thread first spins, so that it learns of a short kernel at once; then yields; then sleeps, for a small part
// of the time that it has waited already. From time to time it asks the driver whether the stream failed.
constexpr auto kSpinTime = std::chrono::microseconds(100);
constexpr auto kYieldTime = std::chrono::milliseconds(1);
constexpr auto kAskTime = std::chrono::milliseconds(1);
constexpr auto kLeastSleep = std::chrono::microseconds(20);
constexpr auto kMostSleep = std::chrono::milliseconds(1);
constexpr int kSleepPart = 64;

}  // namespace

Timeline::Timeline(std::shared_ptr<const Gpu> gpu)
    : gpu_(std::move(gpu)),
      word_(gpu_, sizeof(uint64_t), " for a queue's timeline"),
      writes_(gpu_->physical.write_values && gpu_->overrides.write_values) {
  __atomic_store_n(reinterpret_cast<uint64_t*>(word_.data()), 0, __ATOMIC_RELEASE);
}

Timeline::~Timeline() {
  try {
    const Current current(*gpu_);
    for (const auto& [value, event] : events_) gpu_->cu.cuEventDestroy(event);
    for (CUevent event : spare_) gpu_->cu.cuEventDestroy(event);
  } catch (...) {
    // The context is gone, and its events with it.
  }
}

void Timeline::mark(CUstream stream, uint64_t value) {
  if (writes_) {
    gpu_->check(gpu_->cu.cuStreamWriteValue64(stream, word_.address(), value, CU_STREAM_WRITE_VALUE_DEFAULT),
                "cuStreamWriteValue64", "value {} of a queue's timeline", value);
  } else {
    const std::lock_guard lock(mutex_);
    events_.emplace_back(value, nullptr);
    try {
      events_.back().second = take_event();
      gpu_->check(gpu_->cu.cuEventRecord(events_.back().second, stream), "cuEventRecord",
                  "value {} of a queue's timeline", value);
    } catch (...) {
      if (events_.back().second != nullptr) gpu_->cu.cuEventDestroy(events_.back().second);
      events_.pop_back();
      throw;
    }
  }
  marked_.store(value, std::memory_order_release);
}

CUevent Timeline::take_event() {
  CUevent event = nullptr;
  if (!spare_.empty()) {
    event = spare_.back();
    spare_.pop_back();
  } else {
    gpu_->check(gpu_->cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate", "a queue's timeline");
  }
  return event;
}

uint64_t Timeline::reached() {
  if (!writes_) return reached_by_events();
  return __atomic_load_n(reinterpret_cast<const uint64_t*>(word_.data()), __ATOMIC_ACQUIRE);
}

uint64_t Timeline::reached_by_events() {
  const std::lock_guard lock(mutex_);
  if (events_.empty()) return passed_;
  const Current current(*gpu_);
  while (!events_.empty()) {
    const CUresult result = gpu_->cu.cuEventQuery(events_.front().second);
    if (result == CUDA_ERROR_NOT_READY) break;
    gpu_->check(result, "cuEventQuery", "value {} of a queue's timeline", events_.front().first);
    passed_ = events_.front().first;
    spare_.push_back(events_.front().second);
    events_.pop_front();
  }
  return passed_;
}

bool Timeline::wait(CUstream stream, uint64_t value, Clock::time_point deadline) {
  const auto begin = Clock::now();
  auto asked = begin;
  for (;;) {
    for (int turn = 0; turn < 64; ++turn) {
      if (reached() >= value) return true;
      spin_pause();
    }
    const auto now = Clock::now();
    if (now >= deadline) return reached() >= value;
    if (now - asked >= kAskTime) {
      const Current current(*gpu_);
      const CUresult result = gpu_->cu.cuStreamQuery(stream);
      if (result != CUDA_ERROR_NOT_READY) gpu_->check(result, "cuStreamQuery", "value {} of a queue's timeline", value);
      asked = now;
    }
    gpu_->require_alive();  // another thread may have met the failure
    const auto waited = now - begin;
    if (waited < kSpinTime) continue;
    if (waited < kYieldTime) {
      std::this_thread::yield();
    } else {
      const auto part = std::clamp<Clock::duration>(waited / kSleepPart, kLeastSleep, kMostSleep);
      std::this_thread::sleep_for(std::min<Clock::duration>(part, deadline - now));
    }
  }
}

}  // namespace vd::cuda
