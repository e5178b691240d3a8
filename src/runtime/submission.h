// One step of giving work to a queue, in four moves: say what memory it uses, take the order lock, which tells what the
// work must wait for, hand it to the backend, and note its uses. Work that a thread gives to a queue thus stands in one
// order with all other work of the context.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/context.h"
#include "runtime/memory.h"

namespace vd::runtime {

struct Access {
  Block* block;
  Span span;
  bool write;
};

// Memory whose turn it is, for what takes longer to give than the order lock may be held. As long as a claim lives,
// other work that conflicts with it waits for its end: what is done under it stands as one in the order of all work.
class Claim {
 public:
  // Waits for other claims that it conflicts with: hence before anything is taken that another may wait for. The uses
  // live as long.
  Claim(vd_context& context, const Access* accesses, size_t count);
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim();

  bool conflicts(const Access& access) const;

 private:
  vd_context& context_;
  const Access* const accesses_;
  const size_t count_;
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

class Submission {
 public:
  // `patient` may wait for locks and claims; otherwise begin() answers false where it would have to. `own` is the claim
  // that the work is done under.
  Submission(vd_context& context, Queue& queue, bool patient, const Claim* own = nullptr)
      : context_(context), queue_(queue), patient_(patient), own_(own) {}

  // Takes the lock and makes the queue wait for what the uses conflict with on other queues. Throws VD_ERR_STATE for
  // memory that was discarded. False: it would have had to wait, and nothing has been done.
  bool begin(const Access* accesses, size_t count);
  // Whether a barrier must come before the work. One is taken for granted after barrier_taken().
  bool needs_barrier() const { return barrier_; }
  // The work begins with a barrier.
  void barrier_taken() {
    ++queue_.epoch;
    barrier_ = false;
  }
  // The queue's later work waits for a value of another queue of the same device.
  void wait_for(uint32_t other, uint64_t value);
  // The queue's later work waits for work of other devices.
  void wait_for_devices(const std::vector<Ticket>& tickets);
  // Notes that the work was given, and gives its ticket.
  vd_ticket commit(const Access* accesses, size_t count, uint64_t value);
  void unlock() { lock_.unlock(); }

 private:
  vd_context& context_;
  Queue& queue_;
  const bool patient_;
  const Claim* const own_;
  bool barrier_ = false;
  std::unique_lock<FairMutex> lock_;
};

}  // namespace vd::runtime
