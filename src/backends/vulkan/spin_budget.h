// The time that threads may lose by spinning for work which the host's own processors do. There a wait for tiny work is
// over in 20 us where the thread spins, and in 50 where it blocks: its processor goes idle then, and is started again
// for the driver's threads. But a thread that spins may also hold the very processor which the work needs. That depends
// on the work, on other programs, and on where the system puts the driver's threads, so a wait just tries: waits that
// spun without success may take a small share of the time, and while they have had it, no thread spins.
#pragma once

#include <atomic>
#include <chrono>

namespace vd::vulkan {

class SpinBudget {
 public:
  using Clock = std::chrono::steady_clock;
  // 1 / kShare of the time may be lost.
  static constexpr int kShare = 20;
  // The most that may be lost at once, after a time without losses: the driver compiles a kernel when it first runs, and the
  // system takes some waits to leave the spinning thread a processor of its own.
  static constexpr std::chrono::milliseconds kSaved{50};
  // The most that one wait counts for: by then the system gave each thread its turn, and the work itself is long.
  static constexpr std::chrono::milliseconds kMostLoss{5};

  bool allows(Clock::time_point now) const noexcept;
  // A wait spun without success, and took that long in all.
  void lose(Clock::duration waited, Clock::time_point now) noexcept;

 private:
  std::atomic<Clock::rep> paid_{0};  // from then on the share of the time has made up for all losses
};

}  // namespace vd::vulkan
