// A function of the program's, which a graph calls in order.
#pragma once

#include <exception>
#include <memory>

#include "core/program_call.h"
#include "runtime/queue.h"
#include "runtime/submission.h"

namespace vd::runtime {

class HostCall {
 public:
  HostCall(vd_graph_fn callback, void* user) : callback_(callback), user_(user) {}
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  ~HostCall() {
    if (user_free_ != nullptr) call_program("user_free of vd_graph_call", [this] { user_free_(user_); });
  }
  // From now on, what the function is called with is freed with this.
  void own_user(vd_free_fn user_free) { user_free_ = user_free; }

  // Work of the queue waits until it returns. The function's exception, or null.
  std::exception_ptr run(vd_context& context, Queue& queue) const;

 private:
  const vd_graph_fn callback_;
  void* const user_;
  vd_free_fn user_free_ = nullptr;
};

// Calls it when all earlier work of the queue is done; later work begins when it has returned.
vd_ticket call_in_order(vd_context& context, Queue& queue, const Work& work, std::shared_ptr<const HostCall> call);

}  // namespace vd::runtime
