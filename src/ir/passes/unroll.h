// Unrolls FOR loops with constant bounds that ask for it (VD_LOOP_FULL, or a factor), and those with a single
// iteration.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

// Instructions that all unrolled loops of a kernel may become: more than any compiler takes in a minute.
inline constexpr uint32_t kUnrollLimit = 1 << 16;

// Throws VD_ERR_COMPILE, with place, number and limit, if the loops that ask to be unrolled would become more
// instructions, inside of each other. A compiler would go on for as long as it has memory.
void check_unrolling(const Kernel& kernel, uint32_t limit = kUnrollLimit);

// Loops whose unrolled bodies would be more than `limit` instructions in all stay as they are.
void unroll(Kernel& kernel, uint32_t limit = kUnrollLimit);

}  // namespace vd::ir
