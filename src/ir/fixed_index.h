// Indices of buffers that are known before a launch, in code that every launch runs.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/kernel.h"

namespace vd::ir {

// The largest constant index of a buffer argument, and whether it is indexed by the invocation's number. A view of the buffer as another type counts elements of that type.
struct FixedIndex {
  uint64_t index = 0;
  uint64_t element_size = 0;  // 0: there is none
  uint64_t end = 0;           // of that element, in bytes; all ones if that is past 64 bits
  uint64_t number_size = 0;  // of the elements that each invocation indexes by its number on the first axis; 0: of none
};

// One per argument. Looks at loads, stores and atomics outside of blocks and before anything that may return: accesses
// in an `if` or a loop may be meant for longer buffers.
std::vector<FixedIndex> fixed_indices(const Kernel& kernel);

}  // namespace vd::ir
