#include "runtime/hazard.h"

#include <algorithm>
#include <cstddef>

namespace vd::runtime {
AccessLog::AccessLog(uint32_t queue_count, size_t spare)
    : limit_(14 + 2 * queue_count + static_cast<uint32_t>(spare)) {}

void AccessLog::expect() {
  const size_t most = size_t{limit_} + 1;
  expected_ = static_cast<uint32_t>(std::min(size_t{expected_} + 1, most));
  const size_t room = std::min(entries_.size() + expected_, most);
  if (room > entries_.capacity()) entries_.reserve(std::min(std::max(room, 2 * entries_.capacity()), most));
}

void AccessLog::add(const Entry& entry) noexcept {
  if (expected_ != 0) --expected_;
  if (entry.write) {
    // Work that waits for the new write also waits for all that this write waited for.
    std::erase_if(entries_, [&](const Entry& e) { return entry.span.covers(e.span); });
  } else {
    for (Entry& e : entries_) {
      if (!e.write && e.queue == entry.queue && e.span == entry.span) {
        e.value = entry.value;
        e.epoch = entry.epoch;
        return;
      }
    }
  }
  entries_.push_back(entry);
  if (entries_.size() > limit_) merge();
}

void AccessLog::merge() noexcept {
  // One use for each queue and kind: the hull of their bytes, done when the last of them is.
  size_t kept = 0;
  for (const Entry e : entries_) {
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto same =
        std::find_if(entries_.begin(), end, [&](const Entry& m) { return m.queue == e.queue && m.write == e.write; });
    if (same == end) {
      entries_[kept++] = e;
      continue;
    }
    same->span = {std::min(same->span.begin, e.span.begin), std::max(same->span.end, e.span.end)};
    same->value = std::max(same->value, e.value);
    same->epoch = std::max(same->epoch, e.epoch);
  }
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(kept), entries_.end());
}

}  // namespace vd::runtime
