// Buffers that a kernel accesses at the plain number of the invocation. A launch of such a kernel may be divided into
// several, each over a range of its invocations and of these buffers.
#pragma once

#include <vector>

#include "ir/kernel.h"

namespace vd::ir {

// One per argument: whether each access to the buffer is to the element whose index is the invocation's number on the first
// axis. None is, if the kernel uses that number in another way or asks for the place of its workgroup among all.
std::vector<bool> indexed_by_invocation(const Kernel& kernel);

// Whether a value is the invocation's number on the first axis, perhaps as another integer of 32 bits or more.
bool is_invocation_number(const Kernel& kernel, ValueId value);

}  // namespace vd::ir
