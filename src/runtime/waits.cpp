#include "runtime/waits.h"

#include "runtime/context.h"

namespace vd::runtime {

Waits read_waits(vd_context& context, const Queue& queue, std::span<const vd_ticket> tickets, const char* name) {
  Waits waits;
  for (size_t i = 0; i < tickets.size(); ++i) {
    const Ticket t = context.check_ticket(tickets[i], name, i);
    if (tickets[i] == 0) continue;
    (context.queue(t.queue).device == queue.device ? waits.queues : waits.devices).push_back(t);
  }
  return waits;
}

}  // namespace vd::runtime
