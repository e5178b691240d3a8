// Submits work to a queue: submit() states its accesses to memory, takes the order lock, finds the work that it must
// wait for, hands it to the backend and notes its accesses. So all work of a context has one order.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "runtime/claim.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/stream.h"
#include "runtime/waits.h"

namespace vd::runtime {

// Work for a queue, as far as its order is concerned.
struct Work {
  std::span<const Access> accesses;
  std::span<const Ticket> after{};          // work of other queues of the device
  std::span<const Ticket> after_devices{};  // work of other devices
  uint64_t stream = 0;                      // the program's own that it runs on; 0: the queue's
  SemaphoreOrder* semaphores = nullptr;     // to wait for
  const Claim* claim = nullptr;             // that the work is done under
  bool patient = true;                      // may wait for locks, claims and room
  bool is_write = false;                    // from host memory, of bytes that are ready
  WorkFailures::Work* parts = nullptr;      // that it is one of
};

// A backend's report on work that it took.
struct Submitted {
  uint64_t value;        // of the queue's timeline
  bool barrier = false;  // the work began with a barrier, whether or not one was needed
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
  bool waits_ = false;  // for work that is not the queue's
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

}  // namespace vd::runtime
