// The streams of a device's queues, and how far they are.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backends/cuda/api.h"

namespace vd::cuda {

class Gpu;
class Stream;

// Of one device.
class Streams {
 public:
  // Waits, asking again and again, for the work that the streams have now. A call of the driver that waits would keep the
  // calls of all other threads waiting.
  void finish(const Gpu& gpu) noexcept;

 private:
  friend class Stream;
  void add(Stream* stream);
  void remove(Stream* stream) noexcept;

  std::mutex mutex_;
  std::vector<Stream*> list_;
};

// Destroyed with its context current.
class Stream {
 public:
  explicit Stream(std::shared_ptr<const Gpu> gpu);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();
  CUstream get() const noexcept { return stream_; }

 private:
  friend class Streams;
  // Notes the work that it has now.
  void note() noexcept;
  bool has_noted_work() const noexcept;

  std::shared_ptr<const Gpu> gpu_;
  CUstream stream_ = nullptr;
  CUevent behind_ = nullptr;  // the noted work
  bool noted_ = false;
};

}  // namespace vd::cuda
