#include "runtime/semaphore.h"

#include "core/error.h"

using namespace vd;

vd_semaphore::vd_semaphore(vd_context& context, uint32_t device, uint64_t timeout_ns,
                           const backends::SemaphoreDesc& desc)
    : context_(Ref<vd_context>::retain(&context)), device_(device), timeout_ns_(timeout_ns), name_(desc.label) {
  context.require_callable();
  semaphore_ = context.call([&] { return context.device(device).make_semaphore(desc); });
}

namespace vd::runtime {

void SemaphoreOrder::wait(vd_context& context, Queue& queue) {
  if (waited_) return;
  waited_ = true;
  for (const backends::SemaphoreUse& use : uses_.waits) {
    const uint64_t value = context.call([&] { return queue.backend.wait_for(use); });
    queue.last_value.store(value, std::memory_order_release);
  }
}

void SemaphoreOrder::signal(vd_context& context, Queue& queue) const {
  if (uses_.signals.empty()) return;
  const std::lock_guard lock(context.order());
  for (const backends::SemaphoreUse& use : uses_.signals) {
    const uint64_t value = context.call([&] { return queue.backend.signal(use); });
    queue.last_value.store(value, std::memory_order_release);
  }
}

}  // namespace vd::runtime
