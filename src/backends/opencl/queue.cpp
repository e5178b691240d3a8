#include "backends/opencl/queue.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "core/log.h"
#include "core/readback.h"
#include "core/staging.h"
#include "core/wait.h"

namespace vd::opencl {
namespace {

using Clock = std::chrono::steady_clock;

// Commands between two marks if no caller polls. A marker costs a driver about as much as a launch; a launch's own
// event is less.
constexpr size_t kMarkCommands = 128;
constexpr size_t kMaxMarks = 64;  // the queue is full then
// Most open marks at which work gets a mark of its own because a caller polls.
constexpr size_t kAskedMarks = kMaxMarks / 2;
// Room beyond that, so that one more call, and reads which ask for no room, need not wait.
constexpr size_t kSpareMarks = 16;
// Commands of a long graph that are submitted in one call: about a millisecond's work for a driver.
constexpr size_t kPartCommands = 512;
// Submissions closer together than this are a burst. The first is flushed at once, then groups that double in size: the
// device begins early, and ever more submissions share the cost of a flush.
constexpr auto kBurstGap = std::chrono::microseconds(25);
constexpr size_t kFirstFlush = 8, kLargestFlush = 64;
// A thread that waits looks again and again for so long: where the driver's own wait can follow, and where it cannot,
// since that has no timeout. Sleeping instead costs a short wait 70 us.
constexpr auto kSpinTime = std::chrono::microseconds(30);
constexpr auto kSpinTimeAlone = std::chrono::milliseconds(1);
constexpr auto kLongestPoll = std::chrono::microseconds(500);
constexpr size_t kReadsInFlight = 3;  // pieces of one transfer
constexpr uint64_t kStagingSize = 32 * 1024 * 1024;
constexpr uint32_t kStagingParts = 4;
// If host and device share memory, larger transfers are copied straight from or to the user's memory; for smaller ones
// that is not worth a wait.
constexpr uint64_t kDirectSize = 64 * 1024;

StagingRing staging(const std::shared_ptr<const Context>& context, cl_command_queue queue) {
  const uint64_t wish = context->overrides.staging_size;
  return {wish != 0 ? wish : kStagingSize, kStagingParts,
          [context, queue](uint64_t size) { return std::make_unique<PinnedMemory>(context, queue, size); }};
}

cl_mem mem_of(const backends::Range& range) { return static_cast<const Memory&>(*range.memory).handle(); }

}  // namespace

QueueHandle make_queue(const std::shared_ptr<const Context>& context, const std::string& label, bool timed) {
  cl_int result = CL_SUCCESS;
  const cl_command_queue queue = context->cl.CreateCommandQueue(context->handle(), context->device(),
                                                                timed ? CL_QUEUE_PROFILING_ENABLE : 0, &result);
  context->check(result, "clCreateCommandQueue", "{} on \"{}\"", label, context->info().name);
  return {context, queue};
}

Queue::Queue(std::shared_ptr<const Context> context, uint32_t number, ThreadPool& copiers)
    : context_(std::move(context)),
      label_(fmt::format("queue {}", number)),
      handle_(make_queue(context_, label_)),
      timeline_(context_, label_),
      upload_(staging(context_, handle_.get())),
      readback_(staging(context_, handle_.get())),
      copiers_(copiers),
      flusher_([this] {
        try {
          flush();
        } catch (...) {
          // The failure is the queue's, and the next call reports it.
        }
      }) {}

// Also of a lost device, which may be lost only by one call that failed: it may still copy from and to staging memory.
Queue::~Queue() { end_all_work(); }

// A call that failed may have been the wait itself.
void Queue::end_all_work() noexcept {
  cl_command_queue timed = nullptr;
  {
    const std::lock_guard lock(mutex_);  // another thread may be making it
    timed = timed_.get();
  }
  for (const cl_command_queue queue : {handle_.get(), timed})
    if (queue != nullptr && context_->cl.Finish(queue) != CL_SUCCESS) context_->cl.Finish(queue);
}

// ---- Giving work

// Issues the work of f(issued, event) as the next value. If `event` is not null, a mark is due or wanted, and f may set
// it to its last command's.
template <class F>
uint64_t Queue::issue(bool at_once, F&& f) {
  require_ok();
  while (full(kMaxMarks + kSpareMarks)) wait(timeline_.oldest(), VD_WAIT_FOREVER);
  const std::lock_guard lock(mutex_);
  size_t issued = 0;
  try {
    cl_event event = nullptr;
    // A caller waited for all earlier work, and will wait for this: with an event of its own it needs no marker, and if
    // it is flushed now it begins before the wait.
    const bool idle = timeline_.known() >= last_value_;
    const bool asked = idle && !patient_.load(std::memory_order_relaxed);
    f(issued, asked || unmarked_ + 1 >= kMarkCommands ? &event : nullptr);
    unmarked_ += issued;
    ++last_value_;
    waits_for_other_ = false;  // its value comes behind
    if (event != nullptr) {
      timeline_.mark(last_value_, EventHandle(context_, event));
      unmarked_ = 0;
    } else if (unmarked_ >= kMarkCommands) {
      mark_locked();
    }
    ++unflushed_;
    const auto now = Clock::now();
    const bool burst = !idle && now - last_issue_ < kBurstGap;
    last_issue_ = now;
    if (!burst) flush_together_ = kFirstFlush;
    if (burst && unflushed_ >= flush_together_) {
      flush_locked();
      flush_together_ = std::min(flush_together_ * 2, kLargestFlush);
    } else if (at_once || !burst || !flusher_.ask()) {
      flush_locked();
    }
  } catch (...) {
    if (issued != 0) settle_failure_locked();
    throw;
  }
  return last_value_;
}

// A submission that failed half-way has left work in the queue for which no value was returned. The caller assumes that
// it has not begun and frees the memory that it uses, so it must be done first. If it fails, all later work would fail
// too.
void Queue::settle_failure_locked() noexcept {
  ++last_value_;  // a mark may already have this value
  if (context_->lost() || context_->cl.Finish(handle_.get()) != CL_SUCCESS)
    return set_failure(std::current_exception());
  timeline_.learn(last_value_);
  unmarked_ = unflushed_ = 0;
}

uint64_t Queue::submit(const backends::CommandList& list) {
  const CommandView view{list.commands, list.ranges, list.values, list.images};
  check_commands(*context_, view);
  return issue(false,
               [&](size_t& issued, cl_event* event) { issue_list(*context_, handle_.get(), view, issued, event); });
}

// Later commands of `to` wait for earlier ones of `from`.
void Queue::pass_on(cl_command_queue from, cl_command_queue to) {
  cl_event event = nullptr;
  context_->check(context_->cl.EnqueueMarkerWithWaitList(from, 0, nullptr, &event), "clEnqueueMarkerWithWaitList", "{}",
                  label_);
  const EventHandle owned(context_, event);
  context_->check(context_->cl.Flush(from), "clFlush", "{}", label_);
  context_->check(context_->cl.EnqueueBarrierWithWaitList(to, 1, &event, nullptr), "clEnqueueBarrierWithWaitList", "{}",
                  label_);
}

uint64_t Queue::submit_timed(const backends::CommandList& list, std::unique_ptr<backends::Timing>& timing) {
  const CommandView view{list.commands, list.ranges, list.values, list.images};
  check_commands(*context_, view);
  auto made = std::make_unique<Timing>(context_);
  const uint64_t value = issue(false, [&](size_t& issued, cl_event*) {
    if (!timed_) timed_ = make_queue(context_, label_ + " with timestamps", true);
    try {
      pass_on(handle_.get(), timed_.get());
      issue_timed_list(*context_, timed_.get(), view, issued, *made);
      pass_on(timed_.get(), handle_.get());
    } catch (...) {
      context_->cl.Finish(timed_.get());
      throw;
    }
  });
  timing = std::move(made);
  return value;
}

uint64_t Queue::submit(backends::Executable& executable, uint32_t repeat) {
  const auto& prepared = static_cast<const Executable&>(executable);
  uint64_t value = last_value();
  // A value each, so that thousands of runs are not one piece of work that nothing can follow.
  for (uint32_t i = 0; i < repeat; ++i)
    value = issue(false, [&](size_t& issued, cl_event*) { prepared.issue(handle_.get(), 0, prepared.size(), issued); });
  return value;
}

uint32_t Queue::repeats_at_once(const backends::Executable& executable) const {
  const size_t commands = std::max<size_t>(static_cast<const Executable&>(executable).size(), 1);
  return static_cast<uint32_t>(std::max<size_t>(kMarkCommands / commands, 1));
}

uint32_t Queue::parts(const backends::Executable& executable) const {
  const auto& prepared = static_cast<const Executable&>(executable);
  if (prepared.is_one(handle_.get())) return 1;
  return static_cast<uint32_t>(std::max<size_t>((prepared.size() + kPartCommands - 1) / kPartCommands, 1));
}

uint64_t Queue::submit_part(backends::Executable& executable, uint32_t part) {
  const auto& prepared = static_cast<const Executable&>(executable);
  return issue(false, [&](size_t& issued, cl_event*) {
    prepared.issue(handle_.get(), part * kPartCommands, kPartCommands, issued);
  });
}

void Queue::mark_locked() {
  cl_event event = nullptr;
  context_->check(context_->cl.EnqueueMarkerWithWaitList(handle_.get(), 0, nullptr, &event),
                  "clEnqueueMarkerWithWaitList", "{}", label_);
  timeline_.mark(last_value_, EventHandle(context_, event));
  unmarked_ = 0;
  ++unflushed_;
}

void Queue::flush_locked() {
  if (unflushed_ == 0) return;
  context_->check(context_->cl.Flush(handle_.get()), "clFlush", "{}", label_);
  unflushed_ = 0;
}

bool Queue::full(size_t marks) {
  if (timeline_.open_marks() < marks) return false;
  reached();
  return timeline_.open_marks() >= marks;
}

bool Queue::would_block() { return full(kMaxMarks); }

void Queue::wait_for_room() {
  while (would_block()) wait(timeline_.oldest(), VD_WAIT_FOREVER);
}

uint64_t Queue::last_value() {
  const std::lock_guard lock(mutex_);
  return last_value_;
}

void Queue::wait_for(backends::Queue& other, uint64_t value) {
  auto& queue = static_cast<Queue&>(other);
  require_ok();
  if (&queue == this || value == 0 || queue.completed() >= value) return;
  queue.mark_up_to(value);
  const EventHandle event = queue.timeline_.event_at(value);
  if (!event) return;
  const cl_event wait = event.get();
  const std::lock_guard lock(mutex_);
  context_->check(context_->cl.EnqueueBarrierWithWaitList(handle_.get(), 1, &wait, nullptr),
                  "clEnqueueBarrierWithWaitList", "{} after {}", label_, queue.label_);
  ++unmarked_;
  waits_for_other_ = true;
}

std::function<void()> Queue::hold() {
  require_ok();
  cl_int result = CL_SUCCESS;
  const cl_event made = context_->cl.CreateUserEvent(context_->handle(), &result);
  context_->check(result, "clCreateUserEvent", "{} held up", label_);
  EventHandle owned(context_, made);
  // Made before the queue is held, since there may be no memory for it.
  std::function<void()> open = [context = context_, event = std::make_shared<EventHandle>(std::move(owned))] {
    // Without it the queue would never end, so it is tried again.
    if (context->cl.SetUserEventStatus(event->get(), CL_COMPLETE) != CL_SUCCESS)
      context->cl.SetUserEventStatus(event->get(), CL_COMPLETE);
  };
  const std::lock_guard lock(mutex_);
  // A mark behind the barrier would not show that earlier work is done, which whoever opens the queue may wait for.
  if (timeline_.marked() < last_value_) mark_locked();
  flush_locked();
  context_->check(context_->cl.EnqueueBarrierWithWaitList(handle_.get(), 1, &made, nullptr),
                  "clEnqueueBarrierWithWaitList", "{} held up", label_);
  ++unmarked_;
  waits_for_other_ = true;
  return open;
}

// ---- Transfers

StagingRing::Piece Queue::take(StagingRing& ring, uint64_t size) {
  return take_piece(
      ring, size,
      [&] {
        require_ok();
        return reached();
      },
      [&](uint64_t value) { wait(value, VD_WAIT_FOREVER); });
}

uint64_t Queue::write_piece(const backends::Range& destination, const void* data, bool mark) {
  return issue(true, [&](size_t& issued, cl_event*) {
    const auto& memory = static_cast<const Memory&>(*destination.memory);
    memory.note_write();
    memory.use_on(handle_.get());
    cl_event event = nullptr;
    context_->check(context_->cl.EnqueueWriteBuffer(handle_.get(), mem_of(destination), CL_FALSE, destination.offset,
                                                    destination.size, data, 0, nullptr, mark ? &event : nullptr),
                    "clEnqueueWriteBuffer", "{} bytes at {}", destination.size, destination.offset);
    ++issued;
    if (mark) timeline_.mark(last_value_ + 1, EventHandle(context_, event));
  });
}

uint64_t Queue::read_piece(const backends::Range& source, void* data) {
  return issue(true, [&](size_t& issued, cl_event*) {
    static_cast<const Memory&>(*source.memory).use_on(handle_.get());
    cl_event event = nullptr;
    context_->check(context_->cl.EnqueueReadBuffer(handle_.get(), mem_of(source), CL_FALSE, source.offset, source.size,
                                                   data, 0, nullptr, &event),
                    "clEnqueueReadBuffer", "{} bytes at {}", source.size, source.offset);
    ++issued;
    timeline_.mark(last_value_ + 1, EventHandle(context_, event));
  });
}

// The value of a mark behind all that the queue was given, waits for other queues too.
uint64_t Queue::mark_all() {
  return issue(true, [&](size_t& issued, cl_event*) {
    cl_event event = nullptr;
    context_->check(context_->cl.EnqueueMarkerWithWaitList(handle_.get(), 0, nullptr, &event),
                    "clEnqueueMarkerWithWaitList", "{}", label_);
    ++issued;
    timeline_.mark(last_value_ + 1, EventHandle(context_, event));
  });
}

std::optional<uint64_t> Queue::write_in_place(const backends::Range& destination, const void* data) {
  require_ok();
  const auto& memory = static_cast<const Memory&>(*destination.memory);
  std::byte* const bytes = memory.host_bytes();
  if (bytes == nullptr) return {};
  uint64_t last = 0;
  {
    const std::lock_guard lock(mutex_);
    if (waits_for_other_) return {};
    last = last_value_;
  }
  if (timeline_.known() < last && reached() < last) return {};
  copy_with(copiers_, bytes + destination.offset, static_cast<const std::byte*>(data), destination.size);
  if (memory.host_bytes() == nullptr) return {};  // another thread had them moved, maybe before they were written
  return last;
}

// Straight from the caller's memory, in one piece.
class Queue::DirectUpload final : public backends::Upload {
 public:
  DirectUpload(Queue& queue, const void* data, const backends::Range& destination)
      : queue_(queue), data_(data), destination_(destination) {}
  uint64_t size() const override { return destination_.size; }
  uint64_t submit(bool) override { return value_ = queue_.write_piece(destination_, data_, true); }
  void finish() override { queue_.wait_for_callers_memory(value_); }

