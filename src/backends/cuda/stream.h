// The streams of a device's queues, and how far they are.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "backends/cuda/api.h"

namespace vd::cuda {

class Gpu;
class Stream;

// All streams of ours in one context of CUDA's, of whichever devices that we opened in it: a call that waits, waits for
// all of them.
class Streams {
 public:
  static std::shared_ptr<Streams> of(CUcontext context);

  // `call` waits for the device, and keeps the calls of all other threads waiting meanwhile. So it is made behind the work
  // that the streams have now, and while they are idle, if that comes to pass within `patience`. It throws nothing.
  void call_when_idle(const Gpu& gpu, const std::function<void()>& call,
                      std::chrono::milliseconds patience = std::chrono::seconds(1)) noexcept;

  // Makes the call while the streams are idle, or not at all. The caller gives work to the stream `mine`, and holds its lock.
  bool call_if_idle(CUstream mine, const std::function<void()>& call);
  bool are_idle(CUstream mine) {
    return call_if_idle(mine, [] {});
  }

 private:
  friend class Stream;
  bool has_noted_work() const noexcept;
  // While these are held, no other thread gives work. None if a stream has work.
  std::optional<std::vector<std::unique_lock<std::mutex>>> hold_idle(CUstream mine = nullptr) const;
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
  // Held while work is given to the stream.
  std::mutex& giving() const noexcept { return giving_; }

 private:
  friend class Streams;
  // Notes the work that it has now.
  void note() noexcept;
  bool has_noted_work() const noexcept;
  bool captures() const noexcept;
  bool is_idle() const noexcept;

  std::shared_ptr<const Gpu> gpu_;
  mutable std::mutex giving_;
  CUstream stream_ = nullptr;
  CUevent behind_ = nullptr;  // the noted work
  bool noted_ = false;
};

}  // namespace vd::cuda
