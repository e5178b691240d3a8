#include "runtime/semaphore.h"

#include <algorithm>

#include "core/error.h"
#include "core/platform.h"

using namespace vd;

vd_semaphore::vd_semaphore(vd_context& context, uint32_t device, uint64_t timeout_ns,
                           const backends::SemaphoreDesc& desc)
    : context_(Ref<vd_context>::retain(&context)), device_(device), timeout_ns_(timeout_ns), name_(desc.label) {
  context.require_callable();
  semaphore_ = context.call([&] { return context.device(device).make_semaphore(desc); });
  // Closed only now: a semaphore that fails to be made leaves it to the program.
  if (desc.source == VD_SEMAPHORE_FD) platform::close_descriptor(static_cast<int>(desc.handle));
}

namespace vd::runtime {

SemaphoreOrder::~SemaphoreOrder() {
  if (claimed_ == 0) return;
  {
    const std::lock_guard lock(context_.order());
    end_claims();
  }
  context_.claim_ended().notify_all();
}

void SemaphoreOrder::claim(const std::string& name) {
  const std::vector<backends::SemaphoreUse>& uses = uses_.signals;
  if (uses.empty()) return;
  context_.require_callable();
  const auto name_of = [&](size_t i) { return fmt::format("{}[{}].value", name, i); };
  std::unique_lock lock(context_.order());
  // All semaphores at once: two lists that name them in different orders would wait for each other.
  context_.claim_ended().wait(lock, [&] {
    if (std::none_of(uses.begin(), uses.end(), [](const auto& use) { return use.semaphore->claimed != 0; }))
      return true;
    // A value that is too low for what queues were given stays so, and the other work may even wait for what this thread
    // does next. What the other work has claimed may be given back.
    for (size_t i = 0; i < uses.size(); ++i)
      context_.call([&] { uses[i].semaphore->check(uses[i].value, true, name_of(i)); });
    return false;
  });
  for (size_t i = 0; i < uses.size(); ++i) {
    context_.call([&] { uses[i].semaphore->claim(uses[i].value, name_of(i)); });
    if (uses[i].semaphore->claimed == 0) uses[i].semaphore->claimed = uses[i].value;
    claimed_ = i + 1;
  }
}

void SemaphoreOrder::wait(Queue& queue) {
  if (waited_) return;
  waited_ = true;
  for (const backends::SemaphoreUse& use : uses_.waits) {
    const uint64_t value = context_.call([&] { return queue.backend.wait_for(use); });
    queue.last_value.store(value, std::memory_order_release);
  }
}

void SemaphoreOrder::signal(Queue& queue) {
  if (uses_.signals.empty()) return;
  {
    const std::lock_guard lock(context_.order());
    for (; given_ < claimed_; ++given_) {
      const uint64_t value = context_.call([&] { return queue.backend.signal(uses_.signals[given_]); });
      queue.last_value.store(value, std::memory_order_release);
    }
    end_claims();
  }
  context_.claim_ended().notify_all();
}

// Under the order lock.
void SemaphoreOrder::end_claims() noexcept {
  for (size_t i = 0; i < claimed_; ++i) {
    const backends::SemaphoreUse& use = uses_.signals[i];
    if (i >= given_) use.semaphore->give_back(use.value);
    use.semaphore->claimed = 0;
  }
  claimed_ = given_ = 0;
}

}  // namespace vd::runtime
