// Launches whose numbers of workgroups are in memory, for devices that take them from the host alone: the kernel is launched
// with the most workgroups, and those past the numbers end at once.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

// Gives a finished kernel one more buffer argument, its last, with three u32: the workgroups on each axis. NUM_WORKGROUPS
// becomes the lesser of them and of what is launched; EXEC_SIZE stays that of the launch. Analyses the kernel anew.
void read_counts(Kernel& kernel);

}  // namespace vd::ir
