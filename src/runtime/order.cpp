#include "runtime/order.h"

namespace vd::runtime {

bool Order::is_being_read(const Use* uses, size_t count) const {
  for (const HostRead& read : context_.host_reads()) {
    for (size_t i = 0; i < count; ++i) {
      if (uses[i].write && uses[i].block == read.block && uses[i].span.overlaps(read.span)) return true;
    }
  }
  return false;
}

bool Order::begin(const Use* uses, size_t count) {
  if (patient_) {
    lock_ = std::unique_lock(context_.order());
    context_.host_read_done().wait(lock_, [&] { return !is_being_read(uses, count); });
  } else {
    lock_ = std::unique_lock(context_.order(), std::try_to_lock);
    if (!lock_ || is_being_read(uses, count) || queue_.backend.would_block()) return false;
  }
  for (size_t i = 0; i < count; ++i) uses[i].block->usable_memory();
  for (size_t i = 0; i < count; ++i) {
    uses[i].block->log.conflicts(uses[i].span, uses[i].write, [&](const AccessLog::Entry& e) {
      if (e.queue != queue_.index) {
        wait_for(e.queue, e.value);
      } else if (e.epoch == queue_.epoch) {
        barrier_ = true;
      }
    });
  }
  return true;
}

void Order::wait_for(uint32_t other, uint64_t value) {
  if (other == queue_.index || queue_.waited[other] >= value) return;
  Queue& source = context_.queue(other);
  context_.call([&] { queue_.backend.wait_for(source.backend, value); });
  queue_.waited[other] = value;
}

vd_ticket Order::commit(const Use* uses, size_t count, uint64_t value) {
  queue_.last_value.store(value, std::memory_order_release);
  for (size_t i = 0; i < count; ++i) {
    uses[i].block->log.add({uses[i].span, value, queue_.epoch, queue_.index, uses[i].write});
    uses[i].block->memory()->last_use[queue_.index] = value;
  }
  return context_.ticket(queue_.index, value);
}

}  // namespace vd::runtime
