// A queue: an in-order command queue. Work is issued at once, on the calling thread; in a burst it is flushed a little
// later (flusher.h).
//
// Locks: mutex_ is held while commands are issued, so that values of the timeline rise as commands do; nothing of ours
// waits under it but a call that failed half-way. Modules' and the timeline's locks are taken inside it.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "backends/backend.h"
#include "backends/opencl/executable.h"
#include "backends/opencl/flusher.h"
#include "backends/opencl/staging.h"
#include "backends/opencl/timeline.h"
#include "core/thread_pool.h"

namespace vd::opencl {

// An in-order command queue; `label` names it in a failure.
QueueHandle make_queue(const std::shared_ptr<const Context>& context, const std::string& label, bool timed = false);

class Queue final : public backends::Queue {
 public:
  // `number` is used in names; `copiers` copies large transfers to and from pinned memory.
  Queue(std::shared_ptr<const Context> context, uint32_t number, ThreadPool& copiers);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  // Waits for unfinished work: the device must be done with the queue's memory.
  ~Queue() override;

  uint64_t submit(const backends::CommandList& list) override;
  uint64_t submit(backends::Executable& executable, uint32_t repeat) override;
  bool has_clock() const override { return true; }
  uint64_t submit_timed(const backends::CommandList& list, std::unique_ptr<backends::Timing>& timing) override;
  std::unique_ptr<backends::Upload> stage(const backends::Range& destination, const void* data) override;
  bool takes_at_once(uint64_t size) override;
  std::optional<uint64_t> write_in_place(const backends::Range& destination, const void* data) override;
  void read(const backends::Range& source, void* data) override;
  uint32_t repeats_at_once(const backends::Executable& executable) const override;
  uint32_t parts(const backends::Executable& executable) const override;
  uint64_t submit_part(backends::Executable& executable, uint32_t part) override;
  bool would_block() override;
  void wait_for_room() override;
  void flush() override;
  uint64_t completed() override;
  bool wait(uint64_t value, uint64_t timeout_ns) override;
  bool reached(uint64_t value) override;
  void wait_for(backends::Queue& other, uint64_t value) override;
  std::function<void()> hold() override;

  cl_command_queue handle() const noexcept { return handle_.get(); }
  bool native(const char* kind, uint64_t& out) const override;

 private:
  class DirectUpload;
  template <class F>
  uint64_t issue(bool at_once, F&& f);
  template <class F>
  auto guarded(F&& f);
  void settle_failure_locked() noexcept;
  bool full(size_t marks);
  uint64_t reached();
  uint64_t last_value();
  void pass_on(cl_command_queue from, cl_command_queue to);
  void mark_locked();
  void flush_locked();
  void mark_up_to(uint64_t value);
  bool wait_for_mark(uint64_t value, uint64_t timeout_ns);
  bool finish(uint64_t value);
  void wait_for_callers_memory(uint64_t value);
  void require_ok();
  void set_failure(std::exception_ptr failure) noexcept;
  void end_all_work() noexcept;
  StagingRing::Piece take(StagingRing& ring, uint64_t size);
  uint64_t write_piece(const backends::Range& destination, const void* data, bool mark);
  uint64_t mark_all();
  uint64_t read_piece(const backends::Range& source, void* data);

  const std::shared_ptr<const Context> context_;
  const std::string label_;
  QueueHandle handle_;
  Timeline timeline_;
  StagingRing upload_;
  StagingRing readback_;
  ThreadPool& copiers_;

  std::mutex mutex_;
  QueueHandle timed_;  // has timestamps, which cost something; made when the first work is timed
  uint64_t last_value_ = 0;
  bool waits_for_other_ = false;  // a wait for another queue, or to be let go, came behind the last value
  size_t unmarked_ = 0;           // commands since the last mark
  size_t unflushed_ = 0;          // submissions and marks since the last flush
  size_t flush_together_ = 0;     // submissions per flush, in a burst
  std::chrono::steady_clock::time_point last_issue_{};

  std::atomic<bool> patient_{false};  // the last wait had no timeout

  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};

  Flusher flusher_;  // last: its thread uses the other members
};

}  // namespace vd::opencl
