#include "backends/vulkan/mark_trials.h"

#include <algorithm>

namespace vd::vulkan {

bool MarkTrials::wants_mark(uint32_t graph, uint64_t value, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Trial& trial = trials_[graph % trials_.size()];
  if (trial.graph != graph) {
    trial = {};
    trial.graph = graph;
  }
  last_ = &trial;
  value_ = value;
  begin_ = now;
  return marked_ = trial.next();
}

void MarkTrials::ended(uint64_t value, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (last_ == nullptr || value != value_) return;
  last_->took(now - begin_, marked_);
  last_ = nullptr;  // a later wait for the same value says nothing
}

bool MarkTrials::Trial::next() {
  if (run == period) run = 0;
  if (run == 0) {
    quick = late = 0;
    marks = true;
  }
  const uint32_t number = run++;
  if (number < kRuns) return true;
  if (number < 2 * kRuns) return late != 0;
  if (number == 2 * kRuns) {
    marks = quick < kRuns;
    period = late != 0 ? std::min(2 * period, kMostPeriod) : kPeriod;
  }
  return marks;
}

void MarkTrials::Trial::took(Clock::duration time, bool with_mark) {
  const bool is_late = least != Clock::duration::max() && time > least + kLate;
  least = std::min(least, time);
  if (with_mark) return;
  if (run <= 2 * kRuns) {
    ++(is_late ? late : quick);
  } else {
    late = is_late ? late + 1 : 0;
    marks = late == kLateRuns;
  }
}

}  // namespace vd::vulkan
