#include "runtime/host_call.h"

#include <exception>
#include <mutex>
#include <utility>

#include "core/error.h"
#include "runtime/callback.h"
#include "runtime/hold.h"

namespace vd::runtime {

std::exception_ptr HostCall::run(vd_context& context, Queue& queue) const {
  const CallbackScope scope(context, &queue);
  try {
    call_program_or_fail(VD_ERR_KERNEL, "the callback of vd_graph_call", [this] { callback_(user_); });
  } catch (const std::exception&) {
    return std::current_exception();
  }
  return nullptr;
}

namespace {

// Joins how a call ended with the value of its work. The function may return before the value is known, so the later of
// the two adds a failure to the queue's.
class Outcome {
 public:
  explicit Outcome(Queue& queue) : queue_(queue) {}

  void ended(std::exception_ptr failure) noexcept {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    add_if_complete();
  }
  // Before anybody can wait for the value.
  void submitted(uint64_t value) noexcept {
    const std::lock_guard lock(mutex_);
    value_ = value;
    add_if_complete();
  }

 private:
  void add_if_complete() noexcept {
    if (failure_ && value_ != 0) queue_.backend.failures.add(value_, failure_);
  }

  Queue& queue_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  uint64_t value_ = 0;
};

}  // namespace

vd_ticket call_in_order(vd_context& context, Queue& queue, const Work& work, std::shared_ptr<const HostCall> call) {
  return *submit(context, queue, work, [&](bool) {
    const auto outcome = std::make_shared<Outcome>(queue);
    const auto run = [&context, &queue, call, outcome] { outcome->ended(call->run(context, queue)); };
    if (const auto value = queue.backend.call(run)) {
      outcome->submitted(*value);
      return Submitted{*value, true};
    }
    // The first list ends when everything that the queue waits for has ended.
    const uint64_t before = queue.backend.submit(backends::CommandList{});
    const auto hold = std::make_shared<Hold>();
    hold->open = queue.backend.hold();
    if (!hold->open) fail(VD_ERR_UNSUPPORTED, "queue {} cannot call functions of the host", queue.index);
    context.when_done(queue.index, before,
                      [hold, run](const std::exception_ptr& failure) {
                        if (!failure) run();
                      },
                      {&queue, before});
    const uint64_t value = queue.backend.submit(backends::CommandList{});
    outcome->submitted(value);
    return Submitted{value, true};
  });
}

}  // namespace vd::runtime
