#include "runtime/order.h"

#include <algorithm>

namespace vd::runtime {
namespace {

// Whether a claim other than `own` is in the way. Under the order lock.
bool is_claimed(vd_context& context, const Use* uses, size_t count, const Claim* own) {
  return std::ranges::any_of(context.claims(), [&](const Claim* claim) {
    return claim != own && std::any_of(uses, uses + count, [&](const Use& use) { return claim->conflicts(use); });
  });
}

}  // namespace

Claim::Claim(vd_context& context, const Use* uses, size_t count) : context_(context), uses_(uses), count_(count) {
  std::unique_lock lock(context_.order());
  context_.claim_ended().wait(lock, [&] { return !is_claimed(context_, uses_, count_, nullptr); });
  context_.claims().push_back(this);
}

Claim::~Claim() {
  {
    const std::lock_guard lock(context_.order());
    std::erase(context_.claims(), this);
  }
  context_.claim_ended().notify_all();
}

bool Claim::conflicts(const Use& use) const {
  return std::any_of(uses_, uses_ + count_, [&](const Use& mine) {
    return use.block == mine.block && (use.write || mine.write) && use.span.overlaps(mine.span);
  });
}

Transfer::Transfer(vd_context& context, const Use& use) : use_(use), claim_(context, &use_, 1) {
  const std::lock_guard lock(context.order());
  memory_ = use_.block->usable_memory();
}

bool Order::begin(const Use* uses, size_t count) {
  if (patient_) {
    for (;;) {
      lock_ = std::unique_lock(context_.order());
      context_.claim_ended().wait(lock_, [&] { return !is_claimed(context_, uses, count, own_); });
      if (!queue_.backend.would_block()) break;
      lock_.unlock();
      context_.call([&] { queue_.backend.wait_for_room(); });
    }
  } else {
    lock_ = std::unique_lock(context_.order(), std::try_to_lock);
    if (!lock_ || is_claimed(context_, uses, count, own_) || queue_.backend.would_block()) return false;
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
