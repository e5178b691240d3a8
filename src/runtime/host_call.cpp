#include "runtime/host_call.h"

#include <exception>
#include <functional>
#include <utility>

#include "core/error.h"
#include "runtime/callback.h"
#include "runtime/hold.h"

namespace vd::runtime {

void HostCall::run(vd_context& context, Queue& queue, uint64_t value) const {
  const CallbackScope scope(context, &queue);
  try {
    call_program_or_fail(VD_ERR_KERNEL, "the callback of vd_graph_call", [this] { callback_(user_); });
  } catch (const std::exception&) {
    queue.call_failures.add(value, std::current_exception());
  }
}

vd_ticket call_in_order(vd_context& context, Queue& queue, const Work& work, std::shared_ptr<const HostCall> call) {
  return *submit(context, queue, work, [&](bool) {
    const uint64_t last = queue.last_value;
    if (const auto value = queue.backend.call([&context, &queue, call, last] { call->run(context, queue, last + 1); }))
      return Submitted{*value, true};
    // The first list ends when everything that the queue waits for has ended.
    const uint64_t before = queue.backend.submit(backends::CommandList{});
    const auto hold = std::make_shared<Hold>();
    hold->open = queue.backend.hold();
    if (!hold->open) fail(VD_ERR_UNSUPPORTED, "queue {} cannot call functions of the host", queue.index);
    context.notify(queue.index, before,
                   [&context, &queue, hold, call, before](const std::exception_ptr& failure) {
                     if (!failure) call->run(context, queue, before + 1);
                   },
                   {&queue, before});
    return Submitted{queue.backend.submit(backends::CommandList{}), true};
  });
}

}  // namespace vd::runtime
