// The tickets that work waits for, and its label. Only read_waits() makes them, and it throws if one is invalid.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/queue.h"
#include "runtime/ticket.h"

struct vd_context;

namespace vd::runtime {

class SemaphoreOrder;

// By whether their work is on the device of the queue that waits; and the stream of the program's to run on.
struct Waits {
  std::vector<Ticket> queues, devices;
  uint64_t stream = 0;
  std::string label{};                           // of the work, in profiles
  std::shared_ptr<SemaphoreOrder> semaphores{};  // null without
};

// Throws VD_ERR_INVALID for another context's ticket; `name` is the list's in messages.
Waits read_waits(vd_context& context, const Queue& queue, std::span<const vd_ticket> tickets, const char* name);

}  // namespace vd::runtime
