// Sorts recorded nodes into levels: a node stands one level above the highest of those that it must run after, so nodes
// of one level are independent. For each block of memory the bytes are cut into segments that were used alike; a
// segment remembers the level of its last writer and the highest of its readers since.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "runtime/hazard.h"

namespace vd::runtime {

class LevelMap {
 public:
  // The lowest level at which bytes of a block may be used after all that was put() before.
  uint32_t level_for(const void* block, const Span& span, bool write) const;
  // Notes a use at a level, which is at least level_for() of it.
  void put(const void* block, const Span& span, bool write, uint32_t level);
  void clear() { blocks_.clear(); }

 private:
  struct Segment {
    uint64_t end;
    uint32_t after_write;  // level past the last writer's; 0 if none
    uint32_t after_reads;  // level past the highest reader's since
  };
  using Segments = std::map<uint64_t, Segment>;  // by first byte; disjoint

  static void split(Segments& segments, uint64_t at);

  std::unordered_map<const void*, Segments> blocks_;
};

}  // namespace vd::runtime
