// A driver's thread that runs a function of the program's and on which the driver must not be called, as CUDA asks. What would
// call it is left to another thread or to a later time.
#pragma once

#include "core/thread_pool.h"

namespace vd {

// Whether the calling thread is such a one now.
bool on_driver_thread() noexcept;

// Marks the calling thread while it lives.
class DriverThread {
 public:
  DriverThread() noexcept;
  DriverThread(const DriverThread&) = delete;
  DriverThread& operator=(const DriverThread&) = delete;
  ~DriverThread();

 private:
  // A queue needs it for its progress, too.
  LibraryThread borrowed_{nullptr};
};

}  // namespace vd
