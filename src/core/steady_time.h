// The host's monotonic clock, in nanoseconds: CLOCK_MONOTONIC on Linux.
#pragma once

#include <chrono>
#include <cstdint>

namespace vd {

inline uint64_t steady_time() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace vd
