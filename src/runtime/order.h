// One step of giving work to a queue, in four moves: say what memory it uses, take the order lock, which tells what the
// work must wait for, hand it to the backend, and note its uses. Work that a thread gives to a queue thus stands in one
// order with all other work of the context.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/context.h"
#include "runtime/memory.h"

namespace vd::runtime {

struct Use {
  Block* block;
  Span span;
  bool write;
};

class Order {
 public:
  // `patient` may wait for locks; otherwise begin() answers false where it would have to.
  Order(vd_context& context, Queue& queue, bool patient) : context_(context), queue_(queue), patient_(patient) {}

  // Takes the lock and makes the queue wait for what the uses conflict with on other queues. Throws VD_ERR_STATE for
  // memory that was discarded. False: it would have had to wait, and nothing has been done.
  bool begin(const Use* uses, size_t count);
  // Whether a barrier must come before the work. One is taken for granted after barrier_taken().
  bool needs_barrier() const { return barrier_; }
  // The work begins with a barrier.
  void barrier_taken() {
    ++queue_.epoch;
    barrier_ = false;
  }
  // The queue's later work waits for a value of another queue of the same device.
  void wait_for(uint32_t other, uint64_t value);
  // Notes that the work was given, and gives its ticket.
  vd_ticket commit(const Use* uses, size_t count, uint64_t value);
  void unlock() { lock_.unlock(); }

 private:
  bool is_being_read(const Use* uses, size_t count) const;

  vd_context& context_;
  Queue& queue_;
  const bool patient_;
  bool barrier_ = false;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace vd::runtime
