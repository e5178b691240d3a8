// Threads of the library. They block the program's signals: a signal handler on such a thread could need a lock that
// the library holds. They take faults and SIGPROF, for crash reporters and profilers.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include "core/error.h"
#include "core/platform.h"

namespace vd {

// Throws VD_ERR_OUT_OF_MEMORY if the system starts none for want of something, and VD_ERR_INTERNAL if it does not for
// another reason, as where a sandbox permits none.
template <class F>
std::thread start_thread(F&& work) {
  const platform::BlockedSignals blocked;  // which the new thread inherits
  try {
    return std::thread(std::forward<F>(work));
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again)
      fail(VD_ERR_INTERNAL, "the system starts no thread: {}", error.what());
    fail(VD_ERR_OUT_OF_MEMORY, "the system starts no thread: its limit is reached, or memory for a stack is missing");
  }
}

}  // namespace vd
