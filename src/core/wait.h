// Parts shared by loops that wait for another thread or for a device.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace vd {

// One iteration of a loop that spins.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#else
  std::this_thread::yield();
#endif
}

// A moment so long from now; past a century it never comes.
inline std::chrono::steady_clock::time_point deadline_after(uint64_t timeout_ns) {
  using Clock = std::chrono::steady_clock;
  constexpr uint64_t kLong = 100ull * 365 * 24 * 3600 * 1000000000ull;
  if (timeout_ns > kLong) return Clock::time_point::max();
  return Clock::now() + std::chrono::nanoseconds(timeout_ns);
}

}  // namespace vd
