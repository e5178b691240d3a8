#include "runtime/fetch.h"

#include "core/error.h"
#include "runtime/submission.h"

namespace vd::runtime {

Fetch::Fetch(vd_buffer& buffer, uint64_t offset, uint64_t size, uint32_t queue_index, const Waits& waits)
    : context_(Ref<vd_context>::retain(&buffer.context())), size_(size) {
  context_->require_callable();
  buffer.check_usable();
  buffer.check_range("offset", offset, size);
  Queue& queue = context_->queue(queue_index);
  const Access access{&buffer.block(queue), buffer.span(offset, size), false};
  if (waits.stream != 0 && queue.backend.is_capturing(waits.stream))
    fail(VD_ERR_STATE, "order->stream ({:#x}) is capturing, and a copy into memory of the library cannot be captured",
         waits.stream);
  if (size == 0) {
    ticket_ = submit_nothing(*context_, queue, waits);
    return;
  }
  memory_ = std::make_shared<DeviceMemory>(*context_, context_->allocate_readback(queue.device, size));
  ticket_ = copy_out(*context_, queue, access, *memory_, waits);
  context_->retired().collect();
}

const void* Fetch::data() const {
  if (size_ == 0) return "";
  if (!done_.load(std::memory_order_acquire)) {
    const Ticket ticket = unpack_ticket(ticket_);
    backends::Queue& queue = context_->queue(ticket.queue).backend;
    if (!context_->call([&] { return queue.reached(ticket.value); }))
      fail(VD_ERR_STATE, "the bytes of blob are not available before ticket ({:#x}) is done", ticket_);
    done_.store(true, std::memory_order_release);
  }
  const void* data = memory_->get().host_pointer();
  if (data == nullptr) fail(VD_ERR_INTERNAL, "memory for {} fetched bytes cannot be read by the host", size_);
  return data;
}

}  // namespace vd::runtime
