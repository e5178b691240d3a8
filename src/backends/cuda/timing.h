// Times of commands, by stamps: launches of a kernel of ours, before the first command and behind each, that write the
// device's timer to memory. A stamp ends one command and begins the next, so that no wait is in a command's time.
//
// In a CUDA graph of small kernels on an H200, a stamp behind each kernel adds 0.67 us, and a node that records an event 2.5 us.
// Lists have stamps, too: an event costs their caller less than a launch, but then there would be two clocks to match.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "backends/backend.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/module.h"

namespace vd::cuda {

// The parameters of a stamp, for a node of a graph. kernelParams points into the object, so it is not copied.
class Stamp {
 public:
  // `reads`: how often the timer is read, at most, until it has another value, which is the second that is written.
  Stamp(CUfunction kernel, CUdeviceptr to, uint32_t reads = 0);
  Stamp(const Stamp&) = delete;
  Stamp& operator=(const Stamp&) = delete;
  const CUDA_KERNEL_NODE_PARAMS& parameters() const noexcept { return parameters_; }

 private:
  CUdeviceptr to_;
  uint32_t reads_;
  void* values_[2];
  CUDA_KERNEL_NODE_PARAMS parameters_{};
};

inline constexpr uint64_t kStampSize = sizeof(uint64_t);

// A device's timer, in nanoseconds since a time of its own.
class DeviceClock {
 public:
  DeviceClock(std::shared_ptr<const Gpu> gpu, Compiler& compiler, std::shared_ptr<HostPool> pool);
  DeviceClock(const DeviceClock&) = delete;
  DeviceClock& operator=(const DeviceClock&) = delete;
  ~DeviceClock();

  // Makes the kernel and measures the timer's resolution, unless that was done. Loading a kernel would wait for the device, so this
  // is left to a later call while a stream has work, for longer than `patience` nanoseconds. Called with no lock of a stream held.
  // Whether the next may be called.
  bool prepare(uint64_t patience);
  // The same without patience, for work of the program, which fails for no reason of ours. After a failure, told once, it is left to
  // prepare().
  bool is_usable() noexcept;
  CUfunction kernel() const noexcept { return module_->function(); }
  uint64_t resolution() const noexcept { return resolution_; }
  // With the device's context current.
  void stamp(CUdeviceptr to, CUstream stream, uint32_t reads = 0) const;
  void copy(CUdeviceptr stamps, uint64_t* times, size_t count, CUstream stream) const;
  // Pinned memory for `count` times, not handed out before.
  std::shared_ptr<uint64_t> take(size_t count);

  // The device's time, somewhere within the host's.
  struct Look {
    uint64_t device = 0;
    backends::Interval host;

    uint64_t middle() const { return host.begin + (host.end - host.begin) / 2; }
    uint64_t error() const { return (host.end - host.begin) / 2 + 1; }
  };
  // The host's time at one of the device's, and how far it may be off. A profile may be read long after its work, and one clock is
  // faster than the other: so it lies between two looks, or while kernels leave no room for a look, behind the last one.
  struct HostTime {
    uint64_t time = 0, error = 0;
  };
  HostTime host_time(uint64_t device);

 private:
  void make_kernel();
  bool measure_resolution(uint64_t patience);
  std::optional<Look> look(uint64_t patience) const;
  bool looks_ended() const;
  bool looks_end(uint64_t patience) const;

  const std::shared_ptr<const Gpu> gpu_;
  Compiler& compiler_;  // of the device, which lives when prepare() is called
  const std::shared_ptr<HostPool> pool_;
  std::atomic<bool> ready_{false};
  std::atomic<bool> failed_{false};  // since the last prepare()
  std::mutex looking_;               // of what follows
  std::shared_ptr<Module> module_;
  uint64_t resolution_ = 0;
  Look first_look_, last_look_;
  CUstream stream_ = nullptr;  // with nothing but looks
  std::unique_ptr<HostMemory> seen_;
  std::mutex taking_;  // of the next
  std::shared_ptr<HostMemory> page_;
  size_t used_ = 0;  // times of it
};

// The times of a list or of a run of a graph.
class Timing final : public backends::Timing {
 public:
  Timing(std::shared_ptr<DeviceClock> clock, size_t stamps);
  // Has the stamps copied, behind the last of them. With the device's context current.
  void fetch(CUdeviceptr stamps, CUstream stream) const { clock_->copy(stamps, times_.get(), count_, stream); }
  // Lets go of the memory.
  uint64_t read(std::span<backends::Interval> out) override;

 private:
  const std::shared_ptr<DeviceClock> clock_;
  const size_t count_;
  const uint64_t submitted_;  // the host's time before it was
  std::shared_ptr<uint64_t> times_;
};

}  // namespace vd::cuda
