#include "core/work_failures.h"

#include <algorithm>
#include <utility>

namespace vd {

void WorkFailures::add(uint64_t value, std::exception_ptr what) noexcept {
  const std::lock_guard lock(mutex_);
  std::move(failures_.begin() + 1, failures_.end(), failures_.begin());
  failures_.back() = {value, std::move(what), false};
  any_.store(true, std::memory_order_release);
}

void WorkFailures::report(uint64_t value, bool asked) {
  if (!any_.load(std::memory_order_acquire)) return;
  std::unique_lock lock(mutex_);
  for (Failure& failure : failures_) {
    if (!failure.what || failure.value > value) continue;
    if (failure.reported && !(asked && failure.value == value)) continue;
    failure.reported = true;
    const std::exception_ptr what = failure.what;
    lock.unlock();
    std::rethrow_exception(what);
  }
}

bool WorkFailures::has(uint64_t value) const noexcept {
  if (!any_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(failures_, [&](const Failure& f) { return f.what && f.value == value; });
}

}  // namespace vd
