// Whether the runs of a graph end with marks. A mark behind a graph takes a command buffer of its own, 1.6 us of an H200,
// where the driver's semaphore is as quick. In some processes on a device that others use, too, it is 30 us late without
// one. Nothing tells which, so a graph tries both now and then in turns, and keeps what a wait was quicker with. Its first
// runs say nothing, since they also fill caches.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace vd::vulkan {

class MarkTrials {
 public:
  using Clock = std::chrono::steady_clock;
  // Runs from one trial to the next: of a graph that has none, and the most of one whose marks turned out well again.
  static constexpr uint32_t kPeriod = 64, kMostPeriod = 1024;
  // Runs of a graph before its first trial, with marks.
  static constexpr uint32_t kFirstRuns = 4;
  // Runs of each kind in a trial, of which the quicker counts. As many late ones in a row without marks end that choice.
  static constexpr uint32_t kRuns = 2;
  static constexpr std::chrono::microseconds kWorth{5};

  // Whether the run of the graph with this number, submitted now to reach `value`, gets a mark. Any thread, as below.
  bool wants_mark(uint32_t graph, uint64_t value, Clock::time_point now);
  // A wait for the value has ended.
  void ended(uint64_t value, Clock::time_point now);

 private:
  // One graph's. Without waits there is nothing to learn, and marks stay.
  struct Trial {
    uint32_t graph = 0, first_runs = 0, run = 0, period = kPeriod, late = 0;
    bool marks = true;
    Clock::duration marked = Clock::duration::max(), unmarked = Clock::duration::max();

    bool next();
    void judge();
    void took(Clock::duration time, bool with_mark);
  };

  std::mutex mutex_;
  std::array<Trial, 64> trials_{};  // by the graph's number
  Trial* last_ = nullptr;           // that ran last, with a mark or without
  uint64_t value_ = 0;
  Clock::time_point begin_{};
  bool marked_ = false;
};

}  // namespace vd::vulkan
