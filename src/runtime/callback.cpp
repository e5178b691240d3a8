#include "runtime/callback.h"

#include <cstdint>

#include "core/error.h"

namespace vd::runtime {
namespace {
thread_local uint32_t t_callbacks = 0;
}

CallbackScope::CallbackScope() noexcept { ++t_callbacks; }
CallbackScope::~CallbackScope() { --t_callbacks; }

void refuse_in_callback() {
  if (t_callbacks != 0) [[unlikely]]
    fail(VD_ERR_STATE,
         "the calling thread is in a callback of the library (vd_ticket_notify, vd_graph_call), which must call "
         "nothing of it");
}

}  // namespace vd::runtime
