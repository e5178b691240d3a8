#include "backends/cuda/stream.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "backends/cuda/gpu.h"

namespace vd::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFirstSleep = std::chrono::microseconds(20), kLongestSleep = std::chrono::microseconds(2000);

}  // namespace

std::shared_ptr<Streams> Streams::of(CUcontext context) {
  static std::mutex mutex;
  static std::map<CUcontext, std::weak_ptr<Streams>> all;
  const std::lock_guard lock(mutex);
  std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<Streams>& entry = all[context];
  std::shared_ptr<Streams> streams = entry.lock();
  if (!streams) entry = streams = std::make_shared<Streams>();
  return streams;
}

void Streams::add(Stream* stream) {
  const std::lock_guard lock(mutex_);
  list_.push_back(stream);
}

void Streams::remove(Stream* stream) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase(list_, stream);
}

bool Streams::has_noted_work() const noexcept {
  return std::ranges::any_of(list_, [](const Stream* stream) { return stream->has_noted_work(); });
}

std::optional<std::vector<std::unique_lock<std::mutex>>> Streams::hold_idle(CUstream mine) const {
  std::vector<std::unique_lock<std::mutex>> held;
  for (const Stream* stream : list_) {
    // Not waited for: who gives work may wait for this call.
    if (stream->get() != mine) {
      held.emplace_back(stream->giving(), std::try_to_lock);
      if (!held.back().owns_lock()) return {};
    }
    if (!stream->is_idle()) return {};
  }
  return held;
}

bool Streams::call_if_idle(CUstream mine, const std::function<void()>& call) {
  const std::lock_guard lock(mutex_);
  const auto held = hold_idle(mine);
  if (held) call();
  return held.has_value();
}

void Streams::call_when_idle(const Gpu& gpu, const std::function<void()>& call,
                             std::chrono::milliseconds patience) noexcept {
  try {
    const Current current(gpu);
    std::unique_lock lock(mutex_);
    for (Stream* stream : list_) stream->note();
    std::optional<Clock::time_point> patient;
    for (auto sleep = kFirstSleep;; sleep = std::min(2 * sleep, kLongestSleep)) {
      if (list_.empty()) break;
      if (!has_noted_work()) {
        if (const auto held = hold_idle()) return call();
        if (!patient) patient = Clock::now() + patience;
        if (Clock::now() > *patient) break;
      }
      lock.unlock();
      std::this_thread::sleep_for(sleep);
      lock.lock();
    }
  } catch (...) {
    // The context is gone, and its work with it.
  }
  call();
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

bool Stream::captures() const noexcept {
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  return gpu_->cu.cuStreamIsCapturing(stream_, &capture) == CUDA_SUCCESS && capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Stream::note() noexcept { noted_ = !captures() && gpu_->cu.cuEventRecord(behind_, stream_) == CUDA_SUCCESS; }

bool Stream::is_idle() const noexcept { return captures() || gpu_->cu.cuStreamQuery(stream_) != CUDA_ERROR_NOT_READY; }

bool Stream::has_noted_work() const noexcept {
  return noted_ && gpu_->cu.cuEventQuery(behind_) == CUDA_ERROR_NOT_READY;
}

}  // namespace vd::cuda
