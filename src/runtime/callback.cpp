#include "runtime/callback.h"

#include "core/error.h"
#include "runtime/context.h"

namespace vd::runtime {
namespace {
thread_local const CallbackScope* t_callback = nullptr;
}

CallbackScope::CallbackScope(vd_context& context, const Queue* queue) noexcept
    : call_(context.finished_at_end()), context_(context), queue_(queue), outer_(t_callback) {
  t_callback = this;
}
CallbackScope::~CallbackScope() { t_callback = outer_; }

bool CallbackScope::runs_for(const vd_context& context) noexcept {
  for (const CallbackScope* scope = t_callback; scope != nullptr; scope = scope->outer_)
    if (&scope->context_ == &context) return true;
  return false;
}

const Queue* CallbackScope::waiting_queue(const vd_context& context) noexcept {
  for (const CallbackScope* scope = t_callback; scope != nullptr; scope = scope->outer_)
    if (&scope->context_ == &context && scope->queue_ != nullptr) return scope->queue_;
  return nullptr;
}

void refuse_in_callback() {
  if (t_callback != nullptr) [[unlikely]]
    fail(VD_ERR_STATE,
         "the calling thread is in a callback of the library (vd_ticket_notify, vd_graph_call), which must call "
         "nothing of it");
}

}  // namespace vd::runtime
