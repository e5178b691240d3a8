#include "runtime/hazard.h"

#include <algorithm>

namespace vd::runtime {
namespace {
// Past this many uses of one block they are merged: later work then waits for a little more than it must.
constexpr size_t kMaxEntries = 32;
}  // namespace

void AccessLog::add(const Entry& entry) {
  if (entry.write) {
    // Who waits for the new write waits for all that it waited for.
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
  if (entries_.size() > kMaxEntries) merge();
}

void AccessLog::merge() {
  // One use for each queue and kind: the hull of their bytes, done when the last of them is.
  std::vector<Entry> merged;
  for (const Entry& e : entries_) {
    auto same = std::find_if(merged.begin(), merged.end(),
                             [&](const Entry& m) { return m.queue == e.queue && m.write == e.write; });
    if (same == merged.end()) {
      merged.push_back(e);
      continue;
    }
    same->span = {std::min(same->span.begin, e.span.begin), std::max(same->span.end, e.span.end)};
    same->value = std::max(same->value, e.value);
    same->epoch = std::max(same->epoch, e.epoch);
  }
  merged.reserve(kMaxEntries + 1);
  entries_ = std::move(merged);
}

}  // namespace vd::runtime
