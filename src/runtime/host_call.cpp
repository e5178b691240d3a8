#include "runtime/host_call.h"

#include <exception>
#include <functional>
#include <utility>

#include "core/error.h"
#include "runtime/callback.h"
#include "runtime/hold.h"

namespace vd::runtime {

void HostCall::run() const {
  const CallbackScope scope;
  callback_(user_);
}

vd_ticket call_in_order(vd_context& context, Queue& queue, const Work& work, std::shared_ptr<const HostCall> call) {
  return *submit(context, queue, work, [&](bool) {
    if (const auto value = queue.backend.call([call] { call->run(); })) return Submitted{*value, true};
    // The first list ends when everything that the queue waits for has ended.
    const uint64_t before = queue.backend.submit(backends::CommandList{});
    const auto hold = std::make_shared<Hold>();
    hold->open = queue.backend.hold();
    if (!hold->open) fail(VD_ERR_UNSUPPORTED, "queue {} cannot call functions of the host", queue.index);
    context.notify(queue.index, before, [hold, call](const std::exception_ptr& failure) {
      if (!failure) call->run();
    });
    return Submitted{queue.backend.submit(backends::CommandList{}), true};
  });
}

}  // namespace vd::runtime
