// The functions that run everything but ops over lanes: masks and jumps, atomics, subgroup operations, checks.
#pragma once

#include "backends/host/code.h"

namespace vd::host {

// The function of an op that has no form for each scalar; null if the op has none.
Insn::Fn control_function(Opcode code);
Insn::Fn atomic_function(vd_op op, ir::Scalar s);
Insn::Fn subgroup_function(vd_op op, ir::Scalar s);

// The lanes of a strip where a bool holds; `step` is 0 where all lanes have one.
Mask lanes_where(const Machine& m, uint32_t slot, uint32_t step);

}  // namespace vd::host
