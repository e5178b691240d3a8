// Whether the calling thread runs a program's callback. The library must not be called there: a thread that serves a
// queue would wait for itself.
#pragma once

namespace vd::runtime {

// Marks the calling thread while it lives.
class CallbackScope {
 public:
  CallbackScope() noexcept;
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;
  ~CallbackScope();
};

// Throws VD_ERR_STATE in a callback.
void refuse_in_callback();

}  // namespace vd::runtime