 private:
  Queue& queue_;
  const void* const data_;
  const backends::Range destination_;
  uint64_t value_ = 0;
};

std::unique_ptr<backends::Upload> Queue::stage(const backends::Range& destination, const void* data) {
  require_ok();
  if (context_->direct_transfers && destination.size > kDirectSize)
    return std::make_unique<DirectUpload>(*this, data, destination);
  auto piece = take(upload_, std::min(destination.size, upload_.piece_size()));
  copy_with(copiers_, piece.data, static_cast<const std::byte*>(data), piece.size);
  return backends::staged_upload(std::move(piece), [this, destination](const StagingRing::Piece& filled, bool) {
    return write_piece({destination.memory, destination.offset, filled.size}, filled.data, filled.size >= kDirectSize);
  });
}

// Bytes that are not staged are the driver's to fetch, once the queue has come to them.
bool Queue::takes_at_once(uint64_t size) {
  require_ok();
  return !(context_->direct_transfers && size > kDirectSize) && upload_.has_room(size, reached());
}

void Queue::read(const backends::Range& source, void* data) {
  if (source.size == 0) return;
  if (context_->direct_transfers) {
    wait_for_callers_memory(read_piece(source, data));
    return;
  }
  auto* bytes = static_cast<std::byte*>(data);
  if (const std::byte* host = static_cast<const Memory&>(*source.memory).host_bytes(); host != nullptr) {
    wait(mark_all(), VD_WAIT_FOREVER);
    copy_out(copiers_, bytes, host + source.offset, source.size);
    return;
  }
  read_in_pieces(
      readback_, copiers_, bytes, source.size, kReadsInFlight, [&](uint64_t size) { return take(readback_, size); },
      [&](uint64_t size) { return readback_.take(size, timeline_.known()); },
      [&](const StagingRing::Piece& piece, uint64_t offset) {
        return read_piece({source.memory, source.offset + offset, piece.size}, piece.data);
      },
      [&](uint64_t value) { wait(value, VD_WAIT_FOREVER); });
}

// ---- Waiting

void Queue::require_ok() {
  if (failed_.load(std::memory_order_acquire)) [[unlikely]] {
    const std::lock_guard lock(failure_mutex_);
    std::rethrow_exception(failure_);
  }
  context_->require_alive();
}

void Queue::set_failure(std::exception_ptr failure) noexcept {
  const std::lock_guard lock(failure_mutex_);
  if (failure_) return;
  failure_ = std::move(failure);
  failed_.store(true, std::memory_order_release);
}

// Runs `f`; if it fails, the queue has failed for good.
template <class F>
auto Queue::guarded(F&& f) {
  try {
    return f();
  } catch (...) {
    set_failure(std::current_exception());
    throw;
  }
}

void Queue::flush() {
  const std::lock_guard lock(mutex_);
  guarded([&] { flush_locked(); });
}

uint64_t Queue::reached() {
  return guarded([&] { return timeline_.reached(); });
}

// Whoever is told that the queue has failed frees the memory of its work, which the device may still be at: one call
// that failed ends the queue, and not what it was given before.
uint64_t Queue::completed() try {
  require_ok();
  const uint64_t value = reached();
  // A caller that polls must see the work end.
  const std::lock_guard lock(mutex_);
  if (value < last_value_ && timeline_.marked() < last_value_ && timeline_.open_marks() == 0) {
    try {
      mark_locked();
      flush_locked();
    } catch (const Error& error) {
      // This is not the queue's failure: its work runs, so the memory that the work uses must stay. A thread that waits
      // for the work gets the error.
      context_->require_alive();
      log_verbose("OpenCL: the progress of {} is unknown: {}", label_, error.what());
    }
  }
  return value;
} catch (...) {
  end_all_work();
  throw;
}

void Queue::mark_up_to(uint64_t value) {
  const std::lock_guard lock(mutex_);
  if (timeline_.marked() < value) mark_locked();
  flush_locked();
}

bool Queue::reached(uint64_t value) {
  require_ok();
  if (timeline_.known() >= value || reached() >= value) return true;
  // The number of marks is limited: without a mark, work is known to be done when later work is.
  const std::lock_guard lock(mutex_);
  if (timeline_.marked() < value && timeline_.open_marks() < kAskedMarks) mark_locked();
  flush_locked();
  return false;
}

bool Queue::wait(uint64_t value, uint64_t timeout_ns) {
  require_ok();
  const bool patient = timeout_ns == VD_WAIT_FOREVER;
  patient_.store(patient, std::memory_order_relaxed);
  if (timeline_.known() >= value || reached() >= value) return true;
  if (!patient || !finish(value)) {
    mark_up_to(value);
    if (!wait_for_mark(value, timeout_ns)) return false;
  }
  require_ok();
  return true;
}

// Waits for the last submission if it has no event: an event costs NVIDIA's driver 2 us, and clFinish() needs none.
bool Queue::finish(uint64_t value) {
  {
    const std::lock_guard lock(mutex_);
    if (last_value_ != value || timeline_.marked() >= value) return false;
  }
  const cl_int result = context_->cl.Finish(handle_.get());
  if (reached() >= value) return true;  // throws if the work failed
  if (result != CL_SUCCESS) guarded([&] { timeline_.fail_work("clFinish", result); });
  timeline_.learn(value);
  return true;
}

// For work on memory that is the caller's own again when this ends, even by a failure: another thread's may end the
// queue while the device still copies.
void Queue::wait_for_callers_memory(uint64_t value) {
  try {
    wait(value, VD_WAIT_FOREVER);
  } catch (...) {
    end_all_work();  // a lost device may still copy
    throw;
  }
}

bool Queue::wait_for_mark(uint64_t value, uint64_t timeout_ns) {
  const auto start = Clock::now();
  // A thread that waits may spin first: not where the device is the CPU and needs the core itself.
  if (timeout_ns != 0 && context_->info().type != VD_DEVICE_CPU) {
    const Clock::duration spin = timeout_ns == VD_WAIT_FOREVER ? kSpinTime : kSpinTimeAlone;
    const auto end = std::min(start + spin, deadline_after(timeout_ns));
    for (auto now = start; now < end; now = Clock::now()) {
      if (reached() >= value) return true;
      if (now - start < kSpinTime)
        spin_pause();
      else
        std::this_thread::yield();
    }
  }
  if (timeout_ns == VD_WAIT_FOREVER) {
    const EventHandle event = timeline_.event_at(value);
    if (!event) return true;  // another thread has seen its end
    const cl_event wait = event.get();
    const cl_int result = context_->cl.WaitForEvents(1, &wait);
    if (reached() >= value) return true;  // throws if the work failed
    guarded([&] { context_->check(result, "clWaitForEvents", "{}", label_); });
    timeline_.learn(value);
    return true;
  }
  // OpenCL's own wait has no timeout.
  Clock::duration pause = std::chrono::microseconds(20);
  for (;;) {
    if (reached() >= value) return true;
    const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    if (static_cast<uint64_t>(passed) >= timeout_ns) return false;
    const auto left =
        std::chrono::nanoseconds(std::min<uint64_t>(timeout_ns - static_cast<uint64_t>(passed), 1u << 30));
    std::this_thread::sleep_for(std::min<Clock::duration>(pause, left));
    pause = std::min<Clock::duration>(pause * 2, kLongestPoll);
  }
}

bool Queue::native(const char* kind, uint64_t& out) const {
  if (std::string_view(kind) != "cl_command_queue") return false;
  out = reinterpret_cast<uint64_t>(handle());
  return true;
}

}  // namespace vd::opencl
