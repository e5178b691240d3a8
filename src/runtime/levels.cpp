#include "runtime/levels.h"

#include <algorithm>
#include <iterator>

namespace vd::runtime {
namespace {

// The first segment that reaches past `at`.
template <class Map>
auto first_past(Map& segments, uint64_t at) {
  auto it = segments.upper_bound(at);
  if (it != segments.begin()) {
    auto before = std::prev(it);
    if (before->second.end > at) it = before;
  }
  return it;
}

}  // namespace

uint32_t LevelMap::level_for(const void* block, const Span& span, bool write) const {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return 0;
  uint32_t level = 0;
  const Segments& segments = found->second;
  for (auto it = first_past(segments, span.begin); it != segments.end() && it->first < span.end; ++it) {
    level = std::max(level, it->second.after_write);
    if (write) level = std::max(level, it->second.after_reads);
  }
  return level;
}

void LevelMap::split(Segments& segments, uint64_t at) {
  auto it = first_past(segments, at);
  if (it == segments.end() || it->first >= at) return;
  segments.emplace(at, it->second);
  it->second.end = at;
}

void LevelMap::put(const void* block, const Span& span, bool write, uint32_t level) {
  if (span.begin >= span.end) return;
  Segments& segments = blocks_[block];
  split(segments, span.begin);
  split(segments, span.end);
  auto first = segments.lower_bound(span.begin);
  const auto last = segments.lower_bound(span.end);
  if (write) {
    segments.erase(first, last);
    segments.emplace(span.begin, Segment{span.end, level + 1, 0});
    return;
  }
  uint64_t at = span.begin;
  for (auto it = first; it != last; ++it) {
    if (it->first > at) segments.emplace_hint(it, at, Segment{it->first, 0, level + 1});  // a gap
    it->second.after_reads = std::max(it->second.after_reads, level + 1);
    at = it->second.end;
  }
  if (at < span.end) segments.emplace(at, Segment{span.end, 0, level + 1});
}

}  // namespace vd::runtime
