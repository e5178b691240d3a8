// The last use of each value, and the writes before it: decides whether a loaded variable may be read in its register
// as long as the value is needed, or must be copied.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/kernel.h"
#include "ir/uniformity.h"

namespace vd::host {

class Uses {
 public:
  Uses(const ir::Kernel& kernel, const ir::Uniformity& places);

  uint32_t count(ir::ValueId id) const { return counts_[id]; }
  // Whether variable `var` may be written after `load` and before the last use of its value.
  bool changes(ir::ValueId var, ir::ValueId load) const;
  bool has_barrier(ir::ValueId id) const { return barrier_[id] != 0; }
  // Whether lanes may leave from inside: by return, or by break or continue of a loop around `id`.
  bool has_exit(ir::ValueId id) const { return exits_[id] != 0; }

 private:
  uint32_t walk(const ir::Kernel& kernel, ir::RegionId region, uint32_t next, bool& barrier, uint8_t& exits);

  std::vector<uint32_t> order_, end_, last_, counts_;
  std::vector<uint8_t> barrier_, exits_;
  std::vector<ir::ValueId> sequence_;
  std::unordered_map<ir::ValueId, std::vector<uint32_t>> stores_;  // rising
};

}  // namespace vd::host
