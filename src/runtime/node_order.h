// The earlier nodes of a graph that each node must run after, and its level, by the bytes that the nodes access. For
// each region of memory the bytes are cut into segments that were accessed alike; a segment remembers its last writer
// and the readers since. So few later nodes compare themselves with a node: a reader waits only for the writer, and a
// writer replaces the readers. A node's level is one above the highest of those that it must run after, hence nodes of
// one level are independent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/hazard.h"

namespace vd::runtime {

class NodeOrder {
 public:
  struct Use {
    const void* region;  // stands for the memory, and is not looked into
    Span span;
    bool write;
  };
  // Many writers after many readers have many edges, so they are found only where they are of use; levels always are.
  explicit NodeOrder(bool finds_edges) : finds_edges_(finds_edges) {}

  // The next node.
  void add(std::span<const Use> uses);
  // All later nodes run after all earlier ones.
  void fence();

  uint32_t level(uint32_t node) const { return levels_[node]; }
  uint32_t level_count() const { return level_count_; }
  // The nodes that a node must run after, each once and in order.
  std::span<const uint32_t> edges(uint32_t node) const;
  size_t edge_count() const { return edges_.size(); }

 private:
  static constexpr uint32_t kNone = ~0u;
  struct Segment {
    uint64_t end;
    uint32_t writer = kNone;
    uint32_t after_reads = 0;  // the level past the highest reader's since
    uint32_t readers = kNone;  // in `readers_`; only if edges are found
  };
  // Readers are lists, latest first, whose ends segments share: cutting a segment copies no list.
  struct Reader {
    uint32_t node;
    uint32_t before;
  };
  using Segments = std::map<uint64_t, Segment>;  // by first byte; disjoint

  static void cut(Segments& segments, uint64_t at);
  uint32_t find_level(const Use& use);
  void take_fence(size_t first);
  void put_write(Segments& segments, const Span& span, uint32_t node) const;
  void put_read(Segments& segments, const Span& span, uint32_t node);

  const bool finds_edges_;
  std::unordered_map<const void*, Segments> regions_;
  std::vector<Reader> readers_;
  std::vector<uint32_t> levels_;  // by node
  std::vector<size_t> ends_;      // by node: past its last edge
  std::vector<uint32_t> edges_;
  uint32_t level_count_ = 0;
  // The fence: the first node and level after it, and the nodes before it that no other one before it comes after.
  uint32_t fence_ = 0, fence_level_ = 0;
  std::vector<uint32_t> ends_before_;
  std::vector<bool> followed_;  // by node: another has an edge to it
};

}  // namespace vd::runtime
