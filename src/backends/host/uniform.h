// Which values are the same in all invocations of a strip that run together, component by component. Such values are
// computed once, and branches on them need no mask.
//
// A variable is uniform if only uniform values are stored to it, and only where no branch between its declaration and
// the store parts the lanes: those that another way leaves out would keep the old value. A loop that lanes leave at
// different turns is such a branch. Lanes that return do not count, for they never look again.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/kernel.h"

namespace vd::host {

struct Uniformity {
  // Bit k: component k has lanes that differ. All bits for values of more than 32 components. By ValueId; of a VAR, its
  // content.
  std::vector<uint32_t> varying;
  std::vector<uint8_t> parts_lanes;     // by instruction: an IF or loop that lanes take differently
  std::vector<ir::RegionId> region_of;  // of an instruction; kNoRegion for leaves
  std::vector<ir::ValueId> owner_of;    // of a region: the instruction that has it; kNoValue for the body

  bool is_varying(ir::ValueId id) const { return varying[id] != 0; }
  // Whether a branch parts the lanes on the way from `outer` down to `inner`; true if `inner` is not inside.
  bool parted(ir::RegionId outer, ir::RegionId inner) const;
};

Uniformity find_uniform(const ir::Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size);

}  // namespace vd::host
