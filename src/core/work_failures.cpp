#include "core/work_failures.h"

#include <algorithm>
#include <new>
#include <utility>

namespace vd {

bool WorkFailures::Parts::has(uint64_t value) const {
  const auto range = std::ranges::partition_point(ranges, [&](const Range& r) { return r.last < value; });
  return range != ranges.end() && range->first <= value;
}

void WorkFailures::add(uint64_t value, std::exception_ptr what) noexcept {
  const std::lock_guard lock(mutex_);
  Failure failure{.value = value, .what = std::move(what)};
  const auto joined = std::ranges::find_if(parts_, [&](const auto& parts) { return parts->has(value); });
  if (joined != parts_.end()) give(failure, *joined);
  note_last(failure.parts ? failure.parts->last() : value);
  put(std::move(failure));
}

void WorkFailures::put(Failure failure) noexcept {
  bool grown = true;
  try {
    failures_.emplace_back();
  } catch (const std::bad_alloc&) {
    if (failures_.empty()) return;  // not in practice: a deque has room for some from the beginning
    grown = false;
  }
  if (!grown || failures_.size() > kMost) {
    const auto end = failures_.end() - (grown ? 1 : 0);
    auto oldest = std::find_if(failures_.begin(), end, [](const Failure& f) { return f.reported; });
    if (oldest == end) oldest = failures_.begin();
    if (!oldest->reported) unreported_.fetch_sub(1, std::memory_order_relaxed);
    if (grown)
      failures_.erase(oldest);
    else
      std::move(oldest + 1, failures_.end(), oldest);
  }
  auto place = failures_.end() - 1;
  for (; place != failures_.begin() && (place - 1)->value > failure.value; --place) *place = std::move(*(place - 1));
  *place = std::move(failure);
  unreported_.fetch_add(1, std::memory_order_release);
}

void WorkFailures::give(Failure& failure, const std::shared_ptr<Parts>& parts) noexcept {
  failure.parts = parts;
  parts->failed = true;
}

// Under the lock.
void WorkFailures::note_last(uint64_t value) noexcept {
  if (value > last_.load(std::memory_order_relaxed)) last_.store(value, std::memory_order_release);
}

void WorkFailures::join(Work& work, uint64_t value, uint64_t done) noexcept {
  if (work.first_ == 0) work.first_ = value;
  if (!work.parts_ && work.first_ == value) return;
  const std::lock_guard lock(mutex_);
  try {
    if (!work.parts_) {
      const auto parts = std::make_shared<Parts>();
      parts->ranges.push_back({work.first_, work.first_});
      work.parts_ = parts;
    }
    Parts& parts = *work.parts_;
    if (value > parts.last() + 1)
      parts.ranges.push_back({value, value});
    else
      parts.ranges.back().last = value;
    while (!parts_.empty() && parts_.front()->last() <= done) {
      parts_.front()->listed = false;
      parts_.pop_front();
    }
    if (!parts.listed) parts_.push_back(work.parts_);
    parts.listed = true;
  } catch (const std::bad_alloc&) {
    return;
  }
  // Parts before it, and it itself, may have failed already.
  for (const uint64_t part : {work.first_, value}) {
    auto failure = std::ranges::partition_point(failures_, [&](const Failure& f) { return f.value < part; });
    for (; failure != failures_.end() && failure->value == part; ++failure)
      if (!failure->parts) give(*failure, work.parts_);
  }
  if (work.parts_->failed) note_last(value);
}

void WorkFailures::report(uint64_t value, bool asked) {
  if (unreported_.load(std::memory_order_acquire) == 0 && !(asked && value <= last_.load(std::memory_order_acquire)))
    return;
  std::unique_lock lock(mutex_);
  const auto up_to = std::ranges::partition_point(failures_, [&](const Failure& f) { return f.value <= value; });
  auto found = std::find_if(failures_.begin(), up_to, [](const Failure& f) { return !f.reported; });
  if (found == up_to) {
    if (asked) found = std::find_if(failures_.begin(), up_to, [&](const Failure& f) { return f.is_of(value); });
    if (found == up_to) return;
  }
  if (!std::exchange(found->reported, true)) unreported_.fetch_sub(1, std::memory_order_relaxed);
  const std::exception_ptr what = found->what;
  lock.unlock();
  std::rethrow_exception(what);
}

bool WorkFailures::has(uint64_t value) const noexcept {
  if (value > last_.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(failures_, [&](const Failure& f) { return f.is_of(value); });
}

}  // namespace vd
