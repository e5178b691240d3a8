// Submits work to a queue: submit() states its accesses to memory, takes the order lock, finds the work that it must
// wait for, hands it to the backend and notes its accesses. So all work of a context has one order.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/error.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/waits.h"

namespace vd::runtime {

// Work that conflicts with a mapping: who knows which argument of it that is tells it.
class MappedError final : public Error {
 public:
  explicit MappedError(const Access& access);
  const Access& access() const { return access_; }  // one of those that the work was given with

 private:
  Access access_;
};

// A claim on memory, for work that takes longer to submit than the order lock may be held. As long as a claim lives,
// other work that conflicts with it waits for its end: all work under a claim is one step in the order of work. A claim
// that a mapping holds may last for ever, so other work reports an error instead.
class Claim {
 public:
  enum class Holder : uint8_t { Work, Mapping };
  // Waits for other claims that it conflicts with: hence before anything is taken that another may wait for. The uses
  // live as long. Throws VD_ERR_STATE for memory that is mapped or was discarded: before any part of the work is done.
  Claim(vd_context& context, const Access* accesses, size_t count, Holder holder = Holder::Work);
  // The same without waiting: nothing where it would have to.
  static std::unique_ptr<Claim> try_make(vd_context& context, const Access* accesses, size_t count, Holder holder);
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim();

  bool conflicts(const Access& access) const;
  Holder holder() const { return holder_; }

 private:
  struct Unlisted {};
  Claim(vd_context& context, const Access* accesses, size_t count, Holder holder, Unlisted)
      : context_(context), accesses_(accesses), count_(count), holder_(holder) {}

  vd_context& context_;
  const Access* const accesses_;
  const size_t count_;
  const Holder holder_;
};

// A read or a write of the host's. A write of several pieces is seen whole or not at all.
class Transfer {
 public:
  // Throws VD_ERR_STATE for memory that was discarded.
  Transfer(vd_context& context, const Access& access);

  backends::Memory& memory() const { return memory_->get(); }  // lives on if it is discarded meanwhile
  const Claim& claim() const { return claim_; }

 private:
  const Access access_;
  const Claim claim_;
  std::shared_ptr<DeviceMemory> memory_;
};

// Work for a queue, as far as its order is concerned.
struct Work {
  std::span<const Access> accesses;
  std::span<const Ticket> after{};          // work of other queues of the device
  std::span<const Ticket> after_devices{};  // work of other devices
  uint64_t stream = 0;                      // the program's own that it runs on; 0: the queue's
  SemaphoreOrder* semaphores = nullptr;     // to wait for
  const Claim* claim = nullptr;             // that the work is done under
  bool patient = true;                      // may wait for locks, claims and room
};

// A backend's report on work that it took.
struct Submitted {
  uint64_t value;        // of the queue's timeline
  bool barrier = false;  // the work began with a barrier, whether or not one was needed
};

// Work that the queue is given while this lives runs on a stream of the program's, if there is one. Under the order lock.
class OnStream {
 public:
  OnStream(Queue& queue, uint64_t stream) : queue_(queue), stream_(stream) {
    if (stream_ != 0) queue_.backend.use_stream(stream_);
  }
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;
  ~OnStream() {
    if (stream_ != 0) queue_.backend.use_stream(0);
  }

 private:
  Queue& queue_;
  const uint64_t stream_;
};

// The steps of submit(), which alone can take them.
class Submission {
  template <class Give>
  friend std::optional<vd_ticket> submit(vd_context& context, Queue& queue, const Work& work, Give&& give);

  Submission(vd_context& context, Queue& queue, const Work& work) : context_(context), queue_(queue), work_(work) {}

  // Takes the lock and makes the queue wait for all that the work comes after. Throws VD_ERR_STATE for memory that was
  // discarded. False: it would have had to wait, and nothing has been done.
  bool order();
  void wait_for_queue(uint32_t other, uint64_t value);
  void wait_for_devices();
  // Notes the accesses of work that was submitted.
  vd_ticket commit(const Submitted& submitted);

  vd_context& context_;
  Queue& queue_;
  const Work& work_;
  bool needs_barrier_ = false;
  std::unique_lock<FairMutex> lock_;
};

// Calls give(needs_barrier) under the order lock, when the queue waits for all that the work comes after on other
// queues; `needs_barrier`: it also comes after work of this queue since the last barrier. `give` hands the work to the
// backend and returns Submitted, or nothing where none was handed over. Returns the work's ticket: none if `give`
// returned nothing, or if the work is not patient and would have had to wait.
template <class Give>
std::optional<vd_ticket> submit(vd_context& context, Queue& queue, const Work& work, Give&& give) {
  Submission submission(context, queue, work);
  if (!submission.order()) return {};
  const OnStream on_stream(queue, work.stream);
  const std::optional<Submitted> submitted = context.call([&] { return give(submission.needs_barrier_); });
  if (!submitted) return {};
  return submission.commit(*submitted);
}

// The ticket of all earlier work of the queue and of `waits`.
vd_ticket submit_nothing(vd_context& context, Queue& queue, const Waits& waits);

// Later work of the queue waits for what a stream of the program's was given so far; the ticket of that point.
vd_ticket wait_stream(vd_context& context, Queue& queue, uint64_t stream);
// Later work of the stream waits for the work of a queue, or of every one (VD_QUEUE_ALL).
void signal_stream(vd_context& context, uint32_t queue, uint64_t stream);

}  // namespace vd::runtime
