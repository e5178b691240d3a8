// An atomic that a language or device lacks, as a loop of compare and swap.
#pragma once

#include "ir/emitter.h"

namespace vd::codegen {

// Writes a loop that computes ATOMIC_ADD, _SUB, _MIN or _MAX of a number of type `type` whose bits the unsigned integer
// `at` refers to, and swaps until no other invocation has changed the memory in between. Bits are compared, so that the
// loop ends for NaN as well. `order` is the atomic's immediate. Returns the bits before.
ir::ValueId compute_and_swap(ir::Emitter& e, ir::Op atomic, ir::Type type, ir::ValueId at, ir::ValueId value,
                             uint64_t order);

}  // namespace vd::codegen
