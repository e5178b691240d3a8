// The number and places of each value's appearances in printed source. A value that appears once is written in place;
// one that appears twice, or in another block than the one that computes it, gets a name.
#pragma once

#include <vector>

#include "ir/kernel.h"

namespace vd::codegen {

struct UseCount {
  uint32_t count = 0;      // appearances of the value's text; indices count once for each use of their reference
  bool elsewhere = false;  // in another region than its own
  bool hoist = false;      // a VAR that is used outside its region or before it
};

struct Uses {
  std::vector<UseCount> of;          // by value
  std::vector<ir::RegionId> region;  // region that holds a value; kNoRegion for leaves

  explicit Uses(const ir::Kernel& kernel);
};

// Regions of a kernel in printed order, each with its owner, without recursion.
std::vector<ir::RegionId> regions_in_order(const ir::Kernel& kernel);

// The VAR, Argument, Shared or constant that a reference leads to.
ir::ValueId base_of(const ir::Kernel& kernel, ir::ValueId reference);

bool is_leaf(ir::Op op);

}  // namespace vd::codegen
