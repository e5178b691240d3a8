#include "runtime/stream.h"

#include "runtime/submission.h"

namespace vd::runtime {

vd_ticket wait_stream(vd_context& context, Queue& queue, uint64_t stream) {
  context.call([&] { queue.backend.check_stream(stream, "stream"); });
  return *submit(context, queue, {}, [&](bool) { return Submitted{queue.backend.wait_stream(stream), true}; });
}

void signal_stream(vd_context& context, uint32_t index, uint64_t stream) {
  context.require_callable();
  const uint32_t first = index == VD_QUEUE_ALL ? 0 : context.queue(index).index;
  const uint32_t last = index == VD_QUEUE_ALL ? context.queue_count() : first + 1;
  for (uint32_t q = first; q < last; ++q) {
    Queue& queue = context.queue(q);
    context.call([&] {
      queue.backend.check_stream(stream, "stream");
      queue.backend.signal_stream(stream);
    });
  }
}

}  // namespace vd::runtime
