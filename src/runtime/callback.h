// Whether the calling thread runs a program's callback. The library must not be called there: a thread that serves a
// queue would wait for itself.
#pragma once

#include "core/process_end.h"

struct vd_context;

namespace vd::runtime {

struct Queue;

// Marks the calling thread while it lives. If the program ends its process there, the end waits for nothing that waits for
// this thread.
class CallbackScope {
 public:
  // The later work of `queue` waits until the callback returns; null if no queue waits.
  CallbackScope(vd_context& context, const Queue* queue) noexcept;
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;
  ~CallbackScope();

  // Whether the calling thread runs a callback of this context.
  static bool runs_for(const vd_context& context) noexcept;
  // Its queue, of this context, that waits; null without.
  static const Queue* waiting_queue(const vd_context& context) noexcept;

 private:
  const FinishedAtEnd::Call call_;
  const vd_context& context_;
  const Queue* const queue_;
  const CallbackScope* const outer_;
};

// Throws VD_ERR_STATE in a callback.
void refuse_in_callback();

}  // namespace vd::runtime
