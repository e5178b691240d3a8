#include "core/driver_thread.h"

#include <cstdint>

namespace vd {
namespace {
thread_local uint32_t t_driver = 0;
}

bool on_driver_thread() noexcept { return t_driver != 0; }
DriverThread::DriverThread() noexcept { ++t_driver; }
DriverThread::~DriverThread() { --t_driver; }

}  // namespace vd
