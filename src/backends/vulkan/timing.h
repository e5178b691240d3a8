// Times of commands, by timestamp queries.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "backends/backend.h"
#include "backends/vulkan/gpu.h"

namespace vd::vulkan {

// Queries of a pool, one more than commands: the begin of each, which is the end of the one before, and the last one's
// end. None without a pool.
struct Queries {
  VkQueryPool pool = VK_NULL_HANDLE;
  uint32_t first = 0;
};

// The clock that a queue family's timestamps are of, and queries of it. By one thread at a time, but for now().
class DeviceClock {
 public:
  DeviceClock(std::shared_ptr<const Gpu> gpu, uint32_t family);
  // Whether such a family has timestamps that we can use.
  static bool is_usable(const Gpu& gpu, uint32_t family);

  const Gpu& gpu() const { return *gpu_; }
  // Queries that were not used before. The pool lives as long as what is returned.
  struct Taken {
    std::shared_ptr<QueryPool> pool;
    uint32_t first = 0;
  };
  Taken take(uint32_t count);

  // The host's time of a timestamp, and the most that it may be off: where the device tells both at once.
  struct Pair {
    uint64_t ticks = 0;
    uint64_t host = 0;
    uint64_t error = 0;
  };
  std::optional<Pair> now() const;
  // Nanoseconds between two timestamps. They may have fewer than 64 bits, and start again at 0.
  uint64_t between(uint64_t from, uint64_t to) const;

 private:
  const std::shared_ptr<const Gpu> gpu_;
  const uint64_t mask_;
  bool calibrated_ = false;
  std::shared_ptr<QueryPool> pool_;
  uint32_t size_ = 0;
  uint32_t used_ = 0;
};

class Timing final : public backends::Timing {
 public:
  Timing(std::shared_ptr<const DeviceClock> clock, DeviceClock::Taken taken);
  Queries queries() const { return {taken_.pool->get(), taken_.first}; }
  uint64_t read(std::span<backends::Interval> out) override;

 private:
  const std::shared_ptr<const DeviceClock> clock_;
  const DeviceClock::Taken taken_;
  const uint64_t submitted_;  // the host's time before it was
};

}  // namespace vd::vulkan
