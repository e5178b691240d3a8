// Threads of the library. They block the program's signals: a signal handler on such a thread could need a lock that
// the library holds. They take faults and SIGPROF, for crash reporters and profilers.
#pragma once

#include <thread>
#include <utility>

#include "core/platform.h"

namespace vd {

template <class F>
std::thread start_thread(F&& work) {
  const platform::BlockedSignals blocked;  // which the new thread inherits
  return std::thread(std::forward<F>(work));
}

}  // namespace vd
