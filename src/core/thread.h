// Threads of the library. The program's signals are not theirs: a handler that ran on one of them would meet whatever
// locks the library holds.
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
