// One turn of a loop that waits for another thread or for the device.
#pragma once

#include <thread>

namespace vd::cuda {

inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#else
  std::this_thread::yield();
#endif
}

}  // namespace vd::cuda
