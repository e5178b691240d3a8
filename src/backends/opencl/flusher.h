// Flushes a queue for a caller that keeps submitting: each clFlush costs a tenth of a launch, so the caller flushes
// once in a few launches, and this class flushes the last ones after a short pause.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace vd::opencl {

class Flusher {
 public:
  // `flush` runs on a thread of its own, which begins with the first request, and throws nothing.
  explicit Flusher(std::function<void()> flush) : flush_(std::move(flush)) {}
  Flusher(const Flusher&) = delete;
  Flusher& operator=(const Flusher&) = delete;
  ~Flusher();

  // Flush soon. False if there can be no thread; then the caller does it.
  bool ask() noexcept;

 private:
  void run();

  const std::function<void()> flush_;
  std::atomic<bool> asked_{false};
  std::atomic<bool> sleeps_{true};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace vd::opencl
