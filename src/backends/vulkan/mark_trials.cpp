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
  if (first_runs < kFirstRuns) {
    ++first_runs;
    return true;
  }
  if (run == period) run = 0;
  if (run == 0) marked = unmarked = Clock::duration::max();
  if (run == 2 * kRuns) judge();
  const uint32_t number = run++;
  return number < 2 * kRuns ? number % 2 == 0 : marks;
}

void MarkTrials::Trial::judge() {
  const bool known = marked != Clock::duration::max() && unmarked != Clock::duration::max();
  marks = !known || unmarked > marked + kWorth;
  period = known && marks ? std::min(2 * period, kMostPeriod) : kPeriod;
  late = 0;
}

void MarkTrials::Trial::took(Clock::duration time, bool with_mark) {
  if (run <= 2 * kRuns) {
    Clock::duration& least = with_mark ? marked : unmarked;
    least = std::min(least, time);
  } else if (!marks) {
    late = time > marked + kWorth ? late + 1 : 0;
    marks = late == kRuns;
  }
}

}  // namespace vd::vulkan
