#include "runtime/node_order.h"

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

void NodeOrder::add(std::span<const Use> uses) {
  const auto node = static_cast<uint32_t>(levels_.size());
  const size_t first = edges_.size();
  uint32_t level = fence_level_;
  for (const Use& use : uses) level = std::max(level, find_level(use));
  const auto begin = edges_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, edges_.end());
  edges_.erase(std::unique(begin, edges_.end()), edges_.end());
  if (finds_edges_) take_fence(first);
  levels_.push_back(level);
  ends_.push_back(edges_.size());
  level_count_ = std::max(level_count_, level + 1);
  for (const Use& use : uses) {
    if (use.span.begin >= use.span.end) continue;
    Segments& segments = regions_[use.region];
    cut(segments, use.span.begin);
    cut(segments, use.span.end);
    if (use.write)
      put_write(segments, use.span, node);
    else
      put_read(segments, use.span, node);
  }
}

void NodeOrder::fence() {
  const auto count = static_cast<uint32_t>(levels_.size());
  if (fence_ == count) return;
  if (finds_edges_) {
    ends_before_.clear();
    for (uint32_t node = fence_; node < count; ++node)
      if (!followed_[node]) ends_before_.push_back(node);
  }
  fence_ = count;
  fence_level_ = level_count_;
}

// Edges over the fence follow from those to its last nodes, which only a node without others needs.
void NodeOrder::take_fence(size_t first) {
  const auto begin = edges_.begin() + static_cast<std::ptrdiff_t>(first);
  edges_.erase(begin, std::lower_bound(begin, edges_.end(), fence_));
  if (edges_.size() == first) edges_.insert(edges_.end(), ends_before_.begin(), ends_before_.end());
  followed_.push_back(false);
  for (size_t i = first; i < edges_.size(); ++i) followed_[edges_[i]] = true;
}

std::span<const uint32_t> NodeOrder::edges(uint32_t node) const {
  const size_t first = node == 0 ? 0 : ends_[node - 1];
  return {edges_.data() + first, ends_[node] - first};
}

// The lowest level at which the bytes may be accessed; appends the edges.
uint32_t NodeOrder::find_level(const Use& use) {
  const auto found = regions_.find(use.region);
  if (found == regions_.end()) return 0;
  uint32_t level = 0;
  const Segments& segments = found->second;
  for (auto it = first_past(segments, use.span.begin); it != segments.end() && it->first < use.span.end; ++it) {
    const Segment& segment = it->second;
    if (segment.writer != kNone) {
      level = std::max(level, levels_[segment.writer] + 1);
      if (finds_edges_) edges_.push_back(segment.writer);
    }
    if (!use.write) continue;
    level = std::max(level, segment.after_reads);
    for (uint32_t i = segment.readers; i != kNone; i = readers_[i].before) edges_.push_back(readers_[i].node);
  }
  return level;
}

void NodeOrder::cut(Segments& segments, uint64_t at) {
  auto it = first_past(segments, at);
  if (it == segments.end() || it->first >= at) return;
  segments.emplace(at, it->second);
  it->second.end = at;
}

// Work that waits for this write also waits for the accesses that it covers.
void NodeOrder::put_write(Segments& segments, const Span& span, uint32_t node) const {
  segments.erase(segments.lower_bound(span.begin), segments.lower_bound(span.end));
  segments.emplace(span.begin, Segment{.end = span.end, .writer = node});
}

void NodeOrder::put_read(Segments& segments, const Span& span, uint32_t node) {
  const uint32_t after = levels_[node] + 1;
  const auto note = [&](Segment& segment) {
    segment.after_reads = std::max(segment.after_reads, after);
    if (!finds_edges_ || (segment.readers != kNone && readers_[segment.readers].node == node)) return;
    readers_.push_back({node, segment.readers});
    segment.readers = static_cast<uint32_t>(readers_.size() - 1);
  };
  const auto last = segments.lower_bound(span.end);
  uint64_t at = span.begin;
  for (auto it = segments.lower_bound(span.begin); it != last; ++it) {
    if (it->first > at) note(segments.emplace_hint(it, at, Segment{.end = it->first})->second);  // a gap
    note(it->second);
    at = it->second.end;
  }
  if (at < span.end) note(segments.emplace_hint(last, at, Segment{.end = span.end})->second);
}

}  // namespace vd::runtime
