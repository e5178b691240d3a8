#include "runtime/submission.h"

#include <exception>
#include <memory>

#include "core/error.h"
#include "runtime/hold.h"
#include "runtime/semaphore.h"

namespace vd::runtime {

bool Submission::order() {
  context_.require_callable();
  const Access* accesses = work_.accesses.data();
  const size_t count = work_.accesses.size();
  if (work_.patient) {
    for (;;) {
      lock_ = std::unique_lock(context_.order());
      context_.claim_ended().wait(lock_, [&] { return !Claim::is_in_the_way(context_, accesses, count, work_.claim); });
      if (!queue_.backend.would_block()) break;
      lock_.unlock();
      context_.call([&] { queue_.backend.wait_for_room(); });
    }
  } else {
    lock_ = std::unique_lock(context_.order(), std::try_to_lock);
    if (!lock_ || Claim::is_in_the_way(context_, accesses, count, work_.claim) || queue_.backend.would_block())
      return false;
  }
  for (const Access& access : work_.accesses) access.block->usable_memory();
  for (const Access& access : work_.accesses) {
    // Merged uses have later work wait for more than it must. A use that is over counts only until its queue's next barrier.
    if (access.block->log().is_full()) {
      access.block->log().forget([&](const AccessLog::Entry& e) {
        const Queue& queue = context_.queue(e.queue);
        return e.value <= queue.done.load(std::memory_order_acquire) && e.epoch < queue.epoch;
      });
    }
    access.block->log().expect();
    access.block->log().conflicts(access.block->placed(access.span), access.write, [&](const AccessLog::Entry& e) {
      if (e.queue != queue_.index) {
        wait_for_queue(e.queue, e.value);
      } else if (e.epoch == queue_.epoch) {
        needs_barrier_ = true;
      }
    });
  }
  for (const Ticket& t : work_.after) wait_for_queue(t.queue, t.value);
  if (!work_.after_devices.empty()) wait_for_devices();
  if (work_.semaphores != nullptr) {
    work_.semaphores->wait(queue_);
    waits_ = true;
  }
  return true;
}

void Submission::wait_for_queue(uint32_t other, uint64_t value) {
  if (other == queue_.index || queue_.waited[other] >= value) return;
  Queue& source = context_.queue(other);
  if (source.done.load(std::memory_order_acquire) >= value) return;
  context_.call([&] { queue_.backend.wait_for(source.backend, value); });
  queue_.waited[other] = value;
  waits_ = true;
}

void Submission::wait_for_devices() {
  waits_ = true;
  std::shared_ptr<Hold> hold;
  for (const Ticket& t : work_.after_devices) {
    Queue& source = context_.queue(t.queue);
    if (context_.call([&] { return queue_.backend.wait_for_device(source.backend, t.value); })) continue;
    if (context_.reached(t.queue, t.value)) continue;
    if (!hold) {
      hold = std::make_shared<Hold>();
      hold->open = context_.call([&] { return queue_.backend.hold(); });
      if (!hold->open) fail(VD_ERR_UNSUPPORTED, "queue {} cannot wait for a ticket of another device", queue_.index);
    }
    // Whatever comes of that work: the failure belongs to its own ticket.
    context_.when_done(t.queue, t.value, [hold](const std::exception_ptr&) {}, {&queue_, queue_.last_value});
  }
}

vd_ticket Submission::commit(const Submitted& submitted) {
  const uint64_t value = submitted.value;
  if (submitted.barrier) ++queue_.epoch;
  if (work_.parts != nullptr)
    queue_.backend.failures.join(*work_.parts, value, queue_.done.load(std::memory_order_acquire));
  queue_.last_value.store(value, std::memory_order_release);
  if (!work_.is_write || waits_) queue_.last_other.store(value, std::memory_order_release);
  for (const Access& access : work_.accesses) {
    access.block->log().add({access.block->placed(access.span), value, queue_.epoch, queue_.index, access.write});
    access.block->memory()->last_use[queue_.index] = value;
  }
  return context_.ticket(queue_.index, value);
}

vd_ticket submit_nothing(vd_context& context, Queue& queue, const Waits& waits) {
  const bool waits_for_semaphores = waits.semaphores && waits.semaphores->waits();
  if (waits.queues.empty() && waits.devices.empty() && waits.stream == 0 && !waits_for_semaphores) {
    // The ticket of the last work, unless that has failed or still may.
    const uint64_t last = queue.last_value.load(std::memory_order_acquire);
    const bool done = queue.done.load(std::memory_order_acquire) >= last || context.completed(queue.index) >= last;
    if (done && !queue.backend.failures.has(last)) return last == 0 ? 0 : context.ticket(queue.index, last);
  }
  const Work work{.accesses = {},
                  .after = waits.queues,
                  .after_devices = waits.devices,
                  .stream = waits.stream,
                  .semaphores = waits.semaphores.get()};
  return *submit(context, queue, work, [&](bool) {
    return Submitted{queue.backend.submit(backends::CommandList{}), true};
  });
}

}  // namespace vd::runtime
