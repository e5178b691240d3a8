// The values that are the same in all invocations of a workgroup, component by component, and the branches and loops at
// which the invocations diverge.
//
// A variable is uniform if only uniform values are stored to it, and only where no branch between its declaration and
// the store divides the invocations: those that take the other way would keep the old value. A loop that they leave at
// different iterations is such a branch. Invocations that return do not count, for they read nothing later.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/kernel.h"

namespace vd::ir {

// The scope of a uniform value. It matters for the results of memory and subgroup operations.
enum class Agreement : uint8_t {
  // The lanes of a strip, which run an instruction together: one load of an address serves them all. Arrays are kept
  // lane by lane, and so are variables that are used outside the block that declares them.
  Strip,
  // All invocations of a workgroup, for certain: between the loads of two invocations a third may have changed the
  // memory.
  Workgroup,
  // Likely all invocations of a workgroup: memory at one address is taken to hold one value, and subgroups to come to
  // one result from one value.
  Likely,
};

struct Uniformity {
  // Bit k: component k has invocations that differ. All bits for values of more than 32 components. By ValueId; of a
  // VAR, its content.
  std::vector<uint32_t> varying;
  std::vector<uint8_t> parts;       // by instruction: an IF or loop that invocations take differently
  std::vector<uint8_t> escapes;     // by VAR: it is used outside its block, or before it is declared
  std::vector<RegionId> region_of;  // of an instruction; kNoRegion for leaves
  std::vector<ValueId> owner_of;    // of a region: the instruction that has it; kNoValue for the body

  bool is_varying(ValueId id) const { return varying[id] != 0; }
  // Whether a branch parts the invocations on the way from `outer` down to `inner`; true if `inner` is not inside.
  bool parted(RegionId outer, RegionId inner) const;
};

Uniformity find_uniformity(const Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size, Agreement agreement);

}  // namespace vd::ir
