// A queue: one stream. Work is issued at once, on the calling thread, and done in the order of the calls.
//
// A value of the timeline counts launches; the driver has room for a limited number. A mark in the stream, which shows
// the host its progress, costs the device about as much as a small kernel. So marks follow work submitted to an idle
// queue, every kMarkEvery calls of a burst, large graphs, and questions about progress.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "backends/backend.h"
#include "backends/cuda/arguments.h"
#include "backends/cuda/executable.h"
#include "backends/cuda/stream.h"
#include "backends/cuda/timeline.h"
#include "backends/cuda/timing.h"
#include "backends/semaphore_watch.h"
#include "backends/staging.h"
#include "core/thread_pool.h"

namespace vd::cuda {

class Queue final : public backends::Queue {
 public:
  // `copiers` copies large transfers to and from pinned memory.
  Queue(std::shared_ptr<const Gpu> gpu, uint32_t number, ThreadPool& copiers, std::shared_ptr<DeviceClock> clock);
  // Waits for submitted work: the device must be done with the queue's memory.
  ~Queue() override;

  uint64_t submit(const backends::CommandList& list) override;
  uint64_t submit(backends::Executable& executable, uint32_t repeat) override;
  bool has_clock() const override { return clock_->is_usable(); }
  uint64_t submit_timed(const backends::CommandList& list, std::unique_ptr<backends::Timing>& timing) override;
  bool times_executables() const override { return true; }
  uint64_t submit_timed_executable(backends::Executable& executable,
                                   std::unique_ptr<backends::Timing>& timing) override;
  std::unique_ptr<backends::Upload> stage(const backends::Range& destination, const void* data) override;
  bool takes_at_once(uint64_t size) override;
  std::optional<uint64_t> write_in_place(const backends::Range& destination, const void* data) override;
  void read(const backends::Range& source, void* data) override;
  uint32_t repeats_at_once(const backends::Executable& executable) const override;
  bool would_block() override;
  void wait_for_room() override;
  uint64_t completed() override;
  bool wait(uint64_t value, uint64_t timeout_ns) override;
  bool reached(uint64_t value) override;
  void wait_for(backends::Queue& other, uint64_t value) override;
  uint64_t wait_for(const backends::SemaphoreUse& use) override;
  uint64_t signal(const backends::SemaphoreUse& use) override;
  bool wait_for_device(backends::Queue& other, uint64_t value) override;
  std::optional<uint64_t> call(std::function<void()> function) override;
  void check_stream(uint64_t stream, const std::string& name) override;
  bool is_capturing(uint64_t stream) override;
  void use_stream(uint64_t stream) override { foreign_ = reinterpret_cast<CUstream>(stream); }
  uint64_t wait_stream(uint64_t stream) override;
  void signal_stream(uint64_t stream) override;

  CUstream stream() const noexcept { return stream_.get(); }
  bool native(const char* kind, uint64_t& out) const override;

 private:
  using StagingRing = backends::StagingRing<HostMemory>;
  using Lock = std::unique_lock<std::mutex>;

  // A function that the driver will call.
  struct Call {
    Queue& queue;
    std::function<void()> function;
  };
  static void run_call(void* call);

  // Work is given to a stream of the program's while this lives.
  class Borrowed;

  template <class F>
  auto beside(uint64_t stream, F&& order);
  void require_usable() const;
  void wait_locked(CUstream stream);
  void signal_locked(CUstream stream);
  void refuse_capture(CUstream stream) const;
  CUstreamCaptureStatus capture_of(CUstream stream) const;
  void run(const backends::Command& command, const CommandView& view);
  void launch(const backends::Command& command, const CommandView& view);
  uint64_t launch(Executable& graph, uint32_t repeat, std::unique_ptr<backends::Timing>* timing);
  CUdeviceptr room_for_stamps(size_t count);
  void settle_failure() noexcept;
  void settle_failure(CUstream theirs) noexcept;
  uint64_t given(bool mark, uint64_t launches = 1, bool followed = false);
  void mark_locked(uint64_t value);
  void mark_up_to(uint64_t value);
  bool wait_for_mark(uint64_t value, uint64_t timeout_ns);
  StagingRing& ring_for(bool upload, uint64_t size);
  StagingRing::Piece take(StagingRing& ring, uint64_t size);
  uint64_t upload(CUdeviceptr destination, const StagingRing::Piece& piece, bool mark);

  const std::shared_ptr<const Gpu> gpu_;
  const std::string label_;
  ThreadPool& copiers_;
  const Stream stream_;
  Timeline timeline_;
  // Small transfers have rings of their own, so that a program with only those pins little memory.
  StagingRing upload_, small_upload_, readback_, small_readback_;

  std::mutex& mutex_;  // of giving work to the stream
  Arguments arguments_;
  const std::shared_ptr<DeviceClock> clock_;
  // Memory for the stamps of a list, until they are copied behind it. Those of the next list come behind the copy.
  struct {
    CUdeviceptr address = 0;
    size_t count = 0;
  } stamps_;
  std::atomic<uint64_t> last_value_{0};
  std::atomic<bool> prints_{false};  // a kernel that prints was submitted
  Timeline::Clock::time_point last_given_{};
  uint64_t unmarked_ = 0;       // calls since the last mark
  CUevent passed_ = nullptr;    // recorded for other queues and streams that wait
  CUevent theirs_ = nullptr;    // recorded in a stream of the program's, for us
  CUstream foreign_ = nullptr;  // the stream to use; under the runtime's order lock
  CUstream target_ = nullptr;   // where work is given to
  bool captured_ = false;       // which is capturing
  std::mutex calls_mutex_;
  std::map<const Call*, std::unique_ptr<Call>> calls_;  // after a failure the driver leaves them out
  std::atomic<Timeline::Clock::rep> asked_{0};  // when reached() asked the driver last whether the stream failed
  backends::SemaphoreWaits semaphores_;         // last: another thread asks it for the timeline
};

}  // namespace vd::cuda
