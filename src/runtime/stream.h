// Streams of the program's own: work on them, and order between them and the queues.
#pragma once

#include <cstdint>

#include "runtime/context.h"
#include "runtime/queue.h"

namespace vd::runtime {

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

// Later work of the queue waits for what a stream of the program's was given so far; the ticket of that point.
vd_ticket wait_stream(vd_context& context, Queue& queue, uint64_t stream);
// Later work of the stream waits for the work of a queue, or of every one (VD_QUEUE_ALL).
void signal_stream(vd_context& context, uint32_t queue, uint64_t stream);

}  // namespace vd::runtime
