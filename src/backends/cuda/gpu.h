// An open device: its primary context, which the process shares with torch, CuPy and others, or one of the program's, and its
// allocator.
// Everything made on it holds it by shared_ptr, so that any order of destruction is right.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "backends/cuda/physical.h"
#include "backends/cuda/stream.h"
#include "backends/loss.h"
#include "core/disposer.h"

namespace vd::cuda {

class Allocator;

// Limits that tests set when they open a device, to reach the code for such devices on any device.
struct Overrides {
  bool memory_pools = true;                     // false: cuMemAlloc
  bool write_values = true;                     // false: events mark the progress
  uint64_t staging_size = 0;                    // bytes of each staging ring; 0: the default
  uint64_t copy_node_size = uint64_t{1} << 30;  // most bytes of a graph's copy
};

class Gpu {
 public:
  // `context`: the program's, which keeps it; null for the device's primary one.
  Gpu(const Driver& driver, const DeviceIndex& place, const Overrides& overrides, CUcontext context = nullptr);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  const Driver& cu;
  const Physical physical;
  const Overrides overrides;

  CUcontext context() const noexcept { return context_; }
  // Whether it is the device's primary one, and not the program's.
  bool owns_context() const noexcept { return owned_; }
  Allocator& allocator() const noexcept { return *allocator_; }
  const vd_device_info& info() const noexcept { return physical.info; }
  Streams& streams() const noexcept { return *streams_; }
  // For calls that wait for the whole device, and keep every other call waiting meanwhile: cuMemFree, cuMemFreeHost,
  // cuModuleUnload. They are made on a thread of their own, while our streams are idle (Streams), and throw nothing; on
  // this thread if there is no memory for that.
  template <class F>
  void dispose(F call) const noexcept {
    try {
      disposer_.add([this, call] { streams_->call_when_idle(*this, std::cref(call)); });
    } catch (...) {
      call();
    }
  }
  // Ends when what was given before has been disposed of.
  void finish_disposing() const { disposer_.drain(); }

  // As Driver::check(), and a context that an error ended stays so.
  template <class... Args>
  void check(CUresult result, const char* call, fmt::format_string<Args...> what, Args&&... args) const {
    if (result != CUDA_SUCCESS) [[unlikely]]
      failed(result, call, fmt::format(what, std::forward<Args>(args)...));
  }
  bool lost() const noexcept { return static_cast<bool>(loss_); }
  // Throws VD_ERR_DEVICE_LOST with the failure that ended the context, if any.
  void require_alive() const;
  // The program shares streams, memory or native handles with us, and may capture a stream at any time: from now on no call of ours ends
  // such a capture.
  void expect_captures() const noexcept { captures_.store(true, std::memory_order_relaxed); }
  bool expects_captures() const noexcept { return captures_.load(std::memory_order_relaxed); }

 private:
  void retain(const DeviceIndex& place);
  [[noreturn]] void failed(CUresult result, const char* call, const std::string& what) const;

  CUcontext context_ = nullptr;
  const bool owned_;
  std::unique_ptr<Allocator> allocator_;
  mutable backends::Loss loss_;
  mutable std::atomic<bool> captures_{false};
  std::shared_ptr<Streams> streams_;
  mutable Disposer disposer_{"vd-cuda-free"};
};

// The device's context is the calling thread's while this lives; afterwards whichever was before. Stands in every
// function that calls the driver: any thread may come, with any context of its own. Where captures are expected, the
// thread may also allocate, load and ask meanwhile without ending them.
class Current {
 public:
  explicit Current(const Gpu& gpu);
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current();

 private:
  const Gpu& gpu_;
  bool pushed_ = false;
  bool relaxed_ = false;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // the thread's own, while relaxed
};

}  // namespace vd::cuda
