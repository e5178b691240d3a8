// Evaluates ops of constants and simplifies ops that do nothing, as they are emitted. Floats are never reassociated and
// transcendental functions of constants are left to the device.
#pragma once

#include <span>

#include "ir/emitter.h"

namespace vd::ir {

// The value of a pure op on these operands, or kNoValue if the op must be emitted.
ValueId fold_op(Emitter& e, Op op, Type type, std::span<const ValueId> operands, uint64_t immediate);

// The scalars of a constant, as bits: up to 16, column by column. 0 if it is not a constant of numbers or bools.
uint32_t constant_scalars(const Kernel& kernel, ValueId id, uint64_t (&out)[16]);

// The bits of a constant whose scalars are all equal; false if the value is no such constant.
bool constant_splat(const Kernel& kernel, ValueId id, uint64_t& out);

}  // namespace vd::ir
