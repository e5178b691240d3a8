#include "backends/vulkan/spin_budget.h"

#include <algorithm>

namespace vd::vulkan {

bool SpinBudget::allows(Clock::time_point now) const noexcept {
  const Clock::time_point paid{Clock::duration(paid_.load(std::memory_order_relaxed))};
  return paid < now + kShare * kSaved;
}

void SpinBudget::lose(Clock::duration waited, Clock::time_point now) noexcept {
  const Clock::rep share = (kShare * std::min<Clock::duration>(waited, kMostLoss)).count();
  Clock::rep paid = paid_.load(std::memory_order_relaxed);
  while (!paid_.compare_exchange_weak(paid, std::max(paid, now.time_since_epoch().count()) + share,
                                      std::memory_order_relaxed)) {
  }
}

}  // namespace vd::vulkan
