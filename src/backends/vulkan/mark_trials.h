// Whether the runs of a graph end with marks. A mark behind a graph takes a command buffer of its own, 2 to 3 us of an
// H200, where the driver's semaphore is as quick. In some processes with several devices and contexts on one GPU it is
// 30 us late in most runs without a mark, for a while or for good. Nothing tells when, so a graph tries now and then to do
// without, and goes back as soon as runs are late.
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
  // Runs of each kind in a trial: first with marks, then without. Of these none may be late, since some are quick by
  // chance where most are late.
  static constexpr uint32_t kRuns = 4;
  // Late runs in a row that end a choice of no marks: one alone is chance.
  static constexpr uint32_t kLateRuns = 2;
  // A run is late if it takes so much longer than the quickest that the graph ever had, of either kind: a few with marks
  // can all be slow, as those that fill caches are. Where every run takes longer than once, marks stay, which costs little.
  static constexpr std::chrono::microseconds kLate{5};

  // Whether the run of the graph with this number, submitted now to reach `value`, gets a mark. Any thread, as below.
  bool wants_mark(uint32_t graph, uint64_t value, Clock::time_point now);
  // A wait for the value has ended.
  void ended(uint64_t value, Clock::time_point now);

 private:
  // One graph's. Without waits there is nothing to learn, and marks stay.
  struct Trial {
    uint32_t graph = 0, run = 0, period = kPeriod, quick = 0, late = 0;
    bool marks = true;  // what was chosen last
    Clock::duration least = Clock::duration::max();

    bool next();
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
